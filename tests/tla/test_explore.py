"""Exploration of modules: TLC's counts with constraints, views and symmetry, and verdicts with their traces."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import Mock

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.engines import Answer, Limits, Listener, Result, Verdict
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.explore.specifications import explore_specification
from leadline.symbolic.lang import AssumptionFailed, ModelError
from leadline.symbolic.tla.read.parts import parts
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.operators import at_level
from tests.tla.loading import specification, write

TOKENS = """
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS Nodes, Most
VARIABLES held, passed
ASSUME Most > 0
vars == <<held, passed>>
TypeOK == held \\in SUBSET Nodes /\\ passed \\in Nat
Init == held = {} /\\ passed = 0
Take(n) == n \\notin held /\\ held' = held \\cup {n} /\\ UNCHANGED passed
Pass(n) == n \\in held /\\ held' = held \\ {n} /\\ passed' = passed + 1
Next == \\E n \\in Nodes : Take(n) \\/ Pass(n)
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)
Few == passed <= Most
FewSteps == passed' <= Most
Alone == Cardinality(held) <= 1
Undefined == held # {} => (CHOOSE n \\in held : n \\notin held) = 1
Symmetry == Permutations(Nodes)
Count == <<Cardinality(held), passed>>
NeverLess == [][passed' >= passed]_vars
OneByOne == [][Cardinality(held') <= Cardinality(held)]_vars
StartsFull == held = Nodes /\\ [][TRUE]_vars
Always == []Alone
InTheEnd == <>(passed = Most)
Anywhere == held = {} /\\ passed \\in Nat
Each == \\A n \\in Nodes : [](Few \\/ n \\in held) /\\ [][passed' >= passed]_vars
EachStep == \\A n \\in Nodes : [][n \\in held => FewSteps]_(n \\in held)
"""
NODES = "CONSTANTS Nodes = {n1, n2, n3} Most = 2\n"


def explored(folder: Path, config: str, depth: int | None = None) -> Answer:
    behaviour = Behaviour(specification(folder, TOKENS, NODES + config))
    deadlock = behaviour.specification.deadlock
    return explore_specification(behaviour, ExploreOptions(depth), Limits(), SILENT, deadlock=deadlock)


def result(answer: Answer, name: str) -> Result:
    (found,) = [one for one in answer.results if one.property == name]
    return found


COUNTS = (
    "CONSTRAINT Few",
    "ACTION_CONSTRAINT FewSteps",
    "CONSTRAINT Few SYMMETRY Symmetry",
    "CONSTRAINT Few VIEW Count",
)


def within(limit: int, *, orbits: bool, depth: int = 99) -> list[int]:
    """The numbers of states at most k steps away, by hand: each step takes or passes a token."""
    seen, level = {(frozenset[int](), 0)}, {(frozenset[int](), 0)}
    counts: list[int] = []
    while level and len(counts) <= depth:
        counts.append(len({(len(held), n) for held, n in seen} if orbits else seen))
        after = {(held ^ {i}, n + (i in held)) for held, n in level for i in range(3)}
        level = {one for one in after if one[1] <= limit} - seen
        seen |= level
    return counts


PREPARED = """
EXTENDS Naturals
VARIABLES line, x
Before(n) == line = n /\\ line' = line
Prepare == (Before(1) \\/ Before(2)) /\\ x < 3 /\\ x' = x + 1
Odd == x % 2 = 1 /\\ x' = x
Even == x % 2 = 0 /\\ x' = x
Take == (Odd \\/ Even) /\\ line' = line + 1
Init == line = 1 /\\ x = 0
Next == Prepare \\/ (line < 3 /\\ Take)
"""


def test_an_action_is_not_named_after_an_operator_that_all_its_disjuncts_apply(tmp_path: Path) -> None:
    """As in TLC, Before is what Prepare begins with; Odd and Even tell more than Take."""
    made = specification(tmp_path, PREPARED, "INIT Init NEXT Next")
    assert [one.name for one in parts(made)] == ["Prepare", "Odd", "Even"]


def test_constraints_have_the_names_of_the_configuration(tmp_path: Path) -> None:
    config = NODES + "SPECIFICATION Spec CONSTRAINT Few ACTION_CONSTRAINT FewSteps"
    assert specification(tmp_path, TOKENS, config).constraint_names == ["Few", "FewSteps"]
    both = specification(tmp_path, TOKENS, f"{config} INVARIANT Few")
    assert both.constraint_names == ["constraint-1", "FewSteps"], "a claim has the name"


@pytest.mark.parametrize("config", COUNTS)
def test_states_are_counted_as_by_tlc(tmp_path: Path, config: str) -> None:
    facts = explored(tmp_path, f"SPECIFICATION Spec {config}").told(ExploreFacts)
    orbits = "SYMMETRY" in config or "VIEW" in config
    assert facts.states_within_steps == within(2, orbits=orbits)
    assert facts.all_views if "VIEW" in config else facts.complete


def test_a_depth_bounds_the_search(tmp_path: Path) -> None:
    facts = explored(tmp_path, "SPECIFICATION Spec", depth=3).told(ExploreFacts)
    assert facts.states_within_steps == within(99, orbits=False, depth=3)
    assert not facts.complete


VERDICTS = {
    "INVARIANT TypeOK": ("TypeOK", "safe", None),
    "INVARIANT Alone": ("Alone", "violated", 2),
    "INVARIANT Undefined": ("Undefined", "out-of-bounds", 1),
    "PROPERTY NeverLess": ("NeverLess", "safe", None),
    "PROPERTY OneByOne": ("OneByOne", "violated", 1),
    "PROPERTY StartsFull": ("StartsFull", "violated", 0),
    "PROPERTY Always": ("Always", "violated", 2),
    "PROPERTY Each": ("Each", "violated", 6),  # in a state that the constraint excludes
    "PROPERTY EachStep": ("EachStep", "violated", 6),  # as in Each
    "PROPERTY InTheEnd": ("InTheEnd", "safe", None),
}


@pytest.mark.parametrize("config", VERDICTS)
def test_verdicts(tmp_path: Path, config: str) -> None:
    name, verdict, steps = VERDICTS[config]
    found = result(explored(tmp_path, f"SPECIFICATION Spec CONSTRAINT Few {config}"), name)
    assert (str(found.verdict), found.steps) == (verdict, steps)
    assert (found.trace is not None) == (steps is not None)


def test_a_trace_is_a_run(tmp_path: Path) -> None:
    found = result(explored(tmp_path, "SPECIFICATION Spec CONSTRAINT Few INVARIANT Alone"), "Alone")
    assert found.trace is not None
    assert [step.action for step in found.trace.steps] == ["Take", "Take"]
    assert [str(step.picks["n"]) for step in found.trace.steps] == ["n1", "n2"]
    held = [stage.state and len(stage.state[0]) for stage in found.trace.stages]
    assert held == [0, 1, 2]


def test_an_error_is_told_with_its_place(tmp_path: Path) -> None:
    config = "SPECIFICATION Spec CONSTRAINT Few INVARIANT Undefined"
    found = result(explored(tmp_path, config), "Undefined")
    assert found.reason is not None
    assert found.reason.startswith(f"{tmp_path}/M.tla:17:28: ")
    assert "no element satisfies" in found.reason


def test_an_infinite_choice_is_told_with_its_place(tmp_path: Path) -> None:
    found = result(explored(tmp_path, "INIT Anywhere NEXT Next INVARIANT Alone"), "Alone")
    assert found.reason is not None
    assert found.reason.startswith(f"{tmp_path}/M.tla:25:37: ") and "Nat" in found.reason


def test_a_deadlock_is_a_mistake_unless_the_configuration_allows_it(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x = 0\nNext == x = 0 /\\ x' = 1"
    for allowed in (True, False):
        config = f"INIT Init NEXT Next CHECK_DEADLOCK {'FALSE' if allowed else 'TRUE'}"
        behaviour = Behaviour(specification(tmp_path, body, config))
        deadlock = behaviour.specification.deadlock
        answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=deadlock)
        assert answer.told(ExploreFacts).deadlocks == 1
        assert [one.steps for one in answer.results] == ([None] if allowed else [1])


def test_a_false_assumption_ends_all(tmp_path: Path) -> None:
    found = specification(tmp_path, TOKENS, "CONSTANTS Nodes = {} Most = 0 SPECIFICATION Spec")
    with pytest.raises(AssumptionFailed, match=r"M\.tla:6:13: the assumption is false"):
        Behaviour(found)


def test_an_axiom_is_for_provers_alone(tmp_path: Path) -> None:
    axioms = "AXIOM Wrong == 1 = 2\nAXIOM \\A S, T : S \\subseteq T\n"
    body = f"{axioms}VARIABLE x\nInit == x = 0\nNext == x' = x\nInv == ~Wrong"
    found = specification(tmp_path, body, "INIT Init NEXT Next INVARIANT Inv")
    assert found.assumptions == ()
    answer = explore_specification(Behaviour(found), ExploreOptions(), Limits(), SILENT, deadlock=False)
    assert [str(one.verdict) for one in answer.results] == ["safe"]


def test_a_module_without_variables_has_one_state(tmp_path: Path) -> None:
    behaviour = Behaviour(specification(tmp_path, "Init == TRUE\nNext == TRUE", "INIT Init NEXT Next"))
    found = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=True)
    assert (found.told(ExploreFacts).states, [one.verdict for one in found.results]) == (1, [Verdict.SAFE])


def test_an_assumption_without_value_ends_all(tmp_path: Path) -> None:
    found = specification(tmp_path, "VARIABLE x\nInit == x = 1\nNext == x' = x\nASSUME <<1>>[2] = 1")
    with pytest.raises(AssumptionFailed, match=r"5:17: the assumption has no value: .*5:8: the function"):
        Behaviour(found)


def test_a_module_without_behaviour_cannot_be_explored(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no behaviour to explore"):
        Behaviour(specification(tmp_path, "A == 1"))


def test_a_claim_that_one_state_decides_is_told_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a run of one state, types have one number."""
    path = write(tmp_path, M="EXTENDS Naturals\nVARIABLE x\nInit == x = 9\nNext == x' = x\nLow == x < 6")
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Low")
    assert main(["explore", str(path)]) == 12
    assert "FALSE  x < 6   (9 < 6)" in capsys.readouterr().out


def test_a_module_without_behaviour(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, M="EXTENDS Naturals\nASSUME 1 + 1 = 2\n", N="EXTENDS Naturals\nASSUME 1 = 2\n")
    assert main(["explore", str(path)]) == 0
    assert "1 assumption evaluated and true" in capsys.readouterr().out
    assert main(["check", str(path)]) == 0
    assert "1 assumption evaluated and true" in capsys.readouterr().out
    for command in ("explore", "check"):
        assert main([command, str(path.with_name("N.tla"))]) == 10
        assert "N.tla:3:" in capsys.readouterr().err


def test_a_module_that_the_toolbox_only_evaluates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its model without a behaviour has INIT and NEXT, which begin with FALSE, and what it evaluates as ASSUME."""
    text = "EXTENDS TLC\nVARIABLE x\ninit_1 ==\nFALSE/\\x = 0\nnext_1 ==\nFALSE/\\x' = x\n"
    path = write(tmp_path, M=f"{text}ASSUME PrintT(2)\n", N=text)
    for name in ("M", "N"):
        path.with_name(f"{name}.cfg").write_text("INIT init_1\nNEXT next_1\n")
    for command in ("explore", "check", "simulate"):
        assert main([command, str(path)]) == 0
        assert "1 assumption evaluated and true" in capsys.readouterr().out
    assert main(["explore", str(path.with_name("N.tla"))]) == 150
    path.with_name("M.cfg").write_text("INIT init_1\nNEXT next_1\nINVARIANT A\n")
    path.write_text(path.read_text().replace("ASSUME", "A == x = 0\nASSUME"))
    assert main(["explore", str(path)]) == 150
    assert "no state satisfies the initial condition" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["explore", "explore --by circuits", "check", "check --depth 2", "simulate"]
)
def test_a_module_without_behaviour_or_assumption(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, M="A == 1")
    name, *options = command.split()
    assert main([name, str(path), *options]) == 150
    assert "M.tla:1:1: there is no behaviour to explore" in capsys.readouterr().err


def test_a_module_without_initial_states_is_told_with_its_place(tmp_path: Path) -> None:
    one = specification(
        tmp_path, "VARIABLE x\nInit == x = 0 /\\ x = 1\nNext == x' = x", "INIT Init\nNEXT Next"
    )
    with pytest.raises(ModelError, match=r"no state satisfies the initial condition"):
        explore_specification(Behaviour(one), ExploreOptions(), Limits(), SILENT, deadlock=False)


@pytest.mark.parametrize("command", ["explore", "explore --by circuits", "check"])
def test_a_constraint_that_excludes_all_initial_states_is_told(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All claims hold of no state, as for TLC."""
    path = write(tmp_path, M="EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nFew == x > 5")
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next CONSTRAINT Few")
    name, *options = command.split()
    assert main([name, str(path), *options]) == 0
    assert "the constraints exclude all initial ones" in capsys.readouterr().out


LEVELS = """
EXTENDS Naturals, Sequences, TLC
VARIABLE x
Init == x = 0
Next == x' = x + 1
Early == TLCGet("level") < 6
Counted == TLCGet("level") = x + 1
Bad == x < 5 /\\ (x = 3 => Head(<<>>) = 1)
Seen == <<x, Bad>>
"""


def test_the_level_of_a_state_is_known(tmp_path: Path) -> None:
    one = specification(tmp_path, LEVELS, "INIT Init\nNEXT Next\nCONSTRAINT Early\nINVARIANT Counted")
    with at_level(7):  # which a search before this one has left
        behaviour = Behaviour(one)
    found = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False)
    assert [(x.property, x.verdict) for x in found.results] == [("Counted", Verdict.SAFE)]
    assert found.told(ExploreFacts).states == 5


@pytest.mark.parametrize("line", ["CONSTRAINT Bad", "CONSTRAINT Early VIEW Seen"])
def test_a_constraint_or_view_without_a_value_is_an_error(line: str, tmp_path: Path) -> None:
    one = specification(tmp_path, LEVELS, f"INIT Init\nNEXT Next\n{line}")
    found = explore_specification(Behaviour(one), ExploreOptions(), Limits(), SILENT, deadlock=True)
    assert found.results[0].verdict is Verdict.OUT_OF_BOUNDS
    assert found.out_of_bounds is not None and found.out_of_bounds.length == 4


def states_by(folder: Path, step: str, seconds: float | None = None) -> int:
    """The states of a number that begins with 0 and takes the step, those found in some seconds."""
    body = f"EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == {step}"
    behaviour = Behaviour(specification(folder, body, "INIT Init\nNEXT Next"))
    found = explore_specification(behaviour, ExploreOptions(), Limits(seconds), SILENT, deadlock=True)
    return found.told(ExploreFacts).states


def test_a_step_chooses_among_the_subsets_that_its_body_allows(tmp_path: Path) -> None:
    """Nobody would come to the end of all subsets of 40 elements."""
    step = r"\E s \in SUBSET (1..40) : (s \subseteq {1, x + 1} /\ x < 5) /\ x' = IF x + 1 \in s THEN x + 1 ELSE x"
    assert states_by(tmp_path, step, seconds=20) == 6


@pytest.mark.parametrize(
    "choice", ["(1..2) : s \\subseteq x", "(1..2) : s \\subseteq {TRUE}", "Nat : s \\subseteq {1}"]
)
def test_a_choice_among_subsets_that_cannot_be_made_is_an_error(choice: str, tmp_path: Path) -> None:
    body = f"EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == \\E s \\in SUBSET {choice} /\\ x' = s"
    behaviour = Behaviour(specification(tmp_path, body, "INIT Init\nNEXT Next"))
    found = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=True)
    assert found.out_of_bounds is not None and found.out_of_bounds.length == 1


def test_quantifiers_and_disjunctions_may_be_nested_deeply(tmp_path: Path) -> None:
    """Python nests at most 20 loops and attempts."""
    around = "".join(f"\\E a{i} \\in 0..0 : " for i in range(7))
    names = [f"b{i}" for i in range(7)]
    step = f"\\E {', '.join(names)} \\in 0..0 : x' = x + {' + '.join(names)}"
    assert states_by(tmp_path, f"{around}(x > 9 \\/ {step})") == 1


@pytest.mark.parametrize("one", ["x # {0} /\\ ", "IF x = {0} THEN x' = x ELSE "])
def test_a_step_may_have_many_conjuncts_and_conditions(one: str, tmp_path: Path) -> None:
    """Python has at most 100 levels of indentation."""
    many = "".join(one.format(i) for i in range(2, 122))
    assert states_by(tmp_path, f"{many}x' = 1 - x") == 2


@pytest.mark.parametrize("symmetry", ["", "SYMMETRY Symmetry"])
def test_a_violation_is_told_at_its_level(tmp_path: Path, symmetry: str) -> None:
    text = f"{NODES} SPECIFICATION Spec {symmetry} PROPERTIES OneByOne Always StartsFull NeverLess"
    behaviour, told = Behaviour(specification(tmp_path, TOKENS, text)), list[Result]()
    listener = Listener(done=told.append)
    explore_specification(behaviour, ExploreOptions(max_states=99), Limits(), listener, deadlock=False)
    assert {one.property: (one.steps, one.depth) for one in told} == {
        "OneByOne": (1, 1),
        "Always": (2, 2),
        "StartsFull": (0, 0),
    }


SYMMETRIC = """
EXTENDS Integers, FiniteSets, TLC
CONSTANTS a, b, Nodes
VARIABLE held
Symmetry == Permutations(Nodes)
Init == held = {}
Take(S) == \\E n \\in S \\ held : held' = held \\cup {n}
Next == Take(Nodes)
First == held # {} /\\ held' = {CHOOSE n \\in held : TRUE}
Chosen == Next \\/ First
Largest == LET Sizes == {Cardinality(held), 2} IN CHOOSE n \\in Sizes : \\A m \\in Sizes : m <= n
Small == Largest < 4
Only == Cardinality(held) = 1 => (CHOOSE n \\in held : n \\in held) \\in Nodes
NotB == b \\notin held
NotFirst == held # {CHOOSE n \\in Nodes : TRUE}
Told == ToString(held) # ToString({b})
Asserted == Assert(Cardinality(held) < 9, ToString(held))
Some == \\E n \\in {a, b} : n \\notin held
Json == INSTANCE Json
Sent == Json!ToJson(held) # "[\\"b\\"]"
"""
APART = {
    "NEXT Next INVARIANTS Small Only Asserted": ([1, 2, 3, 4, 5], None),
    "NEXT Next INVARIANT NotB": ([1, 3, 5, 7, 8], "b at M.tla:15:9"),
    "NEXT Next INVARIANT Some": ([1, 4, 8, 11, 12], "b at M.tla:19:22; a at M.tla:19:19"),
    "NEXT Next INVARIANT Told": ([1, 5, 11, 15, 16], "a, b, c, d at M.tla:17:26"),
    "NEXT Next INVARIANT Sent": ([1, 5, 11, 15, 16], "a, b, c, d at Json.tla:9:18"),
    "NEXT Next INVARIANT NotFirst": ([1, 5, 11, 15, 16], "a, b, c, d at M.tla:16:21"),
    "NEXT Chosen INVARIANT Small": ([1, 5, 11, 15, 16], "a, b, c, d at M.tla:10:32"),
}


@pytest.mark.parametrize("config", APART)
def test_symmetry_is_used_where_the_module_treats_members_alike(tmp_path: Path, config: str) -> None:
    """Sets up to a permutation: 5 orbits of 16; 2 * 4 with one node apart, 4 * 3 with two."""
    constants = "CONSTANTS a = a b = b Nodes = {a, b, c, d} INIT Init SYMMETRY Symmetry\n"
    behaviour = Behaviour(specification(tmp_path, SYMMETRIC, constants + config))
    answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False)
    counts, told = APART[config]
    assert answer.told(ExploreFacts).states_within_steps == counts
    assert behaviour.symmetry is not None
    remark = behaviour.symmetry.remark()
    assert (remark and re.sub(r"\S*/", "", remark).rpartition("apart: ")[2]) == told


CHOICES = """
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS Nodes
VARIABLES sent, out, time
Symmetry == Permutations(Nodes)
ASSUME (CHOOSE n \\in Nodes : TRUE) \\in Nodes
Init == sent = {} /\\ out = <<>> /\\ time = 0
Add == \\E n \\in Nodes, b \\in 0..1 : /\\ \\A m \\in sent : m.from # n
                                    /\\ sent' = sent \\cup {[from |-> n, ballot |-> b]}
                                    /\\ UNCHANGED <<out, time>>
Best == CHOOSE m \\in sent : \\A k \\in sent : k.ballot <= m.ballot
Highest == Add \\/ (sent # {} /\\ out' = <<Best.ballot>> /\\ UNCHANGED <<sent, time>>)
Often == Add \\/ (sent # {} /\\ out' = [n \\in 1..9 |-> Best.ballot] /\\ UNCHANGED <<sent, time>>)
Winner == Add \\/ (sent # {} /\\ out' = <<Best.from>> /\\ UNCHANGED <<sent, time>>)
InSequence(S) == CHOOSE f \\in [1..Cardinality(S) -> S] : \\A i, j \\in DOMAIN f : f[i] = f[j] => i = j
Listed == Add \\/ (\\E n \\in Nodes : out' = InSequence({<<1, n>>, <<2, n>>}) /\\ UNCHANGED <<sent, time>>)
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET one == CHOOSE m \\in S : TRUE IN one.ballot + Sum(S \\ {one})
Total == Add \\/ (out' = <<Sum(sent)>> /\\ UNCHANGED <<sent, time>>)
Wait == sent # {} /\\ Best.ballot < 2 /\\ time < 2 /\\ time' = time + 1 /\\ UNCHANGED <<sent, out>>
Late == Add \\/ Wait \\/ (time = 2 /\\ sent # {} /\\ out' = <<Best.from>> /\\ UNCHANGED <<sent, time>>)
AnyOne == sent # {} => (CHOOSE m \\in sent : TRUE).from \\in Nodes
Early == TLCGet("level") < 9
"""
CHOSEN = {
    "NEXT Highest": 22, "NEXT Listed": 28, "NEXT Total": 30,
    "NEXT Winner": 81, "NEXT Late": 133, "NEXT Add INVARIANT AnyOne": 10,
    "NEXT Total CONSTRAINT Early": 30,
}  # fmt: skip
"""The numbers of states of TLC: with SYMMETRY where it holds, without it for Winner and Late."""


@pytest.mark.parametrize("config", CHOSEN)
def test_a_choice_upholds_the_symmetry_if_nothing_depends_on_it(tmp_path: Path, config: str) -> None:
    constants = "CONSTANT Nodes = {a, b, c} INIT Init SYMMETRY Symmetry CHECK_DEADLOCK FALSE\n"
    behaviour = Behaviour(specification(tmp_path, CHOICES, constants + config))
    answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False)
    assert answer.told(ExploreFacts).states == CHOSEN[config]
    assert behaviour.symmetry is not None
    assert ("at " in (behaviour.symmetry.remark() or "")) is ("Winner" in config or "Late" in config)


