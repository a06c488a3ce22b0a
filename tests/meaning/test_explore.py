"""Exploration: counts, depths and shortest paths of protocols that can be counted by hand."""

from __future__ import annotations

import gc
import itertools
from functools import cached_property
from typing import Any

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.lang import (
    Bool,
    Claim,
    Int,
    Map,
    ModelError,
    Protocol,
    UserError,
    action,
    build,
    invariant,
    map_of,
    sort,
)
from leadline.symbolic.meaning import Exploration, Explorer, Level, Step
from leadline.symbolic.meaning.explore import uncollected
from tests.concrete.protocols import Broken, Counter, Letters, Subsets, below_two, two_is_unspeakable
from tests.exploring import explore

CLAIMS = (below_two, two_is_unspeakable)
NAMES = ("below-two", "two-is-unspeakable")


def explored(
    protocol: Protocol, claims: tuple[Claim, ...] = (), names: tuple[str, ...] = (), **limits: Any
) -> Exploration:
    return explore(Semantics(build(protocol, claims)), names, **limits)


def states(path: tuple[Step, ...] | None) -> list[Any]:
    assert path is not None
    return [outcome.state for outcome in path]


def test_a_line_of_states() -> None:
    found = explored(Counter())
    assert found.states_within_steps == [1, 2, 3, 4]
    assert (found.states, found.diameter, found.complete) == (4, 3, True)
    assert found.out_of_bounds is None and found.steps_out_of_bounds == 0


def test_coverage_names_actions_that_never_fired() -> None:
    assert explored(Counter()).actions == {"count": 3, "jump": 0}


def test_a_deadlock_has_a_shortest_path() -> None:
    found = explored(Counter())
    assert found.deadlocks == 1
    assert states(found.deadlock) == [(0,), (1,), (2,), (3,)]


def test_a_step_out_of_bounds_has_no_successor_and_is_no_deadlock() -> None:
    found = explored(Counter(guarded=False))
    assert (found.states, found.deadlocks, found.deadlock) == (4, 0, None)
    assert found.steps_out_of_bounds == 1
    assert states(found.out_of_bounds) == [(0,), (1,), (2,), (3,), None]
    assert found.out_of_bounds is not None
    why = found.out_of_bounds[-1].why
    assert why is not None and why.startswith("4 is not in Int(0, 3) (protocols.py:")


def test_a_violation_does_not_end_the_exploration() -> None:
    found = explored(Counter(), CLAIMS, NAMES)
    below = found.properties["below-two"]
    assert (found.states, below.steps, below.violations) == (4, 2, 2)
    assert states(below.violation) == [(0,), (1,), (2,)]
    assert below.out_of_bounds is None and below.why is None


def test_a_property_out_of_bounds_is_apart_from_a_violation() -> None:
    found = explored(Counter(), CLAIMS, NAMES).properties["two-is-unspeakable"]
    assert (found.violation, found.violations, found.steps) == (None, 0, None)
    assert states(found.out_of_bounds) == [(0,), (1,), (2,)]
    assert found.why is not None and found.why.startswith("the divisor is not positive (protocols.py:")


def test_only_the_properties_asked_for_are_evaluated() -> None:
    assert list(explored(Counter(), CLAIMS, NAMES[:1]).properties) == ["below-two"]
    with pytest.raises(UserError, match="did you mean `below-two`"):
        explored(Counter(), CLAIMS, ("below-tow",))


def test_several_initial_states_and_several_ways_to_one_state() -> None:
    found = explored(Subsets())
    # 4 sets of at most one member; in one step the other sets of two, and all three.
    assert found.states_within_steps == [4, 8]
    # A set of n members lets (3 - n)^2 pairs join and n members leave.
    joins = 9 + 3 * 4 + 3 * 1 + 0
    leaves = 0 + 3 * 1 + 3 * 2 + 3
    assert found.actions == {"join": joins, "leave": leaves}
    assert found.generated == 4 + joins + leaves
    assert found.complete and found.deadlocks == 0


def test_a_bound_on_depth() -> None:
    found = explored(Counter(last=9), CLAIMS, NAMES, depth=3)
    assert found.states_within_steps == [1, 2, 3, 4]
    assert not found.complete
    assert found.actions["count"] == 3
    assert found.properties["below-two"].steps == 2
    assert explored(Counter(last=9), depth=0).states_within_steps == [1]
    assert explored(Counter(last=9), depth=10).complete


def test_a_bound_on_states() -> None:
    found = explored(Counter(last=9), max_states=4)
    assert (found.states, found.complete, found.stopped) == (4, False, "states: stopped at 4")
    assert found.states_within_steps == [1, 2, 3, 4]
    found = explored(Subsets(), max_states=6)
    assert (found.states, found.complete, found.states_within_steps) == (6, False, [4])
    assert explored(Subsets(), max_states=8).complete


