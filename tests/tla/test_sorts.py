"""Sets of model values or strings as sorts: where the module treats their members alike, and where not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import BmcOptions, Limits, Options, Query, Result, Verdict
from leadline.symbolic.engines.bounded.alike import sorts_alike
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import Model, Sort, sort
from leadline.symbolic.lang.types import Atoms, all_types
from leadline.symbolic.meaning import Explorer
from leadline.symbolic.tla import learning
from leadline.symbolic.tla.learning import Learner
from leadline.symbolic.tla.lower.model import NotAlike, lowered
from leadline.symbolic.tla.lower.scope import Unsupported
from leadline.symbolic.tla.origin import TlaOrigin
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.values.interpreter import Interpreter
from tests.exploring import explore
from tests.swapped import assert_closed
from tests.tla.loading import specification, write
from tests.tla.lowered import counts

VOTING = """
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Procs, Quorums, None, One
VARIABLES leader, votes, seen, pairs, inbox
vars == <<leader, votes, seen, pairs, inbox>>
Symmetry == Permutations(Procs)
TypeOK == /\\ leader \\in Procs \\cup {None, "nobody"}
          /\\ votes \\in [Procs -> SUBSET Procs]
          /\\ seen \\in [Procs -> Procs \\cup {None}]
Init == /\\ leader = None
        /\\ votes = [p \\in Procs |-> {}]
        /\\ seen \\in [Procs -> {None}]
        /\\ pairs = [p, q \\in Procs |-> FALSE]
        /\\ inbox = <<>>
Vote(p, q) == /\\ \\A r \\in Procs : p \\notin votes[r]
              /\\ votes' = [votes EXCEPT ![q] = @ \\cup {p}]
              /\\ pairs' = [pairs EXCEPT ![p, q] = TRUE]
              /\\ inbox' = Append(inbox, p)
              /\\ UNCHANGED <<leader, seen>>
Elect(p) == /\\ leader \\in {None, "nobody"}
            /\\ \\E Q \\in Quorums : Q \\subseteq votes[p]
            /\\ leader' = p
            /\\ UNCHANGED <<votes, seen, pairs, inbox>>
See(p) == leader \\in Procs /\\ seen' = [seen EXCEPT ![p] = leader] /\\ UNCHANGED <<leader, votes, pairs, inbox>>
Resign == leader \\in Procs /\\ leader' = "nobody" /\\ UNCHANGED <<votes, seen, pairs, inbox>>
Others == {more}
Next == (\\E p, q \\in Procs : Vote(p, q)) \\/ (\\E p \\in Procs : Elect(p) \\/ See(p)) \\/ Resign \\/ Others
Spec == Init /\\ [][Next]_vars
Agreed == \\A p, q \\in Procs : None \\in {seen[p], seen[q]} \\/ seen[p] = seen[q]
Unseen == leader = None \\/ seen[leader] # leader
"""
CFG = """
CONSTANTS Procs = {p1, p2, p3}
 Quorums = %s
 None = None
 One = p2
SPECIFICATION Spec
INVARIANTS TypeOK Agreed Unseen
SYMMETRY Symmetry
CHECK_DEADLOCK FALSE
"""
SUMS = """
EXTENDS Naturals
CONSTANT P
VARIABLE x
Init == x = 0
Go(p) == LET sum[i \\in 0..3] == IF i = 0 THEN 0 ELSE i + sum[i - 1]
             twice == x + x
         IN (\\A q \\in P : q = p \\/ twice + twice < sum[3]) /\\ x' = x + 1
Next == \\E p \\in P : Go(p)
Low == x < 2
"""
BAG = r"""
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS Procs, Ask, Answer
VARIABLES net, known
Put(m, bag) == IF m \in DOMAIN bag THEN [bag EXCEPT ![m] = bag[m] + 1] ELSE bag @@ (m :> 1)
Take(m, bag) ==
    IF m \notin DOMAIN bag THEN bag
    ELSE IF bag[m] <= 1 THEN [x \in DOMAIN bag \ {m} |-> bag[x]] ELSE [bag EXCEPT ![m] = bag[m] - 1]