@pytest.mark.parametrize("step", ["Highest", "Often"])
def test_an_open_choice_is_made_once_in_each_case(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants = "CONSTANT Nodes = {a, b, c} INIT Init SYMMETRY Symmetry CHECK_DEADLOCK FALSE\n"
    behaviour = Behaviour(specification(tmp_path, CHOICES, f"{constants} NEXT {step}"))
    assert behaviour.symmetry is not None
    chosen = Mock(wraps=behaviour.symmetry.chosen)
    monkeypatch.setattr(behaviour.symmetry, "chosen", chosen)
    answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False)
    assert answer.told(ExploreFacts).states == CHOSEN["NEXT Highest"]
    assert chosen.call_count == 16 and behaviour.symmetry.open_choices > 0


FOLDED = """
EXTENDS Integers, FiniteSets, FiniteSetsExt, Bags, Relation, TLC
CONSTANTS Nodes
VARIABLES rank, total
Symmetry == Permutations(Nodes)
Init == rank \\in [Nodes -> 0..1] /\\ total = 0
Plus(a, b) == b + a
Sum == FoldSet(LAMBDA n, sum : Plus(rank[n], sum), 0, Nodes)
Count == FoldSet(LAMBDA n, count : IF rank[n] = 0 THEN count ELSE count + 1, 0, Nodes)
Size == BagCardinality([n \\in Nodes |-> rank[n] + 1]) - Cardinality(UNION {{n} : n \\in Nodes})
Below == TransitiveClosure([m, n \\in Nodes |-> rank[m] < rank[n]], Nodes)
Lower == Cardinality({n \\in Nodes : \\E m \\in Nodes : Below[n, m]})
Last == FoldSet(LAMBDA n, last : IF rank[n] = 0 THEN rank[n] ELSE 2 * last, 3, Nodes)
Next == total' = @ /\\ UNCHANGED rank
"""
"""Results that never depend on the order of the nodes. Of Last only its values tell so."""


