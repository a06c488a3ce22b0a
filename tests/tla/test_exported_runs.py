"""Fairness and claims about runs in exported modules mean what they mean in the protocol.

The module is read back, and the formulas of its text are evaluated on runs by their definition, with predicates,
steps and ENABLED as the interpreter of TLA+ sees them; the concrete meaning of the model evaluates its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Runs, Semantics, neglected
from leadline.symbolic.export import tla_module, tlc_config
from leadline.symbolic.lang import (
    Int,
    Map,
    Model,
    Protocol,
    Set,
    action,
    always,
    build,
    enabled,
    eventually,
    for_each,
    for_some,
    in_tla,
    leads_to,
    map_of,
    of,
    record,
    refines,
    sort,
    step_property,
    strong,
    temporal,
    weak,
    weak_next,
)
from leadline.symbolic.lang.types import Sort
from leadline.symbolic.meaning import Explorer, Word, satisfies
from leadline.symbolic.notation.names import all_types, named_members
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.config import parse_config
from leadline.symbolic.tla.read.levels import Level
from leadline.symbolic.tla.read.specification import load
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.values import TRUE
from tests.protocols.lamp import Lamp, is_a_plug, is_plugged, lamp_is_the_plug, stays_lit, wears_out


class Post(Protocol):
    """Letters with a value are written to people, and read."""

    def define(self, state: Any) -> None:
        self.Person = sort("Person", 2)
        self.Letter = record("Letter", to=self.Person)
        state.mail = Set(self.Letter)
        state.read = Map(self.Person, Int(0, 2))

    def init(self, start: Any) -> None:
        start.mail = set()
        start.read = map_of(self.Person, lambda one: 0)

    picks = {"one": "Person", "other": "Person"}

    @action
    def write(self, now: Any, nxt: Any, one: Any, other: Any) -> None:
        nxt.require(one != other, now.mail.is_empty, now.read[one] < 2)
        nxt.mail = now.mail.add(of(self.Letter, to=other))

    @action
    def open(self, now: Any, nxt: Any) -> None:
        letter = nxt.pick("letter", now.mail)
        person = letter.to
        nxt.mail = now.mail.remove(letter)
        nxt.read[person] = now.read[person] + 1 - now.read[person] // 2

    @action
    def forget(self, now: Any, nxt: Any, one: Any) -> None:
        nxt.require(now.read[one] > 0)
        nxt.read[one] = 0

    def fair(self) -> Iterator[Any]:
        yield weak_next(of="mail")
        yield strong("write", each=("other", "one"))
        yield weak("open", each=lambda letter: letter.to, of="mail")
        yield strong("open", "forget", tla="Reader")
        yield weak("forget")


class Counts(Protocol):
    """A number goes up or back to 0."""

    def define(self, state: Any) -> None:
        state.number = Int(0, 4)

    def init(self, start: Any) -> None:
        start.number = 0

    @action
    def up(self, now: Any, nxt: Any) -> None:
        nxt.require(now.number < 4)
        nxt.number = now.number + 1

    @action
    def back(self, now: Any, nxt: Any) -> None:
        nxt.number = 0

    def fair(self) -> Iterator[Any]:
        yield strong("up")


@temporal(Post)
def each_reads(post: Any, now: Any) -> Any:
    return for_each(post.Person, lambda one: leads_to(now.read[one] == 0, now.read[one] == 1))


@temporal(Post)
def someone_rests(post: Any, now: Any) -> Any:
    return for_some(of(Set(post.Person), {"p2"}), lambda one: eventually(always(now.read[one] == 0)))


@temporal(Post)
def mixed(post: Any, now: Any, nxt: Any) -> Any:
    grows = always(eventually(nxt.mail != now.mail)) | ~always(enabled(now, "forget"))
    return grows.implies(eventually(enabled(now, "open") & (now.read["p2"] == 0))) & (now.read["p1"] == 0)


@step_property(Post)
def one_letter(post: Any, now: Any, nxt: Any) -> Any:
    return nxt.mail.size <= now.read["p1"]


@refines(Post, Counts, fairness=True)
def counts(post: Any, now: Any, abstract: Any) -> None:
    abstract.number = now.read["p1"] + now.read["p2"]


MODELS: dict[str, Callable[[], Model]] = {
    "lamp": lambda: build(Lamp(), [wears_out, is_plugged, is_a_plug, lamp_is_the_plug, stays_lit]),
    "post": lambda: build(Post(), [each_reads, someone_rests, mixed, one_letter, counts]),
    "kafka-transactions": lambda: model_of(
        find("kafka-transactions"), {"clients": 1, "max_coordinator_changes": 0}
    ),
}


class Read:
    """A model's module read back, with the model's reachable states as its own."""

    def __init__(self, model: Model, folder: Path) -> None:
        semantics = Semantics(model)
        explorer = Explorer(semantics, (), None, lambda _: None, None)
        explorer.run()
        self.runs, self.ours = Runs(semantics), list(explorer.order)
        values = [
            f"S{k}_{i} == {in_tla(variable.type, state[i])}"
            for k, state in enumerate(self.ours)
            for i, variable in enumerate(model.variables)
        ]
        sorts = [kind for kind in all_types(model) if isinstance(kind, Sort)]
        members = {name for kind in sorts for name in kind.members} - named_members(model)
        if members:
            values.insert(0, f"CONSTANTS {', '.join(members)}")
        path = folder / "exported.tla"
        path.write_text(tla_module(model).replace("=" * 80, "\n".join([*values, "=" * 80])))
        config = "\n".join([tlc_config(model), *(f"CONSTANT {name} = {name}" for name in members)])
        behaviour = Behaviour(load(path, parse_config(config, "exported.cfg")))
        self.specification, self.interpreter = behaviour.specification, behaviour.interpreter
        constant = self.interpreter.constant
        self.theirs = {
            state: tuple(constant(s.Apply(f"S{k}_{i}")) for i in range(len(model.variables)))
            for k, state in enumerate(self.ours)
        }
        self._functions: dict[Any, Any] = {}

    def function(self, kind: str, e: s.Expression) -> Any:
        """A function of the interpreter for an expression, made once."""
        if (kind, e) not in self._functions:
            self._functions[kind, e] = getattr(self.interpreter, kind)(e)
        return self._functions[kind, e]

    def body(self, e: s.Apply) -> s.Expression:
        """The body of a definition at its arguments."""
        one = self.specification.definitions[e.operator]
        body = one.body
        for parameter, value in zip(one.parameters, e.arguments, strict=True):
            body = put(body, parameter.name, value)
        return body

    def holds(self, e: s.Expression, word: Word, i: int) -> bool:
        """Whether a run satisfies a formula of the module from a place on."""

        def at(part: s.Expression, j: int = i) -> bool:
            return self.holds(part, word, j)

        if self.specification.levels.of(e) <= Level.STATE:
            return self.function("predicate", e)(self.theirs[word.states[i]]) in (True, TRUE)
        rest = range(min(i, word.loop), len(word.states))
        match e:
            case s.Apply("/\\", items):
                return all(map(at, items))
            case s.Apply("\\/", items):
                return any(map(at, items))
            case s.Apply("~" | "\\lnot", (item,)):
                return not at(item)
            case s.Apply("=>", (left, right)):
                return not at(left) or at(right)
            case s.Apply("[]", (item,)):
                return all(at(item, j) for j in rest)
            case s.Apply("<>", (item,)):
                return any(at(item, j) for j in rest)
            case s.Apply("~>", (left, right)):
                return all(
                    any(at(right, k) for k in range(min(j, word.loop), len(word.states)))
                    for j in rest
                    if at(left, j)
                )
            case s.Quantified(quantifier, (s.Bound((name,), domain),), body):
                parts = (at(put(body, name, one)) for one in self.members(domain))
                return all(parts) if quantifier == "\\A" else any(parts)
            case s.Quantified(quantifier, (first, *others), body):
                return at(replace(e, bounds=(first,), body=replace(e, bounds=tuple(others))))
            case s.Subscripted(kind, taken, subscript):
                return self.of_steps(kind, taken, subscript, word, i)
            case s.Apply():
                return at(self.body(e))
        raise AssertionError(e)

    def of_steps(self, kind: str, taken: s.Expression, subscript: s.Expression, word: Word, i: int) -> bool:
        relation, term = self.function("relation", taken), self.function("term", subscript)

        def counts(before: Any, after: Any) -> bool:
            pair = self.theirs[before], self.theirs[after]
            return term(pair[0]) != term(pair[1]) and relation(*pair) in (True, TRUE)

        step = counts(word.states[i], word.after(i))
        if kind == "<<>>_":
            return step
        if kind == "[]_":
            here, there = (self.theirs[x] for x in (word.states[i], word.after(i)))
            return step or term(here) == term(there)
        able = [any(counts(word.states[j], other) for other in self.ours) for j in word.repeated]
        if any(counts(word.states[j], word.after(j)) for j in word.repeated):
            return True
        return not any(able) if kind == "SF_" else not all(able)

    def members(self, domain: s.Expression | None) -> list[s.Expression]:
        """The members of a constant set, each as an expression."""
        assert domain is not None
        found = sorted(self.interpreter.constant(domain), key=str)
        return [s.String(one) if isinstance(one, str) else s.ModelValue(one.name) for one in found]


def put(e: Any, name: str, value: s.Expression) -> Any:
    """An expression with another in place of a name."""
    if isinstance(e, s.Apply) and e.operator == name and not e.arguments:
        return value
    if isinstance(e, tuple):
        return tuple(put(x, name, value) for x in e)
    if not is_dataclass(e) or isinstance(e, (type, s.Place)):
        return e
    changed = {x.name: put(getattr(e, x.name), name, value) for x in fields(e) if x.init}
    return replace(e, **changed)


def words(runs: Runs, most: int) -> Iterator[Word]:
    """Runs of a model that go on for ever: all short ones from its initial states, and some of each length."""
    semantics = runs.semantics

    @cache
    def after(state: Any) -> list[Any]:
        return sorted({x.state for x in semantics.successors(state) if x.state is not None}, key=repr)

    paths: list[list[Any]] = [[x.state] for x in semantics.initial()]
    for _ in range(5):
        for path in paths:
            for place, state in enumerate(path):
                if state in after(path[-1]) or place == len(path) - 1:
                    yield Word(path, place)
        paths = [[*path, state] for path in paths for state in after(path[-1])][:most]


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=[pytest.mark.slow] if one == "kafka-transactions" else []) for one in MODELS],
)
def test_runs_are_fair_and_satisfy_claims_in_both(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    read = Read(model, tmp_path)
    assert len(read.specification.fairness) == len(model.fairness) > 0
    properties = read.specification.properties
    assert list(properties) == [one.tla for one in model.properties.values() if one.temporal is not None]
    seen: dict[object, set[bool]] = {}
    for word in itertools.islice(words(read.runs, 12), 150):
        for fair, e in zip(model.fairness, read.specification.fairness, strict=True):
            ours = neglected(read.runs, fair, word) is None
            assert read.holds(e, word, 0) == ours, (fair.name, word)
            seen.setdefault(fair.name, set()).add(ours)
        for one in model.properties.values():
            if one.temporal is not None:
                ours = satisfies(read.runs, one.temporal, word)
                assert read.holds(properties[one.tla], word, 0) == ours, (one.name, word)
                seen.setdefault(one.name, set()).add(ours)
    if name == "post":
        assert [key for key, found in seen.items() if len(found) == 1] == []


def texts(model: Model) -> Sequence[str]:
    return tla_module(model).splitlines()


def test_the_text_of_fairness() -> None:
    lines = texts(MODELS["post"]())
    place = lines.index("Spec ==")
    assert lines[place : place + 8] == [
        "Spec ==",
        "  /\\ Init",
        "  /\\ [][Next]_vars",
        "  /\\ WF_mail(Next)",
        "  /\\ \\A other \\in Person, one \\in Person : SF_vars(WriteAt(other, one))",
        "  /\\ \\A p \\in Person : WF_mail(OpenAt(p))",
        "  /\\ SF_vars(Reader)",
        "  /\\ WF_vars(Forget)",
    ]
