"""Grid files and the queries that they ask."""

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.engines import Limits
from leadline.symbolic.engines.prove.induction.obligation import obligations
from leadline.symbolic.grid import plan as plans
from tests.grid.planned import mistakes, planned


def test_every_combination_is_asked(folder: Path) -> None:
    found = planned(
        """
        [[check]]
        protocol = "counter.py"
        properties = ["below-three", "never-one"]
        depth = [1, 4]
        solver = ["z3", "cadical"]
        parameters = { top = [2, 4], overflow = [true, false], nodes = 2 }
        """
    )
    assert len(found.queries) == 2 * 2 * 2 * 2 * 2
    assert len({query.id for query in found.queries}) == 32
    first, last = found.in_file_order()[0], found.in_file_order()[-1]
    assert first.settings == (("top", 2), ("overflow", True), ("nodes", 2))
    assert (first.property, first.kind, first.depth, first.solver) == ("below-three", "invariant", 1, "z3")
    assert last.settings == (("top", 4), ("overflow", False), ("nodes", 2))
    assert (last.property, last.kind, last.depth, last.solver) == ("never-one", "probe", 4, "cadical")
    assert last.source == str(folder / "counter.py")
    assert last.parameters == '{"nodes":2,"overflow":false,"top":4}'


def test_what_is_left_out(folder: Path) -> None:
    found = planned('[[check]]\nprotocol = "counter.py"')
    queries = found.in_file_order()
    assert [query.property for query in queries] == ["below-three", "not-negative", "never-one"]
    query = queries[0]
    assert (query.engine, query.depth, query.unroll, query.obligation) == ("bmc", 10, "steps", None)
    assert (query.solver, query.seed, query.limits) == ("z3", 0, Limits(600, 4096))


def test_the_top_speaks_for_tables_that_do_not(folder: Path) -> None:
    found = planned(
        """
        depth = 3
        deadlock = true
        memory_mb = 500

        [[check]]
        protocol = "counter.py"
        properties = "never-one"

        [[check]]
        protocol = "counter.py"
        properties = "never-one"
        depth = 5
        deadlock = false
        timeout_seconds = 1.5
        """
    )
    queries = found.in_file_order()
    assert [(query.property, query.depth) for query in queries] == [
        ("never-one", 3),
        ("deadlock", 3),
        ("never-one", 5),
    ]
    assert [query.limits for query in queries][1:] == [Limits(600, 500), Limits(1.5, 500)]


def test_what_is_asked_twice_is_asked_once(folder: Path) -> None:
    table = '[[check]]\nprotocol = "counter.py"\nproperties = "never-one"\n'
    assert len(planned(table + table + "parameters = { top = 3 }").queries) == 1, "3 is the default"


def test_ranges(folder: Path) -> None:
    found = planned(
        """
        [[check]]
        protocol = "counter.py"
        properties = "never-one"
        depth = [0, { from = 3, to = 8, step = 2 }]
        seed = { from = 1, to = 2 }
        parameters = { top = { from = 2, to = 4 }, nodes = [{ from = 1, to = 2 }, 7] }
        """
    )
    assert {query.settings for query in found.queries} == {
        (("top", top), ("nodes", nodes)) for top in (2, 3, 4) for nodes in (1, 2, 7)
    }
    assert {query.depth for query in found.queries} == {0, 3, 5, 7}
    assert {query.seed for query in found.queries} == {1, 2}
    assert len(found.queries) == 9 * 4 * 2


@pytest.mark.parametrize(
    ("value", "mistake"),
    [
        ("{ from = 5, to = 2 }", "the range is empty: from = 5 is above to = 2"),
        ("{ form = 1, to = 2 }", "a range has no key `form`: did you mean `from`?"),
        ("{ from = 1 }", "a range needs both its ends: write { from = 1, to = 3 }"),
        ('{ from = 1, to = "2" }', '`to` of a range is an integer, not "2"'),
        ("{ from = 1, to = 2, step = 0 }", "`step` of a range is at least 1, and is 0"),
        ("{ from = 1, to = 100001 }", "the range has 100001 values, and 100000 are allowed: make it shorter"),
        ("[2, { from = 1, to = 3 }]", "2 is given more than once: leave the others out"),
        ("{ from = 7, to = 12 }", "top must be 1..9, and is 12"),
        ("{ from = -7, to = 2 }", "top must be 1..9, and is -7"),
    ],
)
def test_ranges_with_mistakes(value: str, mistake: str, folder: Path) -> None:
    told = mistakes(f'[[check]]\nprotocol = "counter.py"\nparameters = {{ top = {value} }}')
    assert told[0] == f"check[1].parameters.top: {mistake}"


def test_a_range_is_of_integers(folder: Path) -> None:
    overflow = "parameters = { overflow = { from = 0, to = 1 } }"
    assert mistakes(f'[[check]]\nprotocol = "counter.py"\n{overflow}') == [
        "check[1].parameters.overflow: overflow must be true or false, and is 0"
    ]


def test_constraints_drop_points(folder: Path) -> None:
    found = planned(
        """
        [[check]]
        protocol = "counter.py"
        properties = "never-one"
        constraints = ["nodes <= top", "top != 3 or overflow"]
        parameters = { top = [2, 3, 5], nodes = [1, 2, 3] }
        """
    )
    assert {query.settings for query in found.queries} == {
        (("top", 2), ("nodes", 1)),
        (("top", 2), ("nodes", 2)),
    }
    assert found.dropped == (
        "counter at top = 2, nodes = 3: the constraint `nodes <= top` is false",
        "counter at 3 points, the first top = 3, nodes = 1: the constraint `top != 3 or overflow` is false",
        "counter at 3 points, the first top = 5, nodes = 1: "
        "assumption on the parameters is false: top is not 5",
    )
    assert [(drop.why, drop.points) for drop in found.drops] == [
        ("constraint", 1),
        ("constraint", 3),
        ("assumption", 3),
    ]