@pytest.mark.parametrize("total, states", {"Sum": 7, "Count": 7, "Size": 7, "Lower": 6, "Last": 5}.items())
def test_the_order_of_elements_in_a_sum_or_a_closure_is_no_choice(
    tmp_path: Path, total: str, states: int
) -> None:
    """The numbers of states of TLC."""
    config = "CONSTANT Nodes = {a, b, c} INIT Init NEXT Next SYMMETRY Symmetry"
    behaviour = Behaviour(specification(tmp_path, FOLDED.replace("@", total), config))
    answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False)
    assert answer.told(ExploreFacts).states == states
    assert behaviour.symmetry is not None
    assert (behaviour.symmetry.open_choices == 0) is (total != "Last")


def test_a_symmetry_that_does_not_hold_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, M=SYMMETRIC)
    path.with_suffix(".cfg").write_text(
        "CONSTANTS a = a b = b Nodes = {a, b} INIT Init NEXT Next SYMMETRY Symmetry INVARIANT NotB\n"
    )
    assert main(["explore", str(path)]) == 12
    assert "SYMMETRY does not hold, and is not used, where" in capsys.readouterr().out


@pytest.mark.parametrize(
    "functions", ['Permutations({"a", "b"})', "Permutations(0..1)", "{a}", "a", "[P -> P]"]
)
def test_a_symmetry_is_of_permutations_of_model_values(
    functions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = f"EXTENDS Naturals, TLC\nCONSTANTS a, P\nVARIABLE x\nSymmetry == {functions}\n"
    path = write(
        tmp_path, M=f'{body}Init == x \\in {{0, "b"}}\nNext == x\' \\in {{0, 1, "a", "b"}}\nInv == x # "a"'
    )
    path.with_suffix(".cfg").write_text(
        "CONSTANTS a = a P = {a, b} INIT Init NEXT Next SYMMETRY Symmetry INVARIANT Inv\n"
    )
    assert main(["explore", str(path)]) == 150
    assert "M.cfg:1:57: SYMMETRY expects permutations of model values" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["explore", "check"])
