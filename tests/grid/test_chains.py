"""The order in which queries are asked."""

from __future__ import annotations

from hypothesis import given, strategies as st

from leadline.symbolic.grid.query import GridQuery
from leadline.symbolic.grid.schedule import Queue
from tests.grid.queries import query


def taken(queue: Queue) -> list[GridQuery]:
    """All that is left, each taken once the one before has ended."""
    order = []
    while (one := queue.take()) is not None:
        order.append(one)
        queue.ended(one)
    return order


def at(top: int, depth: int) -> GridQuery:
    return query(parameters=f'{{"top":{top}}}', depth=depth)


def test_of_one_subject_the_cheapest_first_and_of_subjects_the_one_with_most_left() -> None:
    queries = [at(1, 9), at(1, 2), at(2, 4), at(2, 6)]
    seconds = {one.id: float(one.depth or 0) for one in queries}
    assert taken(Queue(queries, seconds)) == [at(1, 2), at(2, 4), at(1, 9), at(2, 6)]


def test_without_chains_the_longest_first() -> None:
    queries = [at(1, 2), at(1, 9), at(2, 4), at(2, 6)]
    seconds = {one.id: float(one.depth or 0) for one in queries}
    assert [one.depth for one in taken(Queue(queries, seconds, chains=False))] == [9, 6, 4, 2]


def test_two_of_a_subject_run_at_once_only_if_nothing_else_waits() -> None:
    queue = Queue([at(1, 1), at(1, 2), at(1, 3), at(2, 1)], {at(1, 3).id: 100.0})
    assert queue.take() == at(1, 1)
    assert queue.take() == at(2, 1)
    assert queue.take() == at(1, 2)
    assert len(queue.waiting) == 1


def test_without_predictions_by_depth_and_then_as_given() -> None:
    queries = [query(depth=3, solver="cadical"), query(depth=3), query(depth=1)]
    assert taken(Queue(queries, {})) == [queries[2], queries[0], queries[1]]


def test_what_is_dropped_is_not_taken() -> None:
    queries = [at(1, 1), at(1, 2), at(2, 1)]
    queue = Queue(queries, {})
    queue.drop(at(1, 1).id)
    assert len(queue.waiting) == 2
    assert set(taken(queue)) == {at(1, 2), at(2, 1)}
    assert queue.take() is None and len(queue.waiting) == 0


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), unique=True),
    st.dictionaries(st.integers(0, 30), st.floats(0, 1e6)),
    st.booleans(),
    st.data(),
)
def test_each_is_taken_or_dropped_once(
    points: list[tuple[int, int]], costs: dict[int, float], chains: bool, data: st.DataObject
) -> None:
    queries = [at(*point) for point in points]
    seconds = {queries[place].id: cost for place, cost in costs.items() if place < len(queries)}
    queue = Queue(queries, seconds, chains=chains)
    gone, running = [], []
    while len(queue.waiting):
        match data.draw(st.sampled_from(["take", "end", "drop"])):
            case "take":
                one = queue.take()
                assert one is not None
                running.append(one)
                gone.append(one)
            case "end" if running:
                queue.ended(running.pop())
            case "drop":
                one = data.draw(st.sampled_from([x for x in queries if x not in gone]))
                queue.drop(one.id)
                gone.append(one)
    assert queue.take() is None
    assert sorted(one.id for one in gone) == sorted(one.id for one in queries)
