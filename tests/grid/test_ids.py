"""Every field of everything that a question is made of changes its id, or is on a list that says why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from typing import Any, get_type_hints

import pytest

import leadline
from leadline.symbolic.engines import ENGINES, Answer, Engine, Limits, Query, Result, Verdict
from leadline.symbolic.grid import query as grid_query, task
from leadline.symbolic.grid.query import GridQuery, question_id, read_options
from leadline.symbolic.lang import (
    Action,
    AnyOf,
    Bool,
    Enum,
    Fairness,
    Int,
    Map,
    Model,
    Never,
    Option,
    Pick,
    Property,
    PropertyKind,
    Seq,
    Set,
    Sort,
    Span,
    Tuple,
    Type,
    Union,
    Variable,
    nodes as n,
)
from leadline.symbolic.lang.fairness import Arm
from leadline.symbolic.lang.listed import listed
from leadline.symbolic.lang.model import LEFT_OUT, fingerprint
from leadline.symbolic.lang.structures import Graph, Slots, record
from leadline.symbolic.lang.temporal import (
    Always,
    Both,
    Either,
    Eventually,
    ForEach,
    ForSome,
    Happens,
    Holds,
    LeadsTo,
    Negated,
    Temporal,
)
from leadline.symbolic.lang.types import Atoms, Mapped
from tests.grid.queries import changed, obligation, query

HERE, ELSEWHERE = Span("a.py", 1), Span("b.py", 2)
X, Y = (n.make(n.StateVar, Bool(), HERE, name) for name in "xy")
BOUND = n.make(n.Bound, Bool(), HERE, "b", 1)
INFO = record("Info", seen=Bool())
TYPES: tuple[Type, ...] = (
    *(Bool(), Never(), Int(0, 3), Enum("Mode", ("idle", "busy")), Sort("Node", ("n1", "n2"))),
    *(Option(Bool()), Tuple((Bool(), Int(0, 1))), INFO, Union("Message", (("ping", INFO),))),
    *(Set(Bool()), Map(Bool(), Int(0, 1)), Seq(Bool(), 2)),
    *(listed(Int(0, 3), (0, 2)), Graph(Tuple((Bool(), Int(0, 1))))),
    Mapped(Bool()),
    Slots(Int(1, 2), Mapped(Tuple((Bool(), Int(0, 1)))), True),
    *(Atoms("Atom", ("a", '"b"')), AnyOf("Value", (("bool", record("bool", value=Bool())),))),
)
CLAIM = Property("claim", "Claim", PropertyKind.INVARIANT, "It holds.", HERE, X)
HELP = Property("help", "Help", PropertyKind.STRENGTHENING, "It helps.", HERE, Y, ("claim",), True)
WILL = Property("will", "Will", PropertyKind.TEMPORAL, "It will.", HERE, X, temporal=Eventually(Holds(X)))
FAIR = Fairness("Step", True, (Arm("step", (X,)),), (Bool(),), ("x",), HERE)
TEMPORAL: tuple[Temporal, ...] = (
    *(Holds(X), Happens(X), Negated(Holds(X)), Always(Holds(X)), Eventually(Holds(X))),
    *(Both((Holds(X), Holds(Y))), Either((Holds(X), Holds(Y))), LeadsTo(Holds(X), Holds(Y))),
    *(ForEach(Holds(X), BOUND, (False, True)), ForSome(Holds(X), BOUND, (False, True))),
)
STEP = Action("step", "Step", "A step.", HERE, (Pick("p", Bool(), X, HERE), Y), (("x", Y),))
MODEL = Model(
    "sample",
    {"size": 2},
    (Variable("x", "X", Bool(), HERE), Variable("y", "Y", Bool(), HERE)),
    Action("init", "Init", "", HERE, (), (("x", X), ("y", Y))),
    (STEP,),
    {"claim": CLAIM, "help": HELP, "will": WILL},
    ("step",),
    fairness=(FAIR,),
)


def node(kind: type[n.Node]) -> n.Node:
    """A node of a kind, whatever a rule would say of it."""
    hints = get_type_hints(kind)
    samples = {n.Node: X, n.Bound: BOUND, tuple[n.Node, ...]: (X, Y), str: "s", int: 1, Span: HERE}
    values = [samples.get(hints[name], (frozenset((1, 2)), "v")) for name in n.field_names(kind)]
    return n.make(kind, Bool(), HERE, *values)


def others(value: Any) -> Iterator[Any]:
    """Other values for a field, of its own kind."""
    if isinstance(value, Span):
        yield ELSEWHERE
    elif isinstance(value, n.Bound):
        yield n.make(n.Bound, Bool(), HERE, "c", 1)
    elif isinstance(value, n.Node):
        yield from (x for x in (X, Y) if x is not value)
    elif isinstance(value, Type):
        yield from (x for x in (Bool(), Int(5, 6)) if x != value)
    elif isinstance(value, StrEnum):
        yield from (x for x in type(value) if x is not value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
    elif isinstance(value, str):
        yield value + "_"
    elif isinstance(value, frozenset):
        yield value | {3}
    elif isinstance(value, tuple):
        for at, part in enumerate(value):
            yield from ((*value[:at], other, *value[at + 1 :]) for other in others(part))
        named = len(value) == 2 and isinstance(value[0], str) and not isinstance(value[1], str)
        if not named:  # a name with what it names stays a pair
            yield value[1:] if value else ("step",)
            yield from [value[::-1]] if value[::-1] != value else []
    elif isinstance(value, Mapping):
        yield from ({**value, key: other} for key, x in value.items() for other in others(x))
        yield dict([*value.items()][:-1])
    elif is_dataclass(value) and not isinstance(value, type):
        own = edits(value)  # Fields that do not matter are for the class's own test.
        places = {one.name for one in fields(value) if one.metadata.get("place")}
        kept = (one for one in own if one[1] not in places)
        yield from (other for kind, name, other in kept if matters(kind, name, getattr(value, name)))
    elif value is None:
        yield from ("some", 1)
    else:
        raise AssertionError(f"say here what else {value!r} could be")


def edits(thing: Any) -> Iterator[tuple[str, str, Any]]:
    """The thing with another value in one of its fields: the class, the field, and the thing."""
    for field in fields(thing):
        for value in others(getattr(thing, field.name)):
            if isinstance(thing, n.Node):
                own = {name: getattr(thing, name) for name in n.field_names(type(thing))}
                given = {"type": thing.type, "span": thing.span, **own, field.name: value}
                made: Any = type(thing)(**given)
            else:
                made = replace(thing, **{field.name: value})
            yield type(thing).__name__, field.name, made


def leaves(kind: type) -> Iterator[type]:
    """The classes without subclasses below a class."""
    below: list[type] = kind.__subclasses__()
    yield from (x for child in below for x in leaves(child)) if below else (kind,)


def matters(kind: str, name: str, value: Any) -> bool:
    return (kind, name) not in LEFT_OUT and not isinstance(value, Span)


@pytest.mark.parametrize(
    "thing",
    [
        *(MODEL, MODEL.variables[0], MODEL.init, STEP, STEP.body[0], CLAIM, HELP, WILL, FAIR, FAIR.arms[0]),
        *(*TYPES, *TEMPORAL, *map(node, n.KINDS)),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_every_field_of_what_a_model_is_made_of(thing: Any) -> None:
    own = fingerprint(thing)
    changed = {}
    for kind, name, other in edits(thing):
        found = fingerprint(other)
        assert (found != own) == matters(kind, name, getattr(thing, name)), f"{kind}.{name}"
        changed[name] = other
    assert changed.keys() == {field.name for field in fields(thing)}


def test_no_class_of_types_is_forgotten() -> None:
    assert {type(x) for x in TYPES} - {Union, Set, Map, Option} == {*leaves(Type)}
    assert {type(x) for x in TEMPORAL} == {x for x in leaves(Temporal) if x.__module__ == Temporal.__module__}


def test_every_part_of_a_model_is_in_its_fingerprint() -> None:
    """Not only each part's own text: a part that the model's text passed over would show here."""
    assert MODEL.fingerprint == fingerprint(MODEL)
    parts: dict[str, list[Model]] = {
        "types": [replace(MODEL, variables=(replace(MODEL.variables[0], type=x),)) for x in TYPES],
        "formulas": [replace(MODEL, properties={"claim": replace(CLAIM, formula=node(x))}) for x in n.KINDS],
        "runs": [replace(MODEL, properties={"will": replace(WILL, temporal=x)}) for x in TEMPORAL],
        "guards": [replace(MODEL, actions=(replace(STEP, body=(node(x),)),)) for x in n.KINDS],
        "domains": [
            replace(MODEL, actions=(replace(STEP, body=(Pick("p", Bool(), node(x), HERE),)),))
            for x in n.KINDS
        ],
        "updates": [replace(MODEL, actions=(replace(STEP, updates=(("x", node(x)),)),)) for x in n.KINDS],
        "starts": [replace(MODEL, init=replace(MODEL.init, updates=(("x", node(x)),))) for x in n.KINDS],
    }
    made = [model.fingerprint for models in parts.values() for model in models]
    assert len({MODEL.fingerprint, *made}) == 1 + len(made)


def test_every_reason_is_of_a_field_that_there_is() -> None:
    things = (MODEL, *MODEL.variables, STEP, STEP.body[0], CLAIM, *TYPES, *TEMPORAL)
    known = {type(x).__name__: type(x) for x in things}
    for kind, name in LEFT_OUT:
        assert name in {field.name for field in fields(known[kind])}  # type: ignore[arg-type]  # all dataclasses


def test_what_has_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="has no canonical text"):
        fingerprint(replace(MODEL, sweep_order=object()))  # type: ignore[arg-type]  # what is to be refused


def test_every_field_of_a_query() -> None:
    for asked in (query(), obligation("implication")):
        own = [(name, other) for _, name, other in edits(asked) if name != "query"]
        inside = [(name, replace(asked, query=other)) for _, name, other in edits(asked.query)]
        for name, other in (*own, *inside):
            assert (other.id != asked.id) == (name not in grid_query.LEFT_OUT), name
        seen = {name for name, _ in (*own, *inside)}
        assert seen | {"query"} == {x.name for x in (*fields(GridQuery), *fields(Query))}
    assert {*grid_query.LEFT_OUT} < seen


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_every_option_of_an_engine_is_in_the_id(engine: Engine) -> None:
    options = engine.options()
    asked = query(options=options)
    assert read_options(engine.name, asked.options) == options
    places = {one.name for one in fields(options) if one.metadata.get("place")}
    for _, name, other in edits(options):
        assert (changed(asked, options=other).id != asked.id) == (name not in places), name


def test_an_id_is_what_it_was_when_options_were_text() -> None:
    """Stores that were made before hold such ids."""
    told = {"protocol": "counter", "parameters": '{"top":3}', "property": "below-three", "kind": "invariant"}
    options = '{"cube":[],"depth":5,"shortest":false,"split":1,"symmetry":true,"unroll":"steps"}'
    told |= {"engine": "bmc", "options": options, "solver": "z3", "fingerprint": "f"}
    assert query().id == question_id({**told, "seed": 0}, leadline.__version__)
    assert question_id({**told, "seed": 0}, "1") == "bb7500243acc24376741cce5f975a8c9ebed793f"


def test_an_engine_is_asked_the_question_that_the_id_is_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Query] = []

    def answered(model: Model, question: Query, limits: Limits) -> Answer:
        asked.append(question)
        return Answer([Result("claim", "bmc", Verdict.UNKNOWN, reason="time")])

    monkeypatch.setattr(task, "answer_in_child", answered)
    monkeypatch.setattr(task, "find", lambda *_, **__: None)
    monkeypatch.setattr(task, "model_or_outline", lambda *_: MODEL)
    monkeypatch.setattr(task, "solver_version", lambda solver: solver)
    plain = query(fingerprint=MODEL.fingerprint)
    variants = [plain, changed(plain, property="deadlock", kind="deadlock"), changed(plain, seed=1)]
    for one in variants:
        row = task.answer(one, "run", None).row
        assert row.reason == "time", row.reason
    assert asked == [one.query for one in variants]
