"""Coverage: an action never taken, a guard never true, properties that hold vacuously; counts by hand."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.api.wording import WORDINGS, covered
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.cli import main
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.coverage import Counted
from leadline.symbolic.engines import ENGINES, Query, answer
from leadline.symbolic.engines.ask.result import Note, NoteKind, Result, Verdict
from leadline.symbolic.engines.explore.explore import Explore, ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts, never_taken, with_coverage
from leadline.symbolic.grid.kinds import KINDS
from leadline.symbolic.lang import (
    Int,
    Model,
    Protocol,
    Set,
    UserError,
    action,
    build,
    forall,
    implies,
    invariant,
    set_of,
)
from leadline.symbolic.tla.origin import TlaOrigin
from leadline.symbolic.tla.read.coverage import excerpt
from leadline.symbolic.tla.read.parse import parse
from leadline.symbolic.tla.read.syntax import Definition
from tests.engines.explorers import covering
from tests.engines.numbers import names_of, numbers
from tests.exploring import explore
from tests.random_symmetric import symmetric_model
from tests.tla.loading import specification


class Stairs(Protocol):
    """A walker climbs three stairs. Nobody ever flies."""

    def define(self, state: Any) -> None:
        state.height = Int(0, 3)
        state.flown = Set(Int(0, 3))

    def init(self, start: Any) -> None:
        start.height = 0
        start.flown = set_of()

    @action
    def climb(self, now: Any, nxt: Any) -> None:
        """One or two stairs."""
        by = nxt.pick("by", Int(1, 2))
        nxt.require(now.height + by <= 3)
        nxt.height = now.height + by

    @action
    def fly(self, now: Any, nxt: Any) -> None:
        """From the second stair on, which nobody does above the third."""
        nxt.require((now.height >= 2) & (now.height > 3))
        nxt.require(now.flown.is_empty)
        nxt.flown = now.flown.add(now.height)

    @action
    def rest(self, now: Any, nxt: Any) -> None:
        """At the top."""
        nxt.require(now.height == 3)


@invariant(Stairs)
def flying_is_safe(protocol: Stairs, now: Any) -> Any:
    """Vacuous: nobody has flown."""
    return forall(now.flown, lambda x: implies(x > 1, x < 3))


@invariant(Stairs)
def high_is_rare(protocol: Stairs, now: Any) -> Any:
    """Vacuous in its second part: the first stair is never left upwards by four."""
    return implies(now.height >= 1, now.height <= 3) & implies(
        now.height == 1, implies(~now.flown.is_empty, False)
    )


@invariant(Stairs)
def not_vacuous(protocol: Stairs, now: Any) -> Any:
    """Its premise is true at the top."""
    return implies(now.height == 3, now.flown.is_empty)


@invariant(Stairs)
def violated(protocol: Stairs, now: Any) -> Any:
    """Violated, whatever its second part would be."""
    return (now.height < 3) & implies(~now.flown.is_empty, False)


CLAIMS = (flying_is_safe, high_is_rare, not_vacuous, violated)


def found_in(model: Model, depth: int | None = None) -> ExploreFacts:
    explorer = covering(Counted(model), depth)
    found = explorer.summary()
    results = [
        Result(name, "explore", Verdict.VIOLATED if one.violations else Verdict.SAFE)
        for name, one in found.properties.items()
    ]
    return with_coverage(ExploreFacts.of(found), explorer, (), results)


NAMES = {"climb": "Climb", "fly": "Fly", "rest": "Rest"}


def line_of(method: Any, text: str) -> str:
    """The place of a line of this file that has a text."""
    lines, first = inspect.getsourcelines(method)
    return f"test_coverage.py:{first + next(i for i, line in enumerate(lines) if text in line)}"


def test_what_is_never_reached_is_told() -> None:
    facts = found_in(build(Stairs(), CLAIMS))
    fly, conclusion = line_of(Stairs.fly, "height > 3"), line_of(high_is_rare.function, "is_empty")
    quantifier = line_of(flying_is_safe.function, "forall")
    table, _, *lines = covered(facts, NAMES)
    assert lines == [
        "never taken: Fly",
        f"holds vacuously: flying-is-safe, since `flown` is always empty ({quantifier})",
        f"holds vacuously in part: high-is-rare, since `flown # {{}}` is never true ({conclusion})",
        f"never true: `3 < height` of Fly ({fly}; in 2 evaluations)",
    ]
    assert not isinstance(table, str)
    # By one stair: to 1, 2 and 3; by two: to 2 and 3, of which 2 is found from 0 and 3 from 1.
    assert table.rows == [["Climb", "5", "3"], ["Fly", "0", "0"], ["Rest", "1", "0"]]


def test_guards_are_counted_one_by_one() -> None:
    facts = found_in(build(Stairs(), CLAIMS))
    assert facts.guards is not None
    counts = {(one["action"], one["guard"]): (one["evaluated"], one["true"]) for one in facts.guards}
    assert counts == {
        ("climb", "height + by <= 3"): (8, 5),
        ("fly", "2 <= height"): (4, 2),
        ("fly", "3 < height"): (2, 0),
        ("fly", "flown = {}"): (0, 0),
        ("rest", "height = 3"): (4, 1),
    }


def test_what_is_not_over_is_told_as_such() -> None:
    facts = found_in(build(Stairs(), CLAIMS), depth=0)
    assert never_taken(facts, NAMES) == [f"never taken so far: {name}" for name in ("Climb", "Fly", "Rest")]
    # An error in the initial condition says all.
    assert never_taken(replace(facts, states=0), NAMES) == []


@pytest.mark.parametrize("seed", range(40))
def test_counting_changes_nothing(seed: int) -> None:
    model = symmetric_model(seed)
    try:
        plain = explore(Semantics(model), names_of(model), max_states=2_000)
    except UserError:
        return
    explorer = covering(Counted(model), most=2_000)
    counted = explorer.summary()
    same = {**numbers(counted), "generated": 0, "actions": 0} | (
        {"deadlocks": 0, "steps_out_of_bounds": 0} if plain.stopped else {}
    )
    assert same == {**numbers(plain), **{name: same[name] for name in same if same[name] == 0}}
    if plain.complete:
        assert (counted.actions, counted.generated) == (plain.actions, plain.generated)
        assert sum(explorer.first) == plain.states


def test_a_property_without_a_vacuous_part_depends_on_every_one() -> None:
    """A property reported as vacuous stays true with its conclusion replaced; a state refutes the others."""
    vacuous = found_in(build(Stairs(), CLAIMS)).vacuous or ()
    told = {(one["property"], one.get("never_true")) for one in vacuous}
    assert ("not-vacuous", "height = 3") not in told and ("high-is-rare", "height >= 1") not in told


def test_the_leases_of_two_replicas_are_vacuous() -> None:
    """A vote needs two others, so that nobody leads; with three replicas somebody does."""
    two = {"replicas": 2}
    model = model_of(find("spanner-leases"), two)
    found = answer(model, Query("spanner-leases", two, None, ExploreOptions(coverage=True)))
    facts = found.told(ExploreFacts)
    assert facts.vacuous is not None and [one["property"] for one in facts.vacuous] == ["disjointness"]
    assert facts.vacuous[0]["empty"] == "intervals"
    assert facts.actions["become_leader"] == 0


def test_a_portfolio_tells_it_in_short() -> None:
    """A portfolio shows the coverage of its exploration with the verdict, and below the table."""
    model = build(Stairs(), CLAIMS)
    options = Explore().member(None)
    assert isinstance(options, ExploreOptions)
    asked = Query("stairs", {}, None, options)
    found = answer(model, asked)
    reasons = {one.property: one.why for one in found.results}
    assert reasons["not-vacuous"] == "all 4 reachable states explored"
    told = (
        "all 4 reachable states explored; holds vacuously, since `flown` is always empty (test_coverage.py:"
    )
    assert (reasons["flying-is-safe"] or "").startswith(told)
    assert WORDINGS["portfolio"].describe(model, asked, found)[-1] == (
        f"never taken: Fly, since `3 < height` is never true ({line_of(Stairs.fly, 'height > 3')})"
    )


def test_coverage_is_of_every_state() -> None:
    model = model_of(find("spanner-leases"), {})
    asked = Query("spanner-leases", {}, None, ExploreOptions(coverage=True, symmetry=True))
    with pytest.raises(UserError, match="--coverage counts every state"):
        answer(model, asked)


# -- the report, and TLA+ modules ----------------------------------------------------------------------------


def test_a_stored_proof_names_the_actions_never_taken() -> None:
    model = build(Stairs(), CLAIMS)
    (options,) = KINDS["explore"].questions({}, ())
    found = answer(model, Query("stairs", {}, ("not-vacuous", "flying-is-safe"), options))
    notes = [one.notes for one in found.results]
    fly = f"never taken: Fly, since `3 < height` is never true ({line_of(Stairs.fly, 'height > 3')})"
    assert notes[0] == (Note(NoteKind.NEVER_TAKEN, fly),)
    assert [note.kind for note in notes[1]] == [NoteKind.VACUOUS, NoteKind.NEVER_TAKEN]


MODULE = """---- MODULE Stairs ----
EXTENDS Naturals
VARIABLES height, flown
Init == height = 0 /\\ flown = {}
Climb == \\E by \\in 1..2 : height + by <= 3 /\\ height' = height + by /\\ UNCHANGED flown
Fly == /\\ height >= 2
       /\\ /\\ height > 3
          /\\ flown = {}
       /\\ flown' = {height}
       /\\ UNCHANGED height