def test_constraints_with_mistakes(folder: Path) -> None:
    assert mistakes(
        """
        [[check]]
        protocol = "counter.py"
        constraints = ["top ** 2 < 9", 3, "node < 3 and top"]

        [[check]]
        protocol = "counter.py"
        constraints = "7 // (top - nodes) > 1"
        parameters = { top = [2, 3], nodes = 2 }

        [[check]]
        protocol = "counter.py"
        constraints = ["top > 3", "nodes > 1"]
        parameters = { top = [2, 4], nodes = 1 }
        """
    ) == [
        "check[1].constraints[1]: line 1, column 5: "
        "`**` means nothing in a constraint: there are no powers here",
        "check[1].constraints[2]: a condition as text is needed, not 3",
        "check[1].constraints[3]: line 1, column 1: there is no parameter `node`: did you mean `nodes`?",
        "check[1].constraints[3]: line 1, column 14: a truth value is needed here, and this is a number",
        "check[2].constraints[1]: it divides by zero at top = 2, nodes = 2",
        "check[3]: asks nothing: all of its 2 points are dropped: "
        "at 1 the constraint `top > 3` is false; at 1 the constraint `nodes > 1` is false",
    ]


def test_deadlocks_alone(folder: Path) -> None:
    table = '[[check]]\nprotocol = "counter.py"\nproperties = []\n'
    (query,) = planned(f"{table}deadlock = true").queries
    assert (query.property, query.kind) == ("deadlock", "deadlock")
    assert mistakes(table) == [
        "check[1].properties: the list is empty: name some, or ask for a deadlock with deadlock = true"
    ]


def test_obligations(folder: Path) -> None:
    found = planned(
        """
        [[check]]
        protocol = "counter.py"
        properties = ["not-negative", "never-one"]
        kinds = ["bounded", "induction"]
        depth = 3
        solver = ["z3", "cadical"]
        """
    )
    model = model_of(find("counter.py"), {})
    names = [one.name for one in obligations(model, "not-negative")]
    queries = found.in_file_order()
    assert [query.engine for query in queries] == ["bmc"] * 4 + ["induction"] * 2 * len(names)
    proofs = [query for query in queries if query.engine == "induction"]
    assert [query.obligation for query in proofs] == [name for name in names for _ in range(2)]
    assert {query.solver for query in proofs} == {"z3", "cadical"}
    assert {(query.property, query.depth, query.unroll) for query in proofs} == {("not-negative", None, None)}
    assert found.dropped == ("counter at its defaults: never-one is a probe: only invariants are proved",)


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        (
            'solver = "auto"',
            'check[1].solver: "auto" races two solvers, each on a processor of its own, and a ',
        ),
        (
            'kinds = "proof"',
            'check[1].kinds: there is no kind "proof": choose of bounded, explore, induction',
        ),
        (
            'kinds = "induction"\ndepth = 3',
            "check[1].depth: means nothing for kinds = induction: leave it out",
        ),
        (
            'kinds = "induction"\ndeadlock = true',
            "check[1].deadlock: means nothing for kinds = induction",
        ),
        (
            'solver = "cadical"\nseed = 1',
            "check[1].seed: cadical takes no seed other than 0: ask z3 with these ",
        ),
        ('solver = ["z3", "cadical"]\nseed = [0, 1]', "check[1].seed: cadical takes no seed other than 0"),
        ("seed = -1", "check[1].seed: an integer in 0..4294967295 is needed, not -1"),
        ('kinds = "induction"\nproperties = "never-one"', "check[1]: asks nothing: no parameters are left"),
    ],
)
def test_values_that_make_no_sense(text: str, mistake: str, folder: Path) -> None:
    (told,) = mistakes(f'[[check]]\nprotocol = "counter.py"\n{text}')
    assert told.startswith(mistake)


def test_too_many_queries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "MOST_QUERIES", 5)
    assert mistakes('[[check]]\nprotocol = "counter.py"\ndepth = [1, 2]') == [
        "check[1]: the grid has more than 5 queries up to here: split it"
    ]


def test_points_without_meaning_are_dropped(folder: Path) -> None:
    found = planned('[[check]]\nprotocol = "counter.py"\nparameters = { top = [4, 5], nodes = 2 }')
    assert {query.settings for query in found.queries} == {(("top", 4), ("nodes", 2))}
    (dropped,) = found.dropped
    assert dropped.startswith("counter at top = 5, nodes = 2: ")
    assert "top is not 5" in dropped


def test_properties_that_do_not_apply_are_dropped(folder: Path) -> None:
    path = folder / "counter.py"
    text = path.read_text().replace(
        "@invariant(Counter)", "@invariant(Counter, when=lambda protocol: protocol.top > 2)", 1
    )
    path.write_text(text)
    table = '[[check]]\nprotocol = "counter.py"\nproperties = "below-three"\nparameters = { top = '
    found = planned(f"{table}[2, 3] }}")
    assert [query.settings for query in found.queries] == [(("top", 3),)]
    assert found.dropped == ("counter at top = 2: the property below-three does not apply",)
    assert mistakes(f"{table}2 }}") == [
        "check[1]: asks nothing: no parameters are left at which a property applies"
    ]
