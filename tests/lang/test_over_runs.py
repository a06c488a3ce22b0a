"""Claims about runs: temporal formulas, fairness, predicates over steps, ENABLED, refinements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leadline.symbolic.concrete import Runs, Semantics, neglected
from leadline.symbolic.concrete.runs import graph_of
from leadline.symbolic.engines import ENGINES, Query, Verdict, answer_here
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.lang import (
    Bool,
    Int,
    Map,
    Model,
    ModelError,
    Option,
    PropertyKind,
    Protocol,
    action,
    always,
    build,
    enabled,
    eventually,
    for_each,
    for_some,
    forall,
    invariant,
    leads_to,
    map_of,
    nodes as n,
    parameter,
    pick,
    refines,
    set_of,
    sort,
    step_property,
    strong,
    sum_of,
    temporal,
    weak,
    weak_next,
)
from leadline.symbolic.lang.enabled import fair_enabled
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.span import NOWHERE
from leadline.symbolic.lang.symmetry import symmetric_sorts
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
    expressions,
    instances,
)
from leadline.symbolic.meaning import Word


class Counters(Protocol):
    """Workers count until someone stops them."""

    workers: int = parameter(2, at_least=1, doc="number of workers")
    stops: bool = parameter(True, doc="whether someone may stop them")

    def define(self, state: Any) -> None:
        self.Worker = sort("Worker", self.workers)
        state.count = Map(self.Worker, Int(0, 2))
        state.stopped = Bool()

    def init(self, start: Any) -> None:
        start.count = map_of(self.Worker, lambda worker: 0)
        start.stopped = False

    @action
    def work(self, now: Any, nxt: Any, worker: Any = pick("Worker")) -> None:
        nxt.require(~now.stopped, now.count[worker] < 2)
        nxt.count[worker] = now.count[worker] + 1

    @action(when=lambda self: self.stops)
    def stop(self, now: Any, nxt: Any) -> None:
        nxt.stopped = True

    def fair(self) -> Any:
        yield weak("work", each="worker")
        yield strong("work", "stop", of="count", tla="Progress")
        yield strong("s*p")
        yield weak_next()


class Total(Protocol):
    """Counts to 4."""

    most: int = parameter(4, at_least=1, doc="the last number")

    def define(self, state: Any) -> None:
        state.total = Int(0, self.most)

    def init(self, start: Any) -> None:
        start.total = 0

    @action
    def add(self, now: Any, nxt: Any) -> None:
        nxt.require(now.total < self.most)
        nxt.total = now.total + 1

    def fair(self) -> Any:
        return [weak_next()]


def built(*claims: Any, **parameters: Any) -> Model:
    return build(Counters(**parameters), claims)


def claim(body: Callable[..., Any], steps: bool = False) -> Any:
    if steps:

        @temporal(Counters)
        def with_steps(protocol: Any, now: Any, nxt: Any) -> Any:
            return body(protocol, now, nxt)

        return with_steps

    @temporal(Counters)
    def stated(protocol: Any, now: Any) -> Any:
        return body(protocol, now)

    return stated


def formula(body: Callable[..., Any], steps: bool = False) -> Any:
    (found,) = built(claim(body, steps)).properties.values()
    assert found.kind is PropertyKind.TEMPORAL
    return found.temporal


def shape(root: Any) -> Any:
    """A formula as nested tuples of names, the number of its predicate where one is."""
    if isinstance(root, (Holds, Happens)):
        return type(root).__name__
    return (type(root).__name__, *map(shape, root.parts))


def test_formulas_are_nested_as_they_are_written() -> None:
    def body(protocol: Any, now: Any) -> Any:
        done = forall(protocol.Worker, lambda worker: now.count[worker] == 2)
        some = for_some(protocol.Worker, lambda worker: always(eventually(now.count[worker] == 1)))
        return (done & ~some) | leads_to(now.stopped, always(done)) | eventually(done).implies(now.stopped)

    assert shape(formula(body)) == (
        "Either",
        (
            "Either",
            ("Both", "Holds", ("Negated", ("ForSome", ("Always", ("Eventually", "Holds"))))),
            ("LeadsTo", "Holds", ("Always", "Holds")),
        ),
        ("Either", ("Negated", ("Eventually", "Holds")), "Holds"),
    )


def test_a_predicate_over_steps_under_always_and_eventually() -> None:
    def body(protocol: Any, now: Any, nxt: Any) -> Any:
        return always(~now.stopped | nxt.stopped) & always(eventually(nxt.stopped))

    found = formula(body, steps=True)
    assert shape(found) == (
        "Both",
        ("Always", ("Negated", "Happens")),
        ("Always", ("Eventually", "Happens")),
    )


def test_each_value_of_a_quantifier() -> None:
    found = formula(
        lambda protocol, now: for_each(
            protocol.Worker,
            lambda a: for_some(protocol.Worker, lambda b: leads_to(now.count[a] == 1, now.count[b] == 2)),
        )
    )
    assert isinstance(found, ForEach) and isinstance(found.item, ForSome)
    assert found.var is not found.item.var
    texts = {tuple(map(repr, expressions(y))) for x in instances(found) for y in instances(x)}  # type: ignore[arg-type]
    assert len(texts) == 4
    assert symmetric_sorts(built(), ()) == symmetric_sorts(built(claim(lambda p, s: found)), ())


def test_fairness() -> None:
    each, progress, stops, following = built().fairness
    assert ([x.action for x in each.arms], each.strong, len(each.types)) == (["work"], False, 1)
    assert (progress.name, progress.strong, progress.of) == ("Progress", True, ("count",))
    assert (stops.name, following.name, following.strong) == ("Stop", "Next", False)
    assert [x.action for x in following.arms] == ["work", "stop"]
    assert [x.name for x in built(stops=False).fairness] == ["Work", "Progress", "Next"]
    assert built().fingerprint != Model(**{**vars_of(built()), "fairness": ()}).fingerprint


def vars_of(model: Model) -> dict[str, Any]:
    return {name: getattr(model, name) for name in model.__dataclass_fields__}


def test_steps_count_only_if_they_change_a_variable() -> None:
    model = built()
    semantics, actions = Semantics(model), {x.name: x for x in model.actions}
    each, progress, stops, following = (fair_enabled(x, actions, model.variables) for x in model.fairness)
    values = {"key 0": "w1"}
    assert semantics.evaluate(each, ((1, 0), False), values)
    assert not semantics.evaluate(each, ((2, 0), False), values)
    assert not semantics.evaluate(progress, ((2, 2), False))  # stop changes `stopped` alone
    assert semantics.evaluate(stops, ((2, 2), False)) and not semantics.evaluate(stops, ((0, 0), True))
    assert not semantics.evaluate(following, ((0, 0), True))


def test_enabled() -> None:
    @invariant(Counters)
    def some(protocol: Any, now: Any) -> Any:
        return enabled(now, "work") | enabled(now, "stop")

    @invariant(Counters)
    def one(protocol: Any, now: Any) -> Any:
        return forall(protocol.Worker, lambda x: enabled(now, "work", worker=x) == (now.count[x] < 2))

    model = built(some, one)
    semantics = Semantics(model)
    assert semantics.holds("one", ((1, 2), False)) and not semantics.holds("one", ((1, 2), True))
    assert semantics.holds("some", ((2, 2), True))
    model = built(some, stops=False)
    assert not Semantics(model).holds("some", ((2, 2), False))


def test_a_step_property() -> None:
    @step_property(Counters)
    def grows(protocol: Any, now: Any, nxt: Any) -> Any:
        """It grows."""
        return forall(protocol.Worker, lambda worker: nxt.count[worker] >= now.count[worker])

    found = built(grows).properties["grows"]
    assert (found.kind, found.tla, found.doc) == (PropertyKind.STEP, "Grows", "It grows.")
    assert shape(found.temporal) == ("Always", ("Negated", "Happens"))


def test_a_refinement() -> None:
    @refines(
        Counters,
        Total,
        parameters=lambda protocol: {"most": 2 * int(protocol.settings["workers"] or 0)},
        fairness=True,
    )
    def adds(protocol: Any, now: Any, abstract: Any) -> None:
        abstract.total = sum_of(protocol.Worker, lambda worker: now.count[worker])

    model = built(adds)
    found = model.properties["adds"].temporal
    assert isinstance(found, Both)
    initial, steps, fair = found.items
    assert isinstance(initial, Holds) and shape(steps) == ("Always", ("Negated", "Happens"))
    assert shape(fair) == (
        "Either",
        ("Always", ("Eventually", "Holds")),
        ("Always", ("Eventually", "Happens")),
    )
    semantics = Semantics(model)
    assert semantics.evaluate(initial.node, ((0, 0), True))
    assert not semantics.evaluate(initial.node, ((0, 1), False))


def stated(*claims: Any) -> str:
    with pytest.raises(ModelError) as caught:
        built(*claims)
    return str(caught.value)


def bad_refinement(mapping: Callable[[Any, Any, Any], None]) -> Any:
    @refines(Counters, Total, parameters=lambda self: {})
    def adds(protocol: Any, now: Any, abstract: Any) -> None:
        mapping(protocol, now, abstract)

    return adds


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            claim(lambda p, now, nxt: nxt.stopped | eventually(now.stopped), steps=True),
            "directly under always",
        ),
        (claim(lambda p, now: forall(p.Worker, lambda x: eventually(now.count[x] == 2))), "for_each"),
        (
            claim(lambda p, now: for_each(now.count.range, lambda x: eventually(x == 2))),
            "a type or a constant",
        ),
        (claim(lambda p, now: None), "returns nothing"),
        (claim(lambda p, now: eventually(now.stoped)), "did you mean `stopped`"),
        (claim(lambda p, now: eventually(enabled(now, "wrok"))), "did you mean `work`"),
        (claim(lambda p, now: eventually(enabled(now, "work", wroker=1))), "did you mean `worker`"),
        (bad_refinement(lambda p, now, abstract: None), "gives no value to total"),
        (bad_refinement(lambda p, now, abstract: abstract.pick("x", Bool())), "guards or picks"),
    ],
)
def test_mistakes_of_claims(wrong: Any, words: str) -> None:
    assert words in stated(wrong)


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        (lambda: weak("wrok"), "did you mean `work`"),
        (lambda: weak("work", each="stop"), "work has no pick `stop`"),
        (lambda: weak("work", of="cuont"), "did you mean `count`"),
        (lambda: weak(), "fairness of no action"),
        (lambda: weak(Counters.work), 'named by text: write weak("action")'),  # type: ignore[arg-type]  # a slip
        (lambda: weak("work", each=lambda worker: worker.dest), "Worker"),
        (lambda: "work", "fair lists conditions"),
    ],
)
def test_mistakes_of_fairness(mark: Callable[[], Any], words: str) -> None:
    class Unfair(Counters):
        """As Counters."""

        def fair(self) -> Any:
            return [mark()]

    with pytest.raises(ModelError) as caught:
        build(Unfair())
    assert [words in one.text for one in caught.value.mistakes] == [True]


def test_what_formulas_are_made_of() -> None:
    """`~` and `leads_to` keep their operands."""
    found = formula(lambda p, now: ~leads_to(now.stopped, eventually(~now.stopped)))
    assert isinstance(found, Negated) and isinstance(found.item, LeadsTo)
    assert isinstance(found.item.conclusion, Eventually) and not isinstance(found.item, (Either, Always))


# -- ENABLED where a step goes out of bounds --------------------------------------------------------------


class Overflow(Protocol):
    """A step that changes `a` for good, and takes `b` out of bounds."""

    def define(self, state: Any) -> None:
        state.a, state.b = Bool(), Int(0, 1)

    def init(self, start: Any) -> None:
        start.a, start.b = False, 1

    def fair(self) -> Any:
        yield weak("go", of="a")
        yield weak("go", of="b")
        yield weak("stay", of="a")

    @action
    def go(self, now: Any, nxt: Any) -> None:
        nxt.a = True
        nxt.b = now.b + 1

    @action
    def stay(self, now: Any, nxt: Any) -> None:
        nxt.b = now.b + 1


def test_a_step_out_of_bounds_can_be_taken_if_it_would_change_a_watched_variable() -> None:
    """So a run that stops before it is not fair, whatever else the step does."""

    @temporal(Overflow)
    def moved(protocol: Any, now: Any) -> Any:
        return eventually(now.a)

    model = build(Overflow(), [moved])
    semantics = Semantics(model)
    (begun,) = [one.state for one in semantics.initial()]
    assert begun is not None
    go_a, go_b, stay_a = model.fairness
    assert [bool(Runs(semantics).chances(one, begun)) for one in (go_a, go_b, stay_a)] == [True, True, False]
    assert {neglected(Runs(semantics), one, Word([begun], 0)) for one in (go_a, go_b)} == {()}
    assert neglected(Runs(semantics), stay_a, Word([begun], 0)) is None
    graph = graph_of(semantics, [begun], set(), [0])
    assert graph.able[0] == graph.weak & 0b011
    for engine in ("explore", "pdr", "bmc"):
        query = Query("test", {}, ("moved",), ENGINES[engine].options())
        (found,) = answer_here(model, query).results
        assert found.verdict is Verdict.OUT_OF_BOUNDS, engine


class Letter(Protocol):
    """A letter without an address, which a guard reads or only a fairness condition."""

    guarded: bool = parameter(False, doc="whether a guard reads it")

    def define(self, state: Any) -> None:
        state.address, state.sent = Option(Int(0, 1)), Bool()

    def init(self, start: Any) -> None:
        start.address, start.sent = None, False

    def fair(self) -> Any:
        yield weak("send", each=() if self.guarded else lambda to: to.value)

    @action
    def send(self, now: Any, nxt: Any) -> None:
        to = nxt.pick("to", set_of(now.address))
        nxt.require(to.value > 0 if self.guarded else ~now.sent)
        nxt.sent = True


@pytest.mark.parametrize("guarded", [True, False])
def test_a_step_that_goes_out_of_bounds_in_its_guards_or_its_values_can_be_taken(guarded: bool) -> None:
    @temporal(Letter)
    def arrives(protocol: Any, now: Any) -> Any:
        return eventually(now.sent)

    model = build(Letter(guarded=guarded), [arrives])
    for options in (ExploreOptions(by="values"), *(ENGINES[x].options() for x in ("explore", "pdr", "bmc"))):
        (found,) = answer_here(model, Query("test", {}, ("arrives",), options)).results
        assert found.verdict is Verdict.OUT_OF_BOUNDS, options


@pytest.mark.parametrize("combine", [bool, lambda x: not x, lambda x: x and x, lambda x: x or x])
def test_a_formula_about_runs_has_no_truth_value(combine: Callable[[object], object]) -> None:
    with pytest.raises(ModelError, match=r"no truth value .* use &, \|, ~ and \.implies"):
        combine(eventually(wrap(n.make(n.Const, Bool(), NOWHERE, True))))