Few == Cardinality(DOMAIN net) <= 1 /\ \A m \in DOMAIN net : net[m] = 1
Init == net = [m \in {} |-> 0] /\ known = [p \in Procs |-> [q \in {} |-> <<>>]]
Send(p, q) == /\ p # q /\ Few /\ UNCHANGED known /\ net' = Put([type |-> Ask, from |-> p, to |-> q], net)
Reply(m) == /\ m.type = Ask /\ UNCHANGED known
            /\ net' = Take(m, Put([type |-> Answer, from |-> m.to, to |-> m.from, sure |-> net[m] = 1], net))
Learn(m) == /\ m.type = Answer /\ net' = Take(m, net)
            /\ known' = [known EXCEPT ![m.to] = known[m.to] @@ (m.from :> <<>>)] /\ known[m.to] = <<>>
Next == (\E p, q \in Procs : Send(p, q)) \/ \E m \in DOMAIN net : Reply(m) \/ Learn(m)
Alone == \A p \in Procs : p \notin DOMAIN known[p]
"""
REQUESTS = r"""
EXTENDS Naturals, TLC
CONSTANT Procs
VARIABLES net, asked
Init == net = <<>> /\ asked = {}
Ask(p) == LET new == {[from |-> p, to |-> q] : q \in Procs \ {p}}
          IN p \notin asked /\ asked' = asked \cup {p} /\ net' = net @@ [m \in new |-> 1]
Take(m) == net[m] > 0 /\ net' = [net EXCEPT ![m] = 0] /\ UNCHANGED asked
Next == (\E p \in Procs : Ask(p)) \/ \E m \in DOMAIN net : Take(m)
"""
MAJORITIES = "{{p1, p2}, {p2, p3}, {p1, p3}}"


def module(folder: Path, quorums: str = MAJORITIES, more: str = "FALSE") -> Path:
    path = write(folder, Voting=VOTING.replace("{more}", more))
    path.with_suffix(".cfg").write_text(CFG % quorums)
    return path


def with_strings(path: Path) -> Path:
    """The same module, with strings for the model values that are members of constants."""
    config = path.with_suffix(".cfg")
    text = re.sub(r"\b(p\d)\b", r'"\1"', config.read_text())
    config.write_text(text.replace("SYMMETRY Symmetry\n", ""))
    return path


def asked(path: Path, name: str, options: Options) -> Result:
    entry = find(str(path))
    question = Asked(entry, model_of(entry, {}), Query(entry.source, {}, (name,), options, "cadical"))
    question.put(Limits(), lambda _: None, lambda _: None)
    (result,) = question.verdicts
    return result


def sorts_of(model: Model) -> set[str]:
    return {one.name for one in all_types(x.type for x in model.variables) if isinstance(one, Sort)}


@pytest.mark.parametrize("strings", [False, True])
def test_values_that_are_treated_alike_are_of_a_sort(strings: bool, tmp_path: Path) -> None:
    path = with_strings(module(tmp_path)) if strings else module(tmp_path)
    model = model_of(find(str(path)), {})
    properties = list(model.properties.values())
    assert sorts_of(model) == {"Procs"}
    (alike,) = sorts_alike(model, properties, truth_alone=True)
    assert alike.members == (('"p1"', '"p2"', '"p3"') if strings else ("p1", "p2", "p3"))
    assert any(pick.type == alike for action in model.actions for pick in action.picks)
    assert_closed(model, (alike,), 4)
    found = explore(Semantics(model), list(model.properties))
    assert found.complete and not found.steps_out_of_bounds
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))


@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize(
    ("quorums", "more"),
    [
        ("{{p1, p2}, {p2, p3}}", "FALSE"),
        (MAJORITIES, "leader = One /\\ leader' = None /\\ UNCHANGED <<votes, seen, pairs, inbox>>"),
    ],
)
def test_values_that_are_told_apart_are_none(quorums: str, more: str, strings: bool, tmp_path: Path) -> None:
    """The configuration's SYMMETRY claims the contrary."""
    path = module(tmp_path, quorums, more)
    model = model_of(find(str(with_strings(path) if strings else path)), {})
    assert not sorts_of(model)
    p1 = '"p1"' if strings else "p1"
    assert any(isinstance(x, Atoms) and p1 in x.members for x in all_types(v.type for v in model.variables))


