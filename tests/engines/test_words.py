"""Invariants as formulas: TLA+ to read, and Python from which induction proves the property."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leadline.symbolic.catalog import find, load_file, model_of
from leadline.symbolic.catalog.entry import Entry, claims_in, entry_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode.circuit import TRUE
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.engines import Limits, Query, answer
from leadline.symbolic.engines.prove.induction import InductionOptions
from leadline.symbolic.engines.prove.pdr import Invariant, PdrOptions, pdr
from leadline.symbolic.engines.prove.pdr.quantified import formulas
from leadline.symbolic.engines.prove.pdr.strengthenings import strengthenings_file
from leadline.symbolic.lang import InternalError, Model, Option, PropertyKind, UserError
from leadline.symbolic.lang.structures import Map, Record, Seq, Set, Tuple, Union
from leadline.symbolic.lang.symmetry import permuted
from leadline.symbolic.lang.types import Sort, Type, Value, all_types
from tests.engines import everything, inductive

EVERYTHING = entry_of(everything.Everything, claims_in(everything), "everything")


def random_value(kind: Type, dice: Random) -> Value:
    match kind:
        case Option():
            return None if dice.random() < 0.3 else random_value(kind.item, dice)
        case Record() | Tuple():
            return tuple(random_value(part, dice) for part in kind.parts)
        case Union():
            tag, payload = dice.choice(kind.variants)
            return tag, random_value(payload, dice)
        case Set():
            return frozenset(random_value(kind.item, dice) for _ in range(dice.randrange(4)))
        case Map():
            return tuple(random_value(kind.value, dice) for _ in kind.keys)
        case Seq():
            return tuple(random_value(kind.item, dice) for _ in range(dice.randint(0, kind.capacity)))
    return dice.choice(list(kind.values())) if kind.cardinality < 1000 else dice.randrange(kind.cardinality)


def random_state(model: Model, dice: Random) -> tuple[Value, ...]:
    return tuple(random_value(variable.type, dice) for variable in model.variables)


def permutations_of(model: Model, names: Sequence[str]) -> Iterator[dict[tuple[str, str], str]]:
    kinds = [x for x in all_types(v.type for v in model.variables) if isinstance(x, Sort) and x.name in names]
    for images in product(*(permutations(kind.members) for kind in kinds)):
        pairs = [
            ((kind.name, a), b)
            for kind, some in zip(kinds, images, strict=True)
            for a, b in zip(kind.members, some, strict=True)
        ]
        yield dict(pairs)


def orbit_of(
    model: Model, facts: Facts, cube: Sequence[int], names: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    found: dict[tuple[int, ...], None] = {}
    for permutation in permutations_of(model, names):
        image = facts.image(permutation)
        found[tuple(sorted(image[x - 2] if x > 0 else -image[-x - 2] for x in cube))] = None
    return tuple(found)


def excluded(facts: Facts, state: Sequence[Value], invariant: Invariant) -> bool:
    """Whether a cube holds of a state. What does not matter is false, or free if it may be negated."""
    true, matters = facts.packed(state)

    def met(x: int) -> bool:
        bit = 1 << abs(x) - TRUE - 1
        free = facts.literals[abs(x) - TRUE - 1].moved and not matters & bit
        return free or bool(true & matters & bit) == (x > 0)

    return any(all(map(met, cube)) for orbit in invariant.orbits for cube in orbit)


def written(entry: Entry, model: Model, goal: str, invariant: Invariant, path: Path) -> Model:
    """The model of the file of an invariant."""
    path.write_text(strengthenings_file(entry, model, goal, invariant, path), encoding="utf-8")
    (found,) = load_file(path, tried=True)
    return model_of(found, {name: x for name, x in model.parameters.items() if x is not None})


def lemmas(model: Model) -> list[str]:
    return [x.name for x in model.properties.values() if x.kind is PropertyKind.STRENGTHENING]


@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 24))]
)
def test_random_cubes_mean_the_same_in_python(seed: int, tmp_path: Path) -> None:
    """Of every kind of literal; each cube holds of the state that it was made of."""
    dice = Random(seed)
    model = model_of(EVERYTHING, {})
    facts = Facts(model)
    state = random_state(model, dice)
    true, _ = facts.packed(state)
    some = dice.sample(range(len(facts.literals)), dice.randint(1, 5))
    cube = tuple(sorted(x + 2 if true >> x & 1 else -x - 2 for x in some))
    names = dice.choice([("Node", "Key"), ("Node", "Key"), ("Node",), ()])
    invariant = Invariant((), (orbit_of(model, facts, cube, names),))
    assert excluded(facts, state, invariant)
    again = written(EVERYTHING, model, "quiet", invariant, tmp_path / f"cubes{seed}.py")
    semantics = Semantics(again)
    (name,) = lemmas(again)
    states = [state]
    for _ in range(150):
        other = random_state(model, dice)
        states.append(tuple(dice.choice(pair) for pair in zip(state, other, strict=True)))
    for permutation in permutations_of(model, ("Node", "Key")):
        states.append(
            tuple(permuted(v.type, x, permutation) for v, x in zip(model.variables, state, strict=True))
        )
    for one in states:
        assert semantics.holds(name, one) is not excluded(facts, one, invariant), one


def invariant_of(model: Model, goal: str) -> Invariant:
    target = model.properties[goal]
    found = pdr(model, target, PdrOptions(strengthenings=False)).invariant
    assert found is not None
    return found


def proved_from(path: Path, goal: str, settings: dict[str, Any]) -> bool:
    entry = find(str(path))
    model = model_of(entry, settings)
    query = Query(entry.source, settings, (goal,), InductionOptions(), "cadical")
    results = answer(model, query, Limits(60)).results
    return len(results) > 2 and all(one.holds for one in results)


@pytest.mark.parametrize(
    ("name", "goal", "settings"),
    [
        pytest.param("two-phase-commit", "consistency", {}, marks=pytest.mark.slow),
        pytest.param(
            "spanner-leases", "disjointness", {"variant": "mended-handle-vote"}, marks=pytest.mark.slow
        ),
    ],
    ids=["two-phase-commit", "spanner-leases"],
)
def test_a_written_invariant_is_the_same_and_inductive(
    name: str, goal: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    entry = find(name)
    model = model_of(entry, settings)
    invariant = invariant_of(model, goal)
    path = tmp_path / "found.py"
    again = written(entry, model, goal, invariant, path)
    facts, semantics, dice = Facts(model), Semantics(again), Random(1)
    reached = [outcome.state for outcome in semantics.initial() if outcome.state]
    both = set()
    for _ in range(300):
        state = dice.choice(reached)
        after = [outcome.state for outcome in semantics.successors(state) if outcome.state]
        reached += after[:2]
        other = random_state(model, dice)
        mixed = tuple(b if dice.random() < 0.2 else a for a, b in zip(state, other, strict=True))
        for one in (state, mixed, other):
            holds = all(semantics.holds(lemma, one) for lemma in lemmas(again))
            assert holds is not excluded(facts, one, invariant), one
            both.add(holds)
        assert not excluded(facts, state, invariant)
    assert both == {True, False}
    assert proved_from(path, goal, settings)


@pytest.mark.parametrize(
    "goal",
    [
        "even",
        "evaluates",
        *(pytest.param(x, marks=pytest.mark.slow) for x in ("not-five", "not-seven", "at-most-eight")),
    ],
)
def test_a_users_protocol_is_imported_from_the_file_beside_it(goal: str, tmp_path: Path) -> None:
    own = tmp_path / f"mine_{goal.replace('-', '_')}.py"
    own.write_text(Path(inductive.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    entry = find(str(own))
    model = model_of(entry, {})
    invariant = invariant_of(model, goal)
    path = tmp_path / "found.py"
    again = written(entry, model, goal, invariant, path)
    assert f"from {own.stem} import Twos" in path.read_text(encoding="utf-8")
    facts, semantics = Facts(model), Semantics(again)
    for number in range(10):
        holds = all(semantics.holds(lemma, (number,)) for lemma in lemmas(again))
        assert holds is not excluded(facts, (number,), invariant)
    assert proved_from(path, goal, {})
    elsewhere = tmp_path / "elsewhere"
    with pytest.raises(UserError, match="write it into the same folder"):
        strengthenings_file(entry, model, goal, invariant, elsewhere / "found.py")


def test_formulas_are_tla() -> None:
    """Variables stand for members, bits of an integer are one set, and an item is asked for where it is."""
    model = model_of(EVERYTHING, {})
    facts = Facts(model)
    number = {facts.text(x): x for literal in range(len(facts.literals)) for x in (literal + 2, -literal - 2)}

    def told(*texts: str, names: Sequence[str] = ("Node", "Key")) -> str:
        orbit = orbit_of(model, facts, [number[text] for text in texts], names)
        (one,) = formulas(model, Invariant((), (orbit,)))
        return one.tla(model)

    assert told("flag", 'phase[n2] = "down"') == '\\A n \\in Node : ~(flag /\\ phase[n] = "down")'
    assert told('phase[n1] = "up"', 'phase[n3] != "up"') == (
        '\\A n, p \\in Node : n # p => ~(phase[n] = "up" /\\ phase[p] # "up")'
    )
    assert told("bit 4 of number[k1] = 1", "bit 3 of number[k1] = 1") == "\\A k \\in Key : ~(23 <= number[k])"
    assert told("bit 4 of number[k1] != 1", "bit 3 of number[k1] = 1", names=()) == "number[k1] \\notin 7..14"
    assert told("leader = n2") == "\\A n \\in Node : ~(leader # None /\\ leader = n)"
    assert told("leader != n2") == "\\A n \\in Node : ~(leader # None => leader # n)"
    assert told("leader != none", "leader = n2", names=()) == "~(leader # None /\\ leader = n2)"


def test_clauses_that_are_no_orbit_are_refused() -> None:
    model = model_of(EVERYTHING, {})
    with pytest.raises(InternalError, match="no orbit"):
        formulas(model, Invariant((), (((2,), (3,)),)))