def test_random_choices_are_refused(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    body = """
    EXTENDS Randomization, Naturals, TLC
    VARIABLE x
    Init == x = {}
    Next == x' = RandomSubset(1, 1..3)
    Unused == RandomElement({1})
    """
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next")
    assert main([command, str(path)]) == 150
    assert "M.tla:6:" in (told := capsys.readouterr().err) and "chooses at random" in told


@pytest.mark.parametrize("by", ["values", "circuits"])
def test_a_variable_gets_its_value_by_a_subset(
    tmp_path: Path, by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    body = """EXTENDS Naturals
    VARIABLES x, y
    Init == y = {1} /\\ x \\subseteq y \\cup {2}
    Put(v, S) == v' \\subseteq S
    Next == Put(x, 1..3) /\\ y' \\subseteq x' \\ {3}
    Inv == ENABLED (x' \\subseteq {4} /\\ y' \\subseteq x')
    """
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    assert main(["explore", str(path), "--by", by]) == 0
    told = capsys.readouterr().out
    assert "20 states within 1 step" in told and "Next    360" in told


def test_steps_that_are_composed(tmp_path: Path) -> None:
    r"""`A \cdot B` is a step of A and one of B. TLC finds these ten states."""
    body = r"""
    EXTENDS Integers
    VARIABLES x, y
    Init == x = 0 /\ y = 0
    A(n) == x' = x + n /\ y' \in {x, n} /\ x < 4
    B == x > 1 /\ x' = x - 1 /\ y' = y + x /\ y < 3
    C(k) == IF k > 0 THEN x' = k - 1 /\ UNCHANGED y ELSE FALSE
    Next == \/ \E n \in 1..2 : A(n) \cdot B
            \/ A(1) \cdot (A(2) \cdot B)
            \/ y > 1 /\ B \cdot C(x + y)
            \/ (x' = 3 /\ y' = 0) \/ UNCHANGED <<x, y>>
    """
    behaviour = Behaviour(specification(tmp_path, body, "INIT Init NEXT Next"))
    answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=True)
    assert answer.told(ExploreFacts).states == 10


@pytest.mark.parametrize("by", ["values", "circuits"])
def test_steps_that_are_composed_have_action_constraints(
    by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    r"""TLC finds a deadlock after two steps: the states are 0, 2 and 6."""
    body = r"""
    EXTENDS Naturals
    VARIABLE x
    Init == x = 0
    Next == (x < 3 /\ x' = x + 1) \cdot (x' = x * 2)
    Few == x' # 4
    Going == x = 6 \/ ENABLED Next
    """
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next ACTION_CONSTRAINT Few INVARIANT Going")
    assert main(["explore", str(path), "--by", by]) == 11
    told = capsys.readouterr().out
    assert "3 states within 2 steps" in told and "deadlock  violated  2" in told and "Going     safe" in told


def test_an_initial_condition_without_a_value_leaves_no_states(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "EXTENDS Integers\nVARIABLE x\nInit == x = 1 \\div 0\nNext == x' = x\nLive == <>(x = 1)"
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next PROPERTY Live")
    assert main(["explore", str(path)]) == 21
    out = capsys.readouterr().out
    assert "no states: the initial condition goes out of bounds" in out and "all reachable" not in out
    assert "Live      out-of-bounds  0" in out


def test_an_operator_may_name_a_variable_that_has_no_value_yet(tmp_path: Path) -> None:
    """It reads none in the branch that is taken, also where it is recursive. TLC finds these 14 states."""
    body = r"""
    EXTENDS Naturals, FiniteSets
    VARIABLES x, y, z
    RECURSIVE Sum(_)
    Sum(h) == IF h = 0 THEN 0 ELSE IF h > 2 THEN y[1] + Sum(h - 1) ELSE Sum(h - 1)
    RECURSIVE Later(_)
    Later(h) == IF h = 0 THEN 0 ELSE IF h > 2 THEN y'[1] + Later(h - 1) ELSE Later(h - 1)
    Last(h) == IF h <= 1 THEN {} ELSE {y[i] : i \in 1..(h - 1)}
    Free(h) == {1, 2, 3} \ Last(h)
    After(h) == IF h = 1 THEN {} ELSE {y'[i] : i \in 1..(h - 1)}
    Init == /\ \E a \in 1..2 : LET first == Free(1) IN x = Cardinality(first) + a + Sum(2)
            /\ y = <<1, 2>> /\ z = Sum(3)
    Next == /\ z' = 3 - z
            /\ x' = (x + Cardinality(After(1)) + Cardinality(Last(z')) + Later(z')) % 7
            /\ y' = <<y[2], y[1]>> /\ Cardinality(After(z')) < 3
    """
    behaviour = Behaviour(specification(tmp_path, body, "INIT Init NEXT Next"))
    answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=True)
    assert answer.told(ExploreFacts).states == 14 and all(x.verdict is Verdict.SAFE for x in answer.results)


NUMBERS = r"""
EXTENDS Integers, TLC, TLCExt
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Post == LET s == TLCGet("stats") IN <<s.diameter, s.distinct, s.generated, s.queue>> = <<4, 4, 5, 0>>
Deep == TLCGet("diameter") = 7
Composing == TLCGet("-Dtlc2.tool.impl.Tool.cdot") = "true"
Watched == TLCGet("config").deadlock /\ TLCGetOrDefault("config", 1) = 1 /\ TLCGetOrDefault("level", 0) = 0
Wrong == TLCGet("nothing") = 1
Few == Assert(x < 3, "no")
Level == TLCGet("level") = x + 1
Before == TLCGet("level") = 0
ASSUME Before
"""


def test_postconditions_are_evaluated_after_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The numbers are those that TLC has."""
    path = write(tmp_path, M=NUMBERS)
    config = path.with_suffix(".cfg")
    config.write_text("INIT Init NEXT Next INVARIANT Level POSTCONDITION Post Composing Before")
    assert main(["explore", str(path)]) == 0
    told = capsys.readouterr().out
    assert "postcondition Post: holds" in told and "postcondition Before: holds" in told
    for deadlock, code in (("TRUE", 0), ("FALSE", 10)):
        config.write_text(f"INIT Init NEXT Next POSTCONDITION Watched CHECK_DEADLOCK {deadlock}")
        assert main(["explore", str(path)]) == code
    capsys.readouterr()
    config.write_text("INIT Init NEXT Next POSTCONDITION Post Composing Before")
    assert main(["explore", str(path), "--by", "circuits"]) == 0
    assert "postcondition Post: holds" in capsys.readouterr().out
    config.write_text("INIT Init NEXT Next POSTCONDITIONS Deep Wrong")
    for by in ("circuits", "values"):
        assert main(["explore", str(path), "--by", by]) == 10
        told = capsys.readouterr().out
        assert "postcondition Deep: violated" in told and 'TLCGet("nothing") has no value' in told
    assert main(["check", str(path)]) == 10
    assert "postcondition Deep: violated" in capsys.readouterr().out
    config.write_text("INIT Init NEXT Next INVARIANT Few POSTCONDITION Deep")
    assert main(["explore", str(path)]) == 21  # an error counts more, as in TLC
    assert "postcondition Deep: violated" in capsys.readouterr().out
    config.write_text("INIT Init NEXT Next POSTCONDITIONS Deep Wrong")
    main(["simulate", str(path), "--runs", "1"])
    assert "POSTCONDITION Deep, Wrong: only leadline explore" in capsys.readouterr().err


def test_a_bound_name_of_another_module_is_no_constant_of_this_one(tmp_path: Path) -> None:
    """As in MCVoting of tlaplus/Examples: SYMMETRY holds."""
    init = "VARIABLE x\nCONSTANT S\nInit == x = {}\nNext == \\E a \\in S \\ x : x' = x \\cup {a}"
    other = f"{init}\nSame(a, b) == a = b\nFew == \\A a, b \\in x : Same(a, a)"
    body = "EXTENDS Other, TLC\nCONSTANTS a, b\nMembers == {a, b}\nBoth == Permutations(Members)"
    config = "CONSTANTS a = a b = b S <- Members\nINIT Init NEXT Next INVARIANT Few SYMMETRY Both"
    behaviour = Behaviour(specification(tmp_path, body, config, Other=other))
    answer = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False)
    assert answer.told(ExploreFacts).states == 3


def test_a_postcondition_ends_with_the_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "EXTENDS FiniteSets, Naturals\nVARIABLE x\nInit == x = 9\nNext == x' = x\n"
    path = write(tmp_path, M=f"{body}Post == \\A s \\in SUBSET (1..60) : Cardinality(s) < 61")
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next POSTCONDITION Post")
    assert main(["explore", str(path), "--timeout", "2"]) == 10
    assert "postcondition Post: time: stopped after 2 s" in capsys.readouterr().out


def test_a_heading_shortens_long_constants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, M="CONSTANT S\nVARIABLE x\nInit == x \\in S\nNext == UNCHANGED x")
    members = ", ".join(f"v{i}" for i in range(99))
    path.with_suffix(".cfg").write_text(f"INIT Init NEXT Next CONSTANT S = {{{members}}}")
    assert main(["explore", str(path)]) == 0
    heading = capsys.readouterr().out.splitlines()[0]
    assert heading.startswith("M (S = {v0, v1,") and heading.endswith("...)") and len(heading) < 120