Rest == height = 3 /\\ UNCHANGED <<height, flown>>
Next == Climb \\/ Fly \\/ Rest
High == height > 2
Safe == \\A x \\in flown : x > 1 => x < 3
Rare == height >= 1 => height <= 3 /\\ (High /\\ flown # {} => FALSE)
Plain == height = 3 => flown = {}
Beside == (height < 2 => flown # {}) \\/ height < 4
====
"""


def test_coverage_of_a_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "Stairs.tla").write_text(MODULE, encoding="utf-8")
    config = "INIT Init NEXT Next INVARIANTS Safe Rare Plain Beside"
    (tmp_path / "Stairs.cfg").write_text(config, encoding="utf-8")
    assert main(["explore", str(tmp_path / "Stairs.tla"), "--coverage"]) == 0
    lines = capsys.readouterr().out.splitlines()
    beside = "`height < 2` is never true where the other disjuncts are false (Stairs.tla:17)"
    assert lines[lines.index("never taken: Fly") :][:5] == [
        "never taken: Fly",
        "holds vacuously: Safe, since `flown` is always empty (Stairs.tla:14)",
        "holds vacuously in part: Rare, since `High /\\ flown # {}` is never true (Stairs.tla:15)",
        f"holds vacuously in part: Beside, since {beside}",
        "never true: `height > 3` of Fly (Stairs.tla:7; in 2 evaluations)",
    ]
    assert ["Climb", "5", "3"] in [line.split() for line in lines]
    assert main(["explore", str(tmp_path / "Stairs.tla"), "--coverage", "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    counts = {(one["action"], one["guard"]): (one["evaluated"], one["true"]) for one in facts["guards"]}
    assert counts == {
        ("Climb", "height + by <= 3"): (8, 5),
        ("Fly", "height >= 2"): (4, 2),
        ("Fly", "height > 3"): (2, 0),
        ("Fly", "flown = {}"): (0, 0),
        ("Rest", "height = 3"): (4, 1),
    }
    assert facts["first_reached"] == {"Climb": 3, "Fly": 0, "Rest": 0}


TEXTS = (
    "<<x, y>> # <<1, 2>>",
    "UNCHANGED <<x, y>>",
    "{ z \\in S : z > x }",
    "M!Next \\/ ~(x = 1)",
    "(x + 1) * y",
)


def test_an_expression_is_told_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "Texts.tla"
    bodies = "\n".join(f"Op{i} == \t(* é *) {text}  \\* é" for i, text in enumerate(TEXTS))
    path.write_text(f"---- MODULE Texts ----\n{bodies}\n====\n", encoding="utf-8")
    (module,) = parse(path.read_text(encoding="utf-8"), str(path))
    found = [excerpt(one.body) for one in module.units if isinstance(one, Definition)]
    assert found == list(TEXTS)


def test_check_of_a_module_names_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Of the portfolio only explicit search tells of actions, and PDR may be the first.
    for name in ENGINES.keys() - {"explore"}:
        monkeypatch.setattr(ENGINES[name], "member", lambda depth: None)
    (tmp_path / "Stairs.tla").write_text(MODULE, encoding="utf-8")
    (tmp_path / "Stairs.cfg").write_text("INIT Init NEXT Next INVARIANTS Plain", encoding="utf-8")
    assert main(["check", str(tmp_path / "Stairs.tla")]) == 0
    assert "never taken: Fly, since `height > 3` is never true (Stairs.tla:" in capsys.readouterr().out


def test_an_unrolled_quantifier_is_told_as_it_is_written(tmp_path: Path) -> None:
    """The premise of one instance is never true, which says nothing of the quantifier."""
    body = """
        EXTENDS Integers
        VARIABLES x, y
        Init == x = 0 /\\ y = 2
        Next == x' = (x + 1) % 3 /\\ y' = x
        Some == \\A i \\in 0..2 : (x = i /\\ y = 0) => x < 3
        None == \\A i \\in 0..2 : (x = i /\\ y = i) => x < 3
        """
    config = "INIT Init\nNEXT Next\nINVARIANTS Some None\n"
    model = TlaOrigin(specification(tmp_path, body, config), {}).model()
    explorer = covering(Counted(model))
    assert [(one.property, one.partly) for one in explorer.vacuous or ()] == [("None", False)]


def test_a_part_that_is_asserted_of_some_instances_alone_is_not_told(tmp_path: Path) -> None:
    """Of the functions of one domain a condition is asserted, of those of another it is a premise."""
    body = """
        EXTENDS Integers, FiniteSets
        VARIABLE x
        Init == x = {}
        Next == x' \\in SUBSET {1, 2, 3}
        Orders == {f \\in [1..Cardinality(x) -> x] : \\A i, j \\in 1..Cardinality(x) : i < j => f[i] # f[j]}
        Some == \\E f \\in Orders : \\A i, j \\in DOMAIN f : i < j => f[i] < f[j]
        """
    model = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Some\n"), {}).model()
    explorer = covering(Counted(model))
    assert explorer.complete and explorer.vacuous == []