NAMED = """
VARIABLES last, votes
Procs == {"p1", "p2", "p3"}
Init == last = "nobody" /\\ votes = [p \\in Procs |-> 0]
Vote(p) == last' = p /\\ votes' = [votes EXCEPT ![p] = 1]
Next == (\\E p \\in Procs : Vote(p)) \\/ (last' = "nobody" /\\ votes' = votes)
Claim == {claim}
"""


@pytest.mark.parametrize(
    ("claim", "alike", "verdict", "steps"),
    [
        (
            '\\A p \\in Procs : p \\in STRING /\\ votes[p] \\in {0, 1} /\\ p # "p4"',
            True,
            Verdict.PROVED,
            None,
        ),
        ('last = "nobody" \\/ last # 3', True, Verdict.OUT_OF_BOUNDS, 1),
        ('last = "nobody" \\/ Len(last) = 6', False, Verdict.VIOLATED, 1),
        ('last # "p2"', False, Verdict.VIOLATED, 1),
        ("votes.p1 = 0", False, Verdict.VIOLATED, 1),
        ("votes # [p1 |-> 0, p2 |-> 1, p3 |-> 1]", False, Verdict.VIOLATED, 2),
    ],
)
def test_strings_of_a_sort_are_strings(
    claim: str, alike: bool, verdict: Verdict, steps: int | None, tmp_path: Path
) -> None:
    """They are of none where a claim names one of them, or takes one for a sequence."""
    path = write(tmp_path, Named="EXTENDS Sequences, Naturals" + NAMED.replace("{claim}", claim))
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Claim CHECK_DEADLOCK FALSE\n")
    assert sorts_of(model_of(find(str(path)), {})) == ({"Procs"} if alike else set())
    assert asked(path, "Claim", PdrOptions()).verdict is verdict
    found = asked(path, "Claim", BmcOptions(depth=3, shortest=True))
    assert found.verdict is (Verdict.SAFE if verdict is Verdict.PROVED else verdict)
    assert steps is None or found.steps == steps


def test_a_choice_that_shows_tells_members_of_a_sort_apart(tmp_path: Path) -> None:
    """They stay a sort, whose order is that of CHOOSE."""
    chosen = "(CHOOSE p \\in Procs : votes[p] # {})"
    rest = "UNCHANGED <<votes, seen, pairs, inbox>>"
    for choice, alike in (
        (f"leader' = {chosen}", False),
        (f"votes[{chosen}] = {{}} /\\ leader' = None", True),
    ):
        more = f"(\\E p \\in Procs : votes[p] # {{}}) /\\ leader = None /\\ {choice} /\\ {rest}"
        model = model_of(find(str(module(tmp_path, MAJORITIES, more))), {})
        assert sorts_of(model) == {"Procs"}
        assert bool(sorts_alike(model, list(model.properties.values()), truth_alone=True)) == alike
        found = explore(Semantics(model), list(model.properties))
        assert found.complete and not found.steps_out_of_bounds
        assert list(found.states_within_steps) == counts(
            Learner(Interpreter(Source(tmp_path / "Voting.tla").load({})))
        )


def test_initial_states_that_tell_values_apart_end_the_first_lowering(tmp_path: Path) -> None:
    """The actions are not lowered with sorts that will be none."""
    text = "CONSTANTS Procs, First\nVARIABLE leader\nInit == leader = First\n"
    path = write(tmp_path, Named=text + "Next == \\E p \\in Procs : leader' = p\n")
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next CONSTANTS Procs = {p1, p2, p3} First = p1\n")
    model = model_of(find(str(path)), {})
    assert not sorts_of(model)
    assert isinstance(model.origin, TlaOrigin)
    procs = sort("Procs", 3)
    with pytest.raises(NotAlike) as found:
        lowered(
            model.origin.specification, {"leader": procs}, model.origin, dict.fromkeys(procs.members, procs)
        )
    assert found.value.sorts == {procs}