@pytest.mark.parametrize("last", range(1, 9))
def test_an_exploration_that_is_ended_has_a_summary(last: int) -> None:
    """Wherever an exception ends it, the summary is that of the states found by then."""
    calls = 0

    class Tired(Semantics):
        @cached_property
        def steps(self) -> list[Any]:
            return [self.counted(step) for step in super().steps]

        def counted(self, step: Any) -> Any:
            def counting(*arguments: Any) -> None:
                nonlocal calls
                calls += 1
                if calls == last:
                    raise MemoryError
                step(*arguments)

            return counting

    explorer = Explorer(Tired(build(Subsets())))
    with pytest.raises(MemoryError):
        explorer.run()
    found, whole = explorer.summary("memory"), explored(Subsets())
    depths = len(found.states_within_steps)
    assert (found.complete, found.stopped) == (False, "memory")
    assert found.states <= whole.states
    assert found.states_within_steps == whole.states_within_steps[:depths]
    assert found.states >= (found.states_within_steps[-1] if depths else 0)


def test_progress_is_told_level_by_level() -> None:
    levels: list[Level] = []
    explored(Subsets(), progress=levels.append)
    assert levels == [Level(0, 4, 4), Level(1, 4, 8)]


def test_a_way_to_begin_out_of_bounds() -> None:
    found = explored(Broken())
    assert (found.states, found.steps_out_of_bounds, found.deadlocks) == (1, 1, 1)
    assert states(found.out_of_bounds) == [None]
    assert states(found.deadlock) == [(0,)]


class Nothing(Protocol):
    """There is no way to begin."""

    def define(self, state: Any) -> None:
        state.number = Int(0, 1)

    def init(self, start: Any) -> None:
        number = start.pick("number", Int(0, 1))
        start.require(number > 1)
        start.number = number


def test_no_initial_state_is_the_authors_mistake() -> None:
    """Exploration once called this safe, where a check told of the mistake."""
    with pytest.raises(
        ModelError, match=r"test_explore.py:\d+: nothing has no initial state: the guards of init exclude"
    ):
        explored(Nothing())


class Nowhere(Protocol):
    """Every way to begin is out of bounds."""

    def define(self, state: Any) -> None:
        state.number = Int(0, 1)

    def init(self, start: Any) -> None:
        start.number = start.pick("number", Int(2, 3))


def test_every_initial_state_out_of_bounds() -> None:
    found = explored(Nowhere())
    assert (found.states, found.states_within_steps, found.diameter, found.complete) == (0, [], -1, True)
    assert found.steps_out_of_bounds == 2
    assert states(found.out_of_bounds) == [None]


@invariant(Letters)
def nobody_said_bye(protocol: Letters, now: Any) -> Any:
    """Violated after a letter has been forwarded."""
    return now.post.size < 2


def test_paths_are_steps_of_the_protocol() -> None:
    meaning = Semantics(build(Letters(), (nobody_said_bye,)))
    found = explore(meaning, ("nobody-said-bye",))
    for path in (found.properties["nobody-said-bye"].violation, found.out_of_bounds):
        assert path is not None
        assert path[0] in meaning.initial()
        for before, after in itertools.pairwise(path):
            assert before.state is not None
            assert after in list(meaning.successors(before.state))
    violation = found.properties["nobody-said-bye"].violation
    assert violation is not None and not meaning.holds("nobody-said-bye", violation[-1].state or ())
    assert [outcome.action for outcome in violation] == ["init", "forward", "say_bye"]


class Lookalikes(Protocol):
    """Values that Python takes for equal, in variables of different types."""

    def define(self, state: Any) -> None:
        self.Node = sort("Node", 1)
        state.number = Int(0, 2)
        state.truth = Bool()
        state.numbers = Map(self.Node, Int(0, 1))
        state.truths = Map(self.Node, Bool())

    def init(self, start: Any) -> None:
        start.number = start.pick("number", Int(0, 1))
        start.truth = start.pick("truth", Bool())
        start.numbers = map_of(self.Node, lambda node: 1)
        start.truths = map_of(self.Node, lambda node: True)

    @action
    def count(self, now: Any, nxt: Any) -> None:
        """The number alone changes."""
        nxt.require(now.number == 1)
        nxt.number = 2


@invariant(Lookalikes)
def not_two(protocol: Lookalikes, now: Any) -> Any:
    """Violated after a step."""
    return now.number != 2


def test_values_keep_their_type() -> None:
    meaning = Semantics(build(Lookalikes(), (not_two,)))
    violation = explore(meaning, ("not-two",)).properties["not-two"].violation
    assert violation is not None and len(violation) == 2
    for outcome in violation:
        assert outcome.state is not None
        assert all(
            variable.type.contains(value)
            for variable, value in zip(meaning.model.variables, outcome.state, strict=True)
        )


def test_the_collector_seldom_looks_at_what_a_search_that_is_ended_has_made() -> None:
    made: list[object] = []
    with pytest.raises(KeyboardInterrupt), uncollected():
        made = [[]]
        raise KeyboardInterrupt
    assert any(one is made for one in gc.get_objects(generation=2))