def test_a_run_over_sorts_is_one_of_the_model_with_wider_types(tmp_path: Path) -> None:
    """So a violation that is known stays known when types are widened."""
    model = model_of(find(str(module(tmp_path))), {})
    explorer = Explorer(Semantics(model), depth=2)
    explorer.run()
    assert model.origin is not None and sorts_of(model) == {"Procs"} and len(explorer.order) > 1
    for state in explorer.order:
        assert model.origin.rewidened(model, model, state) == state


@pytest.mark.parametrize("strings", [False, True])
def test_members_in_sequences_of_several_types_are_treated_alike(strings: bool, tmp_path: Path) -> None:
    """Nothing stands for a member where a sequence has ended."""
    body = """
        EXTENDS Sequences, Naturals
        CONSTANTS Procs
        VARIABLES own, log
        Init == own = <<>> /\\ log = <<>>
        Add(p) == own' = Append(own, [by |-> p]) /\\ UNCHANGED log
        Note(p) == log' = own \\o <<[by |-> p, why |-> "end"]>> /\\ own' = <<>>
        Next == \\E p \\in Procs : (Len(own) < 2 /\\ Add(p)) \\/ Note(p)
        Short == Len(log) <= 3
        """
    path = write(tmp_path, Logs=body)
    path.with_suffix(".cfg").write_text(
        "INIT Init\nNEXT Next\nINVARIANT Short\nCONSTANT Procs = {p1, p2, p3}\n"
    )
    path = with_strings(path) if strings else path
    model = model_of(find(str(path)), {})
    assert sorts_of(model) == {"Procs"}
    found = explore(Semantics(model), list(model.properties))
    assert found.complete and not found.steps_out_of_bounds
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))


def test_a_symmetry_without_sorts_names_the_members_that_the_model_tells_apart(tmp_path: Path) -> None:
    body = """
        EXTENDS TLC
        CONSTANT Procs
        VARIABLE on
        Init == on = {}
        Next == \\E p \\in Procs : on' = on \\cup {p}
        Perms == Permutations(Procs)
        """
    config = "INIT Init NEXT Next SYMMETRY Perms CONSTANT Procs = {P_one, P_two}\n"
    origin = TlaOrigin(specification(tmp_path, body, config), {})
    with pytest.raises(Unsupported) as found:
        origin.taking_for_one(origin.model(), viewed=True)
    assert found.value.why == "SYMMETRY: the solvers' model tells P_one and P_two apart"


@pytest.mark.slow
@pytest.mark.parametrize("strings", [False, True])
def test_a_bag_and_a_function_that_grows_treat_values_alike(
    strings: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value of a function with a new domain is found without a search, which would be a choice."""
    monkeypatch.setattr(learning, "SMALL", 1)
    monkeypatch.setattr(learning, "WORTH", 1)
    path = write(tmp_path, Bag=BAG)
    path.with_suffix(".cfg").write_text(
        "INIT Init NEXT Next INVARIANT Alone CHECK_DEADLOCK FALSE\n"
        "CONSTANTS Procs = {p1, p2, p3} Ask = Ask Answer = Answer\n"
    )
    path = with_strings(path) if strings else path
    model = model_of(find(str(path)), {})
    assert sorts_of(model) == {"Procs"}
    assert_closed(model, sorts_alike(model, list(model.properties.values()), truth_alone=True), 3)
    found = explore(Semantics(model), list(model.properties))
    assert found.complete and not found.steps_out_of_bounds
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))


@pytest.mark.parametrize("strings", [False, True])
def test_verdicts_with_sorts(strings: bool, tmp_path: Path) -> None:
    path = with_strings(module(tmp_path)) if strings else module(tmp_path)
    assert asked(path, "TypeOK", PdrOptions()).verdict is Verdict.PROVED
    shortest = BmcOptions(depth=6, unroll="sweeps", shortest=True)
    for options in (PdrOptions(), BmcOptions(depth=6), shortest):
        found = asked(path, "Unseen", options)
        assert found.verdict is Verdict.VIOLATED
        assert isinstance(options, PdrOptions) or found.steps == 4


def test_a_guard_about_all_is_a_quantifier(tmp_path: Path) -> None:
    """It assigns nothing, whatever the names in it stand for; one of them stands in its own definition."""
    path = write(tmp_path, Sums=SUMS)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\nCONSTANT P = {p1, p2, p3}\n")
    model = model_of(find(str(path)), {})
    ((pick,),) = (action.picks for action in model.actions)
    assert isinstance(pick.type, Sort)
    assert (found := asked(path, "Low", BmcOptions(depth=4))).verdict is Verdict.VIOLATED and found.steps == 2


FUNCTIONS = """
CONSTANT P
VARIABLES owned, met, boxes
Init == /\\ owned \\in [P -> SUBSET {1, 3}]
        /\\ met \\in [P -> [P -> BOOLEAN]]
        /\\ boxes \\in [P -> [of : {{}}, at : {2, 4}]]
Next == \\E p, q \\in P : /\\ met[p][q] /\\ owned' = [owned EXCEPT ![q] = @ \\cup owned[p]]
                       /\\ boxes' = [boxes EXCEPT ![q].of = owned[p]] /\\ UNCHANGED met
Few == \\A p \\in P : boxes[p].of # {1, 3}
"""


def test_initial_functions_to_sets_of_sets_treat_members_alike(tmp_path: Path) -> None:
    """A function is picked as a whole: its values, one by one, would name members."""
    path = write(tmp_path, Owned=FUNCTIONS)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Few CONSTANT P = {p1, p2}\n")
    model = model_of(find(str(path)), {})
    assert sorts_of(model) == {"P"} and len(model.init.picks) == 3
    found = explore(Semantics(model), list(model.properties))
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))
    assert asked(path, "Few", PdrOptions()).verdict is Verdict.VIOLATED


SPARSE = """
EXTENDS Integers
CONSTANT P
VARIABLES held, sums, limits
Init == /\\ held \\in [P -> SUBSET {1, 1000}]
        /\\ sums \\in [P -> [of : {-5, 300}, at : SUBSET {2, 4}]]
        /\\ limits \\in SUBSET {7, 70000}
Next == \\E p \\in P : held' = [held EXCEPT ![p] = @ \\cup {sums[p].of}] /\\ UNCHANGED <<sums, limits>>
Low == \\A p \\in P : held[p] # {-5, 1, 1000}
Apart == \\A p \\in P : held[p] \\cap limits = {}
"""


def test_initial_sets_of_numbers_far_apart_are_picked_among_their_subsets(tmp_path: Path) -> None:
    """The numbers between would be thousands of literals."""
    path = write(tmp_path, Sparse=SPARSE)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANTS Low Apart CONSTANT P = {p1, p2}\n")
    model = model_of(find(str(path)), {})
    assert sorts_of(model) == {"P"}
    assert sorted(pick.type.cardinality for pick in model.init.picks) == [2**2, 4**2, (2 * 2**3) ** 2]
    found = explore(Semantics(model), list(model.properties))
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))
    assert (low := asked(path, "Low", PdrOptions())).verdict is Verdict.VIOLATED and low.steps == 1
    assert asked(path, "Apart", PdrOptions()).verdict is Verdict.PROVED


def test_messages_to_all_others_tell_no_members_apart(tmp_path: Path) -> None:
    path = write(tmp_path, Requests=REQUESTS)
    path.with_suffix(".cfg").write_text("CONSTANT Procs = {p1, p2, p3, p4}\nINIT Init\nNEXT Next\n")
    assert sorts_of(model_of(find(str(path)), {})) == {"Procs"}
