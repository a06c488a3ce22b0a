"""TLA+ modules as models: the same states as the interpreter's, and types that widen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from leadline.symbolic.catalog import find, model_of, model_on_values
from leadline.symbolic.cli import main
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.concrete.writer import Module
from leadline.symbolic.encode import Encoding
from leadline.symbolic.engines import BmcOptions, Options, Verdict
from leadline.symbolic.engines.explore.explore import VALUES, ExploreOptions
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import Int, Map, NoSymbolicForm, Type, nodes as n, span
from leadline.symbolic.tla import origin
from leadline.symbolic.tla.learning import Learner
from leadline.symbolic.tla.lower import builder, shapes
from leadline.symbolic.tla.lower.expressions import _RULES, Lowering
from leadline.symbolic.tla.lower.scope import Entity
from leadline.symbolic.tla.lower.terms import Terms
from leadline.symbolic.tla.origin import TlaOrigin
from leadline.symbolic.tla.outline import formed
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.typing import type_of
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.trace import Step, Trace, TraceEnd
from tests.exploring import explore
from tests.tla.loading import specification, write
from tests.tla.lowered import asked, counts
from tests.tla.modules import ALL

VERDICTS = {
    "NotAllServed": (Verdict.VIOLATED, 6),
    "TypeOK": (Verdict.PROVED, None),
    "Few": (Verdict.PROVED, None),
    "Logged": (Verdict.VIOLATED, 1),
    "Subsets": (Verdict.PROVED, None),
    "Low": (Verdict.VIOLATED, 9),
    "TypesKnown": (Verdict.PROVED, None),
    "Sums": (Verdict.VIOLATED, 2),
    "Seen": (Verdict.VIOLATED, 4),
    "Light": (Verdict.VIOLATED, 4),
    "Fits": (Verdict.PROVED, None),
}


def written(name: str, folder: Path) -> Path:
    module, config = ALL[name]
    (folder / f"{name}.cfg").write_text(config)
    path = folder / f"{name}.tla"
    path.write_text(module)
    return path


@pytest.mark.parametrize("name", ALL)
def test_the_model_has_the_states_of_the_module(name: str, tmp_path: Path) -> None:
    path = written(name, tmp_path)
    model = model_of(find(str(path)), {})
    found = explore(Semantics(model), list(model.properties))
    assert found.complete and not found.steps_out_of_bounds
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))
    for claim, checked in found.properties.items():
        verdict, steps = VERDICTS[claim]
        assert (checked.violation is not None) == (verdict is Verdict.VIOLATED)
        assert checked.violation is None or len(checked.violation) - 1 == steps


@pytest.mark.parametrize("claim", VERDICTS)
def test_engines_agree(claim: str, tmp_path: Path) -> None:
    (name,) = (name for name, (module, _) in ALL.items() if f"\n{claim} ==" in module)
    path = written(name, tmp_path)
    verdict, steps = VERDICTS[claim]
    _, stepwise = asked(path, claim, BmcOptions(depth=steps or 5))
    assert stepwise.verdict is (Verdict.SAFE if verdict is Verdict.PROVED else verdict)
    assert stepwise.steps == steps
    _, proof = asked(path, claim, PdrOptions())
    assert proof.verdict is verdict


@pytest.mark.parametrize("options", [BmcOptions(depth=9), BmcOptions(depth=9, unroll="sweeps"), PdrOptions()])
def test_types_widen_until_no_run_leaves_them(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter hardly runs ahead: the types hold the first states, and each answer widens them."""
    monkeypatch.setattr(origin, "AHEAD", -1.0)
    monkeypatch.setattr(origin, "AFTERWARDS", 0.0)
    path = written("Climb", tmp_path)
    narrow = model_of(find(str(path)), {})
    assert narrow.variable("height").type.cardinality < 4
    model, result = asked(path, "Low", options)
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 9)
    assert model.variable("height").type.cardinality == 10


def test_a_run_that_the_module_refutes_does_not_replay(tmp_path: Path) -> None:
    model = model_of(find(str(written("Climb", tmp_path))), {})
    assert model.origin is not None
    first = next(iter(Semantics(model).initial())).state
    assert first is not None
    run = Trace({}, first, (), TraceEnd.STOPS)
    assert model.origin.disagreement(model, run) is None
    low = replace(run, ends=TraceEnd.VIOLATES, property="Low")
    assert model.origin.disagreement(model, low) == "in the module, the end, after step 0: Low holds"
    wrong = model.origin.disagreement(model, replace(run, steps=(Step(model.actions[0].name, {}, first),)))
    assert wrong is not None and "step 1" in wrong and "the module has no step to that state" in wrong


def test_symmetry_that_is_not_relied_on_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written("Votes", tmp_path)
    config = path.with_suffix(".cfg")
    text = path.read_text().replace("====", "Swaps == Permutations(Voters)\n====")
    path.write_text(text)
    config.write_text(config.read_text() + "SYMMETRY Swaps\n")
    assert main(["check", str(path), "--engine", "bmc", "--depth", "4"]) == 12
    assert "SYMMETRY: only exploration relies on it" in capsys.readouterr().err


FIXED = """
---- MODULE Fixed ----
EXTENDS Naturals
VARIABLES x, seen, late
Init == x = 0 /\\ seen = {} /\\ late = FALSE
Next == \\E k \\in 0..5, s \\in SUBSET (0..1), m \\in 1..5 :
          /\\ k = x
          /\\ s = {k % 2}
          /\\ m = k + 1
          /\\ x' = m
          /\\ seen' = seen \\cup s
          /\\ late' = \\E i \\in 0..5 : i = x /\\ i > 3
InTime == ~late
====
"""


def test_what_an_equation_fixes_is_not_chosen(tmp_path: Path) -> None:
    """The last value is outside of its set, so that there is no step: no choice is left, nor a state more."""
    path = tmp_path / "Fixed.tla"
    path.write_text(FIXED)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT InTime\nCHECK_DEADLOCK FALSE\n")
    model = model_of(find(str(path)), {})
    assert not any(action.picks for action in model.actions)
    assert not any(isinstance(x, n.Exists) for one in model.actions for x in n.postorder(*one.roots))
    found = explore(Semantics(model), list(model.properties))
    assert (
        list(found.states_within_steps)
        == [1, 2, 3, 4, 5, 6]
        == counts(Learner(Interpreter(Source(path).load({}))))
    )
    _, result = asked(path, "InTime", BmcOptions(depth=6))
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 5)


GIVEN = r"""---- MODULE Given ----
EXTENDS Naturals
VARIABLES x, past, wait
With(A) == A /\ past' = x
Unless(A) == IF wait = 0 THEN A /\ wait' = x' % 2 ELSE wait' = 0 /\ UNCHANGED <<x, past>>
Up == x < 4 /\ x' = x + 1
Down == x > 1 /\ x' = x - 2
Init == x = 0 /\ past = 0 /\ wait = 0
Next == Unless(With(Up)) \/ Unless(With(Down))
Near == past < 4
====
"""


def test_actions_are_given_as_arguments(tmp_path: Path) -> None:
    path = tmp_path / "Given.tla"
    path.write_text(GIVEN)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Near\nCHECK_DEADLOCK FALSE\n")
    model = model_of(find(str(path)), {})
    found = explore(Semantics(model), list(model.properties))
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))
    _, result = asked(path, "Near", BmcOptions(depth=8))
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 7)


CALLED = r"""
EXTENDS Naturals
VARIABLE x
Init == x = 0
Up == (x < 2 /\ x' = x + 1) \/ (x = 2 /\ x' = 5)
Up_2(n) == x = 5 /\ x' = x + n
init(n) == x = 7 /\ x' = n
Next == Up \/ (\E n \in 1..2 : Up_2(n)) \/ (\E n \in 8..9 : init(n))
Low == x < 9
"""


def test_each_action_has_a_name_of_its_own(tmp_path: Path) -> None:
    """The second part of Up is called Up_2, as another action is, and `init` is how runs begin."""
    path = write(tmp_path, Called=CALLED)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n")
    model, result = asked(path, "Low", BmcOptions(depth=6))
    assert (result.verdict, result.steps) == (Verdict.VIOLATED, 5)
    assert sorted(one.tla for one in model.actions) == ["Up", "Up", "Up_2", "init"]
    assert len({"init", *(one.name for one in model.actions)}) == 5


def test_an_equation_without_a_value_fixes_nothing_where_it_might_not_be_reached(tmp_path: Path) -> None:
    """Behind a choice from a set that may be empty, `f[x]` is asked for only where the set is not."""
    path = tmp_path / "Empty.tla"
    path.write_text(
        "---- MODULE Empty ----\nEXTENDS Naturals\nVARIABLES x, some\n"
        "f == [i \\in 0..2 |-> i + 1]\n"
        "Init == x = 0 /\\ some = {1}\n"
        "Next == \\E k \\in some : k = f[x] /\\ x' = k /\\ some' = IF k < 3 THEN {k + 1} ELSE {}\n"
        "Low == x < 4\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Low\nCHECK_DEADLOCK FALSE\n")
    model = model_of(find(str(path)), {})
    assert [len(action.picks) for action in model.actions] == [1]
    found = explore(Semantics(model), ["Low"])
    assert found.complete and not found.steps_out_of_bounds
    assert list(found.states_within_steps) == [1, 2, 3, 4]


@pytest.mark.parametrize("claim", ["Low", "Returns"])
def test_fairness_of_a_step_with_a_branch_that_gives_a_variable_no_value(claim: str, tmp_path: Path) -> None:
    """The branch is never taken: TLC, too, would tell an error there."""
    body = r"""
    EXTENDS Naturals, TLC
    VARIABLES x, y, f
    Init == x = 0 /\ y = 0 /\ f = <<>>
    Step == /\ x' = (x + 1) % 3 /\ CASE x * y # 3 -> y' = x [] OTHER -> x' = 9
            /\ f' = IF x * y # 3 THEN f ELSE (2 :> [of |-> CHOOSE z \in {} : TRUE]) @@ f
    Spec == Init /\ [][Step]_<<x, y, f>> /\ WF_<<x, y, f>>(Step)
    Low == x < 3
    Returns == []<>(y = 2)
    """
    path = write(tmp_path, Forgetful=body)
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec INVARIANT Low PROPERTY Returns")
    assert asked(path, claim, PdrOptions())[1].verdict is Verdict.PROVED


@pytest.mark.parametrize(("most", "steps"), [(1, None), (2, 2)])
def test_a_function_whose_values_are_errors_has_none_of_no_element(
    most: int, steps: int | None, tmp_path: Path
) -> None:
    """TLC's verdicts: the function of the empty set is a value, the other is not."""
    body = r"""
    EXTENDS Naturals
    CONSTANT Items
    VARIABLES log, n
    Init == log = <<>> /\ n = 0
    Over(S) == [x \in S |-> CHOOSE y \in {} : TRUE]
    ForNone == n = 0 /\ log' = Over({i \in Items : n > 5}) /\ n' = 1
    ForSome == n = 1 /\ n < {most} /\ \E i \in Items : log' = Over(DOMAIN log \cup {i}) /\ n' = 2
    Next == ForNone \/ ForSome
    Low == n < 9
    """
    path = write(tmp_path, Errs=body.replace("{most}", str(most)))
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Low CONSTANT Items = {a, b}")
    _, result = asked(path, "Low", PdrOptions())
    assert result.steps == steps
    assert result.verdict is (Verdict.PROVED if steps is None else Verdict.OUT_OF_BOUNDS)


def test_without_a_claim_the_question_is_whether_a_step_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "Plain.tla"
    text = "---- MODULE Plain ----\nEXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n"
    text += "Next == x' = (x + 1) % 4 {}\n====\n"
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    path.write_text(text.format(""))
    assert main(["check", str(path), "--engine", "pdr"]) == 0
    assert "no-error  proved" in capsys.readouterr().out
    path.write_text(text.format('/\\ Assert(x < 3, "three")'))
    assert main(["check", str(path), "--engine", "pdr"]) == 21


def test_check_evaluates_the_assumptions_of_a_module_without_behaviour(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "Puzzle.tla"
    path.write_text("---- MODULE Puzzle ----\nEXTENDS Naturals\nASSUME 2 + 2 = 4\n====\n")
    assert main(["check", str(path)]) == 0
    assert "1 assumption evaluated and true" in capsys.readouterr().out
    path.write_text(path.read_text().replace("= 4", "= 5"))
    assert main(["check", str(path)]) == 10


LENGTHS = """
---- MODULE Lengths ----
EXTENDS Naturals
VARIABLES n, word
Init == n = 0 /\\ word \\in [1..n -> {0, 1}]
Grow == n < 2 /\\ n' = n + 1 /\\ \\E w \\in [1..(n + 1) -> {0, 1}] : word' = w
Shrink == n = 2 /\\ n' = 0 /\\ word' = <<>>
Next == Grow \\/ Shrink
Kept == word \\in [1..n -> {0, 1}] /\\ word \\notin [1..(n + 1) -> {0, 1}]
Some == \\E w \\in [1..n -> {0, 1}] : w = word
NoOnes == \\A w \\in [1..n -> {1}] : w # word \\/ n < 2
====
"""


def test_functions_of_an_interval_that_the_state_ends(tmp_path: Path) -> None:
    path = tmp_path / "Lengths.tla"
    path.write_text(LENGTHS)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Kept Some NoOnes\n")
    model = model_of(find(str(path)), {})
    found = explore(Semantics(model), list(model.properties))
    assert found.complete and not found.steps_out_of_bounds
    learner = Learner(Interpreter(Source(path).load({})))
    assert list(found.states_within_steps) == counts(learner) == [1, 3, 7]
    for claim, verdict in (
        ("Kept", Verdict.PROVED),
        ("Some", Verdict.PROVED),
        ("NoOnes", Verdict.VIOLATED),
    ):
        _, result = asked(path, claim, PdrOptions())
        assert (result.verdict, result.steps) == (verdict, None if verdict is Verdict.PROVED else 2)


def test_a_recursive_function_has_values_in_its_domain_only(tmp_path: Path) -> None:
    path = tmp_path / "Thirds.tla"
    path.write_text(
        "---- MODULE Thirds ----\nEXTENDS Integers\nVARIABLE x\n"
        "third[n \\in 0..4] == IF n < 2 THEN 0 ELSE 1 + third[n - 3]\n"
        "Init == x = 4\nNext == x' = x - 1 /\\ x > 1\nFew == third[x] < 3\n====\n"
    )
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Few\nCHECK_DEADLOCK FALSE\n")
    _, result = asked(path, "Few", PdrOptions())
    assert (result.verdict, result.steps) == (Verdict.OUT_OF_BOUNDS, 2)


def test_a_type_that_is_too_large_is_told_with_the_module(tmp_path: Path) -> None:
    keys = "{<<{i}, 1..20>> : i \\in 1..700}"
    body = f"EXTENDS Naturals\nVARIABLE x\nInit == x = [s \\in {keys} |-> 1]\nNext == UNCHANGED x"
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(NoSymbolicForm, match=r"M\.tla:1:1: a set of over 16 elements is put into slots"):
        model_of(find(str(path)), {})


@pytest.mark.parametrize("others", [True, False])
def test_a_claim_without_symbolic_form_is_told_beside_others(tmp_path: Path, others: bool) -> None:
    body = "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext == UNCHANGED x\nLow == x < 2\n"
    path = write(tmp_path, M=body + "Odd == TLCGet(1) < x")
    path.with_suffix(".cfg").write_text(f"INIT Init\nNEXT Next\nINVARIANTS {'Low' * others} Odd\n")
    with pytest.raises(NoSymbolicForm, match=r"M\.tla:7:8: TLCGet has no symbolic form") as found:
        model_of(find(str(path)), {})
    assert ("Odd needs it: ask about other properties with --property" in str(found.value)) is others


def test_places_are_those_of_the_module(tmp_path: Path) -> None:
    """No node has a line of Leadline's own for its place: a message about it would show that.

    Constants are left out, and variables have names of their own: equal nodes of other tests are the same nodes.
    """
    body = r"""
    EXTENDS Integers, FiniteSets, Sequences
    VARIABLES number, chosen, counts, items
    Init == number = 0 /\ chosen = {} /\ counts = [i \in 1..3 |-> 0] /\ items = <<>>
    A == /\ number < 3 /\ number' = number + 1 /\ UNCHANGED <<counts, items>>
         /\ chosen' = {i \in 1..3 : i <= number \/ \E j \in chosen : j > i}
    B == \E i \in 1..3 : /\ counts' = [counts EXCEPT ![i] = (@ + 1) % 3] /\ UNCHANGED <<number, chosen>>
                         /\ items' = (IF Len(items) < 2 THEN Append(items, i) ELSE items)
    Next == A \/ B
    Low == \A i \in chosen : ~(i > 3 /\ counts[i] = 2)
    Some == \E j \in SUBSET chosen : j = {}
    All == \A k \in 1..Len(items) : items[k] \in 1..3
    """
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS Low Some All\n")
    model = model_of(find(str(path)), {})
    nodes = nodes_in((model.init, model.actions, model.properties))
    found = [node.span.file for node in nodes if not isinstance(node, n.Const)]
    own = Path(span.__file__).resolve().parent.parent
    assert len(found) > 50 and not [file for file in found if Path(file).resolve().is_relative_to(own)]


def nodes_in(one: object) -> Iterator[n.Node]:
    """The nodes below an object, each once."""
    seen, waiting = set[int](), [one]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, n.Node):
            yield one
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, tuple | list):
            waiting += one
        elif is_dataclass(one):
            waiting += [getattr(one, part.name) for part in fields(one)]


def test_a_value_that_paths_share_is_converted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
        EXTENDS Naturals
        VARIABLES sent, x
        Init == sent = {} /\\ x = 0
        Send(k) == x' = k /\\ sent' = sent \\cup {[kind |-> "a", n |-> x], [kind |-> "b"]}
        Next == x < 2 /\\ (Send(x + 1) \\/ Send(x + 1) \\/ Send(x + 1))
        """
    made: list[tuple[object, object]] = []
    convert = Terms._convert

    def counted(self: Terms, node: n.Node, target: Type) -> n.Node:
        made.append((node, target))
        return convert(self, node, target)

    monkeypatch.setattr(Terms, "_convert", counted)
    TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {}).model()
    assert made and len(set(made)) == len(made)


NETWORK = r"""
EXTENDS Naturals, Bags
CONSTANTS Nodes
VARIABLES network, count
Kinds == [kind : {"ask", "yes"}, from : Nodes, to : Nodes, n : 0..2]
Message(k, i, j) == [kind |-> k, from |-> i, to |-> j, n |-> count]
Init == network = [i \in Nodes |-> [queue |-> EmptyBag, open |-> TRUE]] /\ count = 0
Put(i, m) == network' = [network EXCEPT ![i] = [queue |-> @.queue (+) SetToBag({m}), open |-> @.open]]
Send(i, j) == count < 2 /\ count' = count + 1 /\ Put(j, Message("ask", i, j))
Take(i) == \E m \in BagToSet(network[i].queue) :
    network' = [network EXCEPT ![i].queue = @ (-) SetToBag({m}), ![i].open = ~@] /\ UNCHANGED count
Next == \E i \in Nodes : Take(i) \/ \E j \in Nodes : Send(i, j)
Open == \A i \in Nodes : network[i].open
"""


def test_an_update_converts_the_value_that_it_changes_and_no_other(tmp_path: Path) -> None:
    config = "CONSTANT Nodes = {1, 2, 4}\nINIT Init\nNEXT Next\n"
    one = TlaOrigin(specification(tmp_path, NETWORK, config), {})
    model = one.model()
    kind = one.types["network"]
    updated = [value for action in model.actions for name, value in action.updates if name == "network"]
    nodes = [x for value in updated for x in n.postorder(value) if x.type == kind]
    maps = {x.map for x in nodes if isinstance(x, n.MapUpdate)}
    assert len(updated) == 2 and any(isinstance(x, n.StateVar) for x in maps)
    assert not any(isinstance(x, n.MapBuild) for x in nodes)
    found = explore(Semantics(model), [])
    assert found.complete and list(found.states_within_steps) == counts(one.learner)


RING = r"""
EXTENDS Naturals, Bags, BagsExt
VARIABLES net, sent
Token == [kind |-> "token", hops |-> 0]
Init == net = [i \in 0..2 |-> IF i = 0 THEN SetToBag({Token}) ELSE EmptyBag] /\ sent = 0
Pass(i) == \E m \in DOMAIN net[i] : /\ m.kind = "token" /\ UNCHANGED sent
    /\ net' = [net EXCEPT ![i] = BagRemove(@, m), ![(i + 1) % 3] = BagAdd(@, [m EXCEPT !.hops = (@ + 1) % 3])]
Send(i) == sent < 2 /\ sent' = sent + 1 /\ net' = [net EXCEPT ![i] = BagAdd(@, [kind |-> "load"])]
Next == \E i \in 0..2 : Pass(i) \/ Send(i)
"""


def test_bags_that_differ_at_first_are_messages(tmp_path: Path) -> None:
    """There was no symbolic form: a bag at its beginning is a function with few arguments."""
    one = TlaOrigin(specification(tmp_path, RING, "INIT Init\nNEXT Next\n"), {})
    found = explore(Semantics(one.model()), [])
    assert found.complete and list(found.states_within_steps) == counts(one.learner)


PENDING = r"""
EXTENDS Naturals, Bags, BagsExt
VARIABLES pending, sent, n, low
Init == pending = EmptyBag /\ sent = EmptyBag /\ n = 0 /\ low = 0
Of(i) == FoldBag(LAMBDA all, m : IF m.from = i THEN BagAdd(all, m) ELSE all, EmptyBag, pending)
Put(i) == /\ n < 4 /\ n' = n + 1 /\ UNCHANGED sent
          /\ \E v \in 1..2 : pending' = pending (+) SetToBag({[from |-> i, value |-> v]})
          /\ LET F(all, m) == IF m.value <= n THEN BagAdd(all, m) ELSE all
             IN  low' = BagCardinality(FoldBag(F, EmptyBag, pending)')
Flush(i) == Of(i) # EmptyBag /\ sent' = sent (+) Of(i) /\ pending' = pending (-) Of(i) /\ UNCHANGED <<n, low>>
Next == \E i \in 1..2 : Put(i) \/ Flush(i)
Own == \A i \in 1..2 : \A m \in DOMAIN Of(i) : m.from = i /\ Of(i)[m] = pending[m]
"""


def test_the_messages_of_a_bag_that_pass_a_test_are_no_fold(tmp_path: Path) -> None:
    """`FoldBag` with `BagAdd` keeps a part of a bag, as etcd's Raft does: no message is chosen after the other."""
    config = "INIT Init\nNEXT Next\nINVARIANT Own\nCHECK_DEADLOCK FALSE\n"
    one = TlaOrigin(specification(tmp_path, PENDING, config), {})
    model = one.model()
    assert len(n.postorder(*(root for action in model.actions for root in action.roots))) < 300
    found = explore(Semantics(model), ["Own"])
    assert list(found.states_within_steps) == counts(one.learner)
    assert found.complete and found.properties["Own"].violation is None


CHOSEN = r"""---- MODULE Chosen ----
EXTENDS Naturals, FiniteSets
CONSTANT S
Two == CHOOSE f \in [S -> SUBSET S] : \A s \in S : Cardinality(f[s]) = 2
Partly == CHOOSE i \in 1..20 : <<4, 7, 12>>[i] = 12
Path(a, b) == \E p \in [1..7 -> S] : p[1] = a /\ p[7] = b /\ \A i \in 1..6 : p[i + 1] \in Two[p[i]]
VARIABLE x
Init == x \in S
Next == x' \in Two[x]
Free == \A s \in S : Two[s] # {} /\ Partly = 3 /\ \E t \in S : Path(s, t)
====
"""


def test_constants_that_are_chosen_among_many_values_are_found_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "Chosen.tla"
    path.write_text(CHOSEN)
    config = "INIT Init\nNEXT Next\nINVARIANT Free\nCHECK_DEADLOCK FALSE\nCONSTANT S = {a, b, c, d}\n"
    path.with_suffix(".cfg").write_text(config)
    compiled: list[n.Node] = []

    def counted(node: n.Node, *more: Any) -> Any:
        compiled.append(node)
        return function_of(node, *more)

    monkeypatch.setattr(builder, "function_of", counted)
    quantified = Mock(side_effect=_RULES[s.Quantified])
    monkeypatch.setitem(_RULES, s.Quantified, quantified)
    model = model_of(find(str(path)), {})
    assert len(compiled) < 300 and quantified.call_count < 600, (
        "there are 65,536 functions, and 16,384 sequences"
    )
    found = explore(Semantics(model), list(model.properties))
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))
    assert found.complete and found.properties["Free"].violation is None


def test_constant_functions_are_compared_with_others(tmp_path: Path) -> None:
    """Of two quantifiers over the same functions the inner one is about two constants."""
    body = r"""
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x
Several == ~\E f \in [1..9 -> 0..1] : \A g \in [1..9 -> 0..1] : g = f"""
    model = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Several\n"), {}).model()
    assert explore(Semantics(model), ["Several"]).properties["Several"].violation is None


def noted(monkeypatch: pytest.MonkeyPatch, method: str) -> list[str]:
    """The names of the definitions for which a method of `Lowering` is called, in turn."""
    names: list[str] = []
    own: Callable[..., Entity] = getattr(Lowering, method)

    def called(self: Lowering, definition: s.Definition, *more: Any) -> Entity:
        names.append(definition.name)
        return own(self, definition, *more)

    monkeypatch.setattr(Lowering, method, called)
    return names


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The definitions that expressions use, in turn."""
    return noted(monkeypatch, "inlined")


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The definitions whose bodies are lowered, in turn."""
    return noted(monkeypatch, "_within")


def test_a_recursion_that_takes_elements_out_of_a_set_ends_where_it_must_be_empty(
    tmp_path: Path, entered: list[str]
) -> None:
    body = """
        EXTENDS Integers
        VARIABLES on, x
        RECURSIVE Sum(_)
        Sum(S) == IF S = {} THEN 0 ELSE LET m == CHOOSE m \\in S : TRUE IN m.n + Sum(S \\ {m})
        RECURSIVE Size(_)
        Size(S) == IF S # {} THEN 1 + Size(S \\ {CHOOSE m \\in S : TRUE}) ELSE 0
        Given == {[to |-> a, n |-> x + a] : a \\in on}
        Init == on = {} /\\ x = 0
        Next == on' \\in SUBSET {1, 2, 3} /\\ Size(Given) <= 3 /\\ x' = Sum(Given) % 5
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    found = explore(Semantics(origin.model()))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    # Once for each size that the set may have.
    assert entered.count("Sum") == entered.count("Size") == 4


def test_a_recursion_that_takes_arguments_out_of_a_function_ends_where_none_is_left(
    tmp_path: Path, entered: list[str]
) -> None:
    body = """
        EXTENDS Integers
        CONSTANT N
        VARIABLES on, x
        RECURSIVE Sum(_)
        Sum(f) == IF DOMAIN f = {} THEN 0
                  ELSE LET m == CHOOSE n \\in DOMAIN f : TRUE IN f[m] + Sum([n \\in DOMAIN f \\ {m} |-> f[n]])
        Init == on = {} /\\ x = 0
        Next == on' \\in SUBSET N /\\ x' = Sum([n \\in on |-> x + 1]) % 5
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\nCONSTANT N = {a, b, c}\n"), {})
    found = explore(Semantics(origin.model()))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    assert entered.count("Sum") == 4, "a choice does not need another lowering"


def test_a_recursion_that_has_no_end_in_many_ways_has_no_form(tmp_path: Path) -> None:
    """The search of an order of events is one; other claims do not wait for it."""
    body = """
        EXTENDS Integers
        VARIABLES done, x
        RECURSIVE Explain(_, _)
        Explain(left, v) ==
          \\/ left = {}
          \\/ \\E e \\in left : IF e > v THEN Explain(left \\ {e}, e) ELSE Explain(left \\ {e}, v)
        Init == done = {} /\\ x = 0
        Next == \\E k \\in 1..9 : done' = done \\cup {k} /\\ x' = k
        Explained == Explain(done, 0)
        Low == x < 9
        """
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANTS Explained Low")
    made, lacking = formed(model_on_values(find(str(path)), {}), ["Explained", "Low"], level=True)
    assert [*made.properties] == ["Low"]
    assert "Explain calls itself more than 24 times, in over 64 ways" in lacking["Explained"]


def test_a_fold_goes_through_a_set_in_order(tmp_path: Path) -> None:
    """Through the values that it may have, or, where these are many and make a sequence, through its elements."""
    body = """
        EXTENDS Integers, Sequences, FiniteSetsExt
        VARIABLES on, x, q
        Init == on = {} /\\ x = 0 /\\ q = <<>>
        Next == /\\ on' \\in SUBSET {1, 2, 3}
                /\\ x' = FoldSet(LAMBDA i, sum : (2 * sum + i) % 7, 1, on)
                /\\ q' = FoldSet(LAMBDA i, s : Append(s, i), <<>>, {40 * i : i \\in on})
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    found = explore(Semantics(origin.model()))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds


def test_a_fold_takes_as_many_elements_as_a_set_may_have(tmp_path: Path) -> None:
    """A message has 48 values here, and two are sent at once: sending is encoded twice."""
    body = """
        EXTENDS Naturals, FiniteSetsExt, TLC
        VARIABLES sent, term
        Send(m, bag) == IF m \\in DOMAIN bag THEN [bag EXCEPT ![m] = @ + 1] ELSE bag @@ (m :> 1)
        Init == sent = <<>> /\\ term \\in 0..3
        Next == \\E from \\in 1..2 :
            /\\ term < 5 /\\ term' = term + 1
            /\\ sent' = FoldSet(Send, sent, {[from |-> from, term |-> term, to |-> j] : j \\in {3, 4}})
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"), {})
    origin.learner.run_ahead(origin.learner.some_initial()[0], 1)
    model = origin.model()
    assert list(explore(Semantics(model)).states_within_steps) == counts(origin.learner)
    assert sum(len(n.postorder(*action.roots)) for action in model.actions) < 200


ROWS = """
    EXTENDS Integers, FiniteSets, FiniteSetsExt
    VARIABLES rows, x
    Init == rows = {} /\\ x = 0
    Next == /\\ \\E n \\in 1..2 : rows' = rows \\cup {{n, n + 4, n + 8}}
            /\\ x' = FoldSet(LAMBDA row, sum : @, 0, rows)
    """


@pytest.mark.parametrize("sum_", ["Cardinality(row) + sum", "IF 1 \\in row THEN sum + 1 ELSE sum"])
def test_a_sum_over_sets_needs_no_order(tmp_path: Path, sum_: str) -> None:
    origin = TlaOrigin(specification(tmp_path, ROWS.replace("@", sum_), "INIT Init\nNEXT Next\n"), {})
    assert origin.model().variable("x").type.cardinality > 1


def test_sets_are_folded_in_order_however_many_there_may_be(tmp_path: Path) -> None:
    """TLC takes a smaller set first."""
    body = ROWS.replace("@", "(Cardinality(row) + 2 * sum) % 7")
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    assert list(explore(Semantics(origin.model())).states_within_steps) == counts(origin.learner)


def test_events_with_many_values_are_selected_place_by_place(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers, Sequences
        VARIABLES events, last
        Init == events = <<>> /\\ last = <<>>
        Puts == SelectSeq(events, LAMBDA e : e.op = "put" /\\ 3 \\notin e.of)
        Next == /\\ Len(events) < 2
                /\\ \\E S \\in {{1, 20}, {3}, {}} : \\/ events' = Append(events, [op |-> "put", of |-> S])
                                              \\/ events' = Append(events, [op |-> "get", to |-> S])
                /\\ last' = Puts
        Counted == Len(Puts) <= Len(events) /\\ \\A i \\in DOMAIN Puts : Puts[i].of \\subseteq {1, 20}
        """
    config = "INIT Init\nNEXT Next\nINVARIANT Counted\nCHECK_DEADLOCK FALSE\n"
    origin = TlaOrigin(specification(tmp_path, body, config), {})
    found = explore(Semantics(origin.model()), ["Counted"])
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    assert found.properties["Counted"].violation is None
    (path := tmp_path / "M.cfg").write_text(config)
    _, result = asked(path.with_suffix(".tla"), "Counted", BmcOptions(depth=2))
    assert result.verdict is Verdict.SAFE


def test_the_empty_function_has_one_form_among_sequences_and_maps(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers, Sequences, TLC
        VARIABLES f, n
        Init == f = <<>> /\\ n = 0
        Next == /\\ n < 5 /\\ n' = n + 1
                /\\ f' = CASE n = 0 -> "a" :> 1 [] n = 1 -> <<1, 2>> [] n = 2 -> [x \\in {} |-> 1]
                       [] n = 3 -> [x \\in {y \\in {"a", "b"} : Len(f) = 0} |-> 2]
                       [] n = 4 -> [x \\in {y \\in {"a", "b"} : n < 4} |-> 3]
        Empty == n \\in {0, 3, 5} <=> f = <<>>
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\nINVARIANT Empty\n"), {})
    found = explore(Semantics(origin.model()), ["Empty"])
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    assert found.properties["Empty"].violation is found.properties["Empty"].out_of_bounds is None


def test_functions_of_one_string_or_of_a_model_value_are_of_one_type(tmp_path: Path) -> None:
    """TLC finds 11 states within 2 steps."""
    body = """
        EXTENDS Integers, TLC
        CONSTANT Nil
        VARIABLES k, f
        Init == k = 0 /\\ f \\in {<<>>, ("b" :> 2)}
        Next == k < 2 /\\ k' = k + 1 /\\ f' \\in {Nil :> k, "b" :> 3, f}
        """
    config = "INIT Init\nNEXT Next\nCONSTANT Nil = Nil\n"
    origin = TlaOrigin(specification(tmp_path, body, config), {})
    found = explore(Semantics(origin.model()), [])
    assert list(found.states_within_steps) == counts(origin.learner) == [2, 6, 11]
    assert not found.steps_out_of_bounds


def test_the_domain_of_a_function_does_not_make_it_for_each_argument(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers, Bags
        VARIABLES d, k
        Init == d = {<<0, 0>>} /\\ k = 0
        Next == k' = (k + 1) % 3 /\\ d' = BagToSet(SetToBag(d \\cup {<<k, 0>>}))
        """
    model = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {}).model()
    filters = [x for action in model.actions for x in nodes_in(action.updates) if isinstance(x, n.SetFilter)]
    assert filters and not any(isinstance(x, n.MapBuild) for one in filters for x in nodes_in(one.body))


def test_a_recursion_over_a_large_set_has_a_symbolic_form(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers, FiniteSets, Folds
        VARIABLES on, x
        First(S) == CHOOSE m \\in S : TRUE
        Added(a, b) == LET both == [of |-> {<<a, b>>}] IN IF \\E p \\in both.of : p[2] > 0 THEN a + b ELSE b
        Init == on = {} /\\ x = 0
        Next == /\\ \\E k \\in 1..22 : k = Cardinality(on) + 1 /\\ on' = on \\cup {k}
                /\\ x' = MapThenFoldSet(Added, 1, LAMBDA m : m % 3, First, on)
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    assert origin.model().variable("x").type.cardinality > 20


def test_a_recursion_that_may_fail_is_written_once_as_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CHOOSE may have no element, so that each part of the recursion belongs to its place in the module."""
    sources: list[str] = []
    load = Module.load

    def loaded(self: Module) -> dict[str, Any]:
        sources.append(self.source)
        return load(self)

    monkeypatch.setattr(Module, "load", loaded)
    body = """
        EXTENDS Integers, FiniteSets
        VARIABLES on, x
        RECURSIVE Sum(_)
        Sum(S) == IF S = {} THEN 0
                  ELSE LET m == CHOOSE m \\in S : TRUE
                           rest == Sum(S \\ {m})
                       IN  IF m > 0 THEN CASE m > 4 -> m + rest [] OTHER -> rest ELSE rest
        Init == on = {} /\\ x = 0
        Next == \\E k \\in 1..9 : k = Cardinality(on) + 1 /\\ on' = on \\cup {k} /\\ x' = Sum(on)
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    found = explore(Semantics(origin.model()))
    assert list(found.states_within_steps) == counts(origin.learner)
    assert 0 < max(map(len, sources)) < 500_000


@pytest.mark.parametrize(
    ("found", "picks"),
    [
        (
            "IF part.c < 3 THEN {With(k) : k \\in 1..3} ELSE {[part EXCEPT !.a = {}, !.c = 9 \\div @], part}",
            [[3], [2]],
        ),
        ("{With(k) : k \\in part.a \\cup {1, 3}} \\cup {[part EXCEPT !.b = {}]}", [[3], []]),
        ("{y \\in IF part.c < 3 THEN {With(1), With(3)} ELSE {} : y.a # {1}}", [[2]]),
        ('IF part.c = 9 THEN {[part EXCEPT !.c = "end"]} ELSE {With(part.c + 1)}', [[], []]),
    ],
)
def test_an_element_of_a_rich_type_is_picked_by_what_it_depends_on(
    tmp_path: Path, found: str, picks: list[list[int]]
) -> None:
    body = f"""
        EXTENDS Integers
        VARIABLE part
        Init == part = [a |-> {{}}, b |-> {{}}, c |-> 0]
        With(k) == [a |-> part.a \\cup {{k}}, b |-> part.b \\cup {{k + 1, k + 4}}, c |-> k]
        Found == {found}
        Next == part.c \\in 0..9 /\\ \\E n \\in Found : n # part /\\ part' = n
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    model = origin.model()
    assert [[pick.type.cardinality for pick in action.picks] for action in model.actions] == picks
    assert list(explore(Semantics(model)).states_within_steps) == counts(origin.learner)


def test_a_guard_that_seeks_among_very_many_sets_picks_one(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers, FiniteSets
        VARIABLES net, x
        Init == net = {} /\\ x = 0
        Quorum(S) == \\E Q \\in SUBSET S : \\E R \\in SUBSET Q : Cardinality(R) = 1 /\\ \\A k \\in R : k > 4
        Next == \\/ x = 0 /\\ Cardinality(net) < 2 /\\ \\E k \\in 1..17 : net' = net \\cup {k} /\\ UNCHANGED x
                \\/ Quorum(net) /\\ x' = x + 1 /\\ UNCHANGED net
        Inv == x = 0
        """
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE\n")
    _, found = asked(path, "Inv", BmcOptions(depth=2))
    assert (found.verdict, found.steps) == (Verdict.VIOLATED, 2)


def test_a_recursion_over_a_sequence_ends_where_its_places_do(tmp_path: Path, entered: list[str]) -> None:
    body = """
        EXTENDS Integers, Sequences
        VARIABLE q
        RECURSIVE Kept(_)
        Kept(s) == IF s = <<>> THEN <<>>
                   ELSE IF Head(s) = 0 THEN Kept(Tail(s)) ELSE <<Head(s)>> \\o Kept(Tail(s))
        Init == q = <<>>
        Shorter == q' = Kept(q) \\/ (q # <<>> /\\ q' = Tail(q))
        Next == (\\E k \\in 0..1 : Len(q) < 3 /\\ q' = Append(q, k)) \\/ Shorter
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    found = explore(Semantics(origin.model()))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    # Two calls at each of three places, and no more than that.
    assert entered.count("Kept") <= 15


def test_a_definition_about_one_state_is_lowered_once(tmp_path: Path, begun: list[str]) -> None:
    body = """
        EXTENDS Naturals
        VARIABLE waits
        Edges == {e \\in (1..2) \\X (1..2) : waits[e[1]] = e[2]}
        Stuck(a) == waits[a] # 0 /\\ \\E e, f \\in Edges : e[1] = a /\\ f = <<e[2], a>>
        Init == waits = [a \\in 1..2 |-> 0]
        Next == /\\ ~ \\E a \\in 1..2 : Stuck(a)
                /\\ \\E a \\in 1..2, b \\in 0..2 : a # b /\\ waits' = [waits EXCEPT ![a] = b]
                /\\ ~(Stuck(1)' /\\ waits[2] = 0) /\\ (Stuck(2)' \\/ ~Stuck(1)')
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    found = explore(Semantics(origin.model()))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    # In the state, and in the one after a step.
    assert begun.count("Edges") == 2 and begun.count("Stuck") == 4


def test_paths_of_the_initial_states_share_their_picks(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers, Sequences
        VARIABLES f, c, d
        Long == {s \\in {0, 1} : s = c} \\cup {7}
        Init == \\/ f \\in UNION {[1..n -> 0..1] : n \\in 0..6} /\\ c \\in 0..2 /\\ d \\in Long
                \\/ f = <<>> /\\ c \\in 5..6 /\\ \\E e \\in SUBSET {1, 2} : d = IF 1 \\in e THEN 8 ELSE 9
        Next == f # <<>> /\\ f' = Tail(f) /\\ UNCHANGED <<c, d>>
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"), {})
    model = origin.model()
    assert len(list(model.init.picks)) <= 7, "each of eight paths has up to three"
    found = explore(Semantics(model))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    # Of the 2^6 sequences and three other picks; picks of each path by itself have 2^21 values for `f` alone.
    assert len(Semantics(model).initial()) < 10_000


def test_a_recursion_ends_where_a_condition_has_no_other_value(tmp_path: Path) -> None:
    """The index has no value where nothing is found, so that the test for the end is no constant."""
    body = """
        EXTENDS Integers, Sequences
        VARIABLES q, out
        Place(s, x) == CHOOSE k \\in 1..Len(s) : s[k] = x
        RECURSIVE From(_, _, _)
        From(found, s, k) == IF k > Len(s) THEN found
                             ELSE CASE s[k] = 0 -> From(Append(found, 7), s, k + 1)
                                    [] s[k] = 1 -> From(found \\o <<8, 9>>, s, k + 1)
        Init == q = <<0>> /\\ out = <<>>
        Next == \\/ \\E k \\in 0..1 : Len(q) < 3 /\\ q' = Append(q, k) /\\ UNCHANGED out
                \\/ IF Place(q, 0) > 4 THEN UNCHANGED <<q, out>>
                   ELSE /\\ q' = SubSeq(q, 1, Len(q) - 1)
                        /\\ out' = From(<<>>, q, Place(q, 0))
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    found = explore(Semantics(origin.model()))
    assert list(found.states_within_steps) == counts(origin.learner)
    assert found.steps_out_of_bounds, "the last step from <<>> has no place"


CHAINS = """
    EXTENDS Integers
    VARIABLES up, sum
    RECURSIVE Weight(_, _), Half(_, _)
    Weight(f, x) == IF f[x] = 0 THEN x ELSE Weight(f, f[x]) + (Half(f, f[x]) % 2)
    Half(f, x) == IF f[x] = 0 THEN 1 ELSE Weight(f, f[x])
    Init == up = [x \\in 1..3 |-> 0] /\\ sum = 0
    Next == \\E a, b \\in 1..3 : b < a /\\ up' = [up EXCEPT ![a] = b] /\\ sum' = Weight(up, a)
    """


def test_a_recursion_over_few_values_is_found_once_for_each(tmp_path: Path, begun: list[str]) -> None:
    origin = TlaOrigin(specification(tmp_path, CHAINS, "INIT Init\nNEXT Next\n"), {})
    model = origin.model()
    found = explore(Semantics(model))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    # A circle, which no chain is, has no weight.
    values = [value for _, value in model.actions[0].updates]
    assert any(isinstance(x, n.Undefined) and "for ever" in x.why for x in n.postorder(*values))
    assert begun.count("Weight") < 100


def test_a_definition_that_mentions_no_recursion_around_it_is_lowered_once(
    tmp_path: Path, begun: list[str]
) -> None:
    body = """
        EXTENDS Integers
        VARIABLES on, far
        Edges == {e \\in (0..2) \\X (0..2) : e[1] \\in on /\\ e[2] = (e[1] + 1) % 3}
        RECURSIVE Reached(_)
        Reached(S) == LET more == S \\cup {e[2] : e \\in {x \\in Edges : x[1] \\in S}}
                      IN IF more = S THEN S ELSE Reached(more)
        Init == on = {} /\\ far = {}
        Next == \\E x \\in 0..2 : on' \\in {on \\cup {x}, on \\ {x}} /\\ far' = Reached({x})
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    found = explore(Semantics(origin.model()))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    assert begun.count("Edges") < 4 < begun.count("Reached")


@pytest.mark.parametrize(
    "last",
    [
        "IF b > 0 THEN c' = [c EXCEPT ![b] = a]"
        " ELSE IF c[b + 1] = 1 THEN UNCHANGED c ELSE c' = [c EXCEPT ![2] = b']",
        "CASE b > 0 -> c' = [c EXCEPT ![b] = a]"
        " [] c[b + 1] = 1 -> UNCHANGED c [] OTHER -> c' = [c EXCEPT ![2] = b']",
    ],
    ids=["IF", "CASE"],
)
def test_choices_that_only_give_values_are_one_action(last: str, tmp_path: Path) -> None:
    body = f"""
        EXTENDS Integers
        VARIABLES a, b, c
        Init == a = 0 /\\ b = 0 /\\ c = [x \\in 1..2 |-> 0]
        Next == /\\ a' = (a + 1) % 5
                /\\ IF a % 2 = 0 THEN b' = 1 - b ELSE UNCHANGED b
                /\\ {last}
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    model = origin.model()
    assert len(model.actions) == 1
    found = explore(Semantics(model))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds


@pytest.mark.parametrize(
    ("step", "beyond"),
    [
        ("(IF q[1] = 1 THEN UNCHANGED q ELSE UNCHANGED q) /\\ TRUE", True),
        ("(Len(q) < 2 \\/ q[2] = 1) /\\ q' = q", True),
        ("(CASE Len(q) = 1 -> Len(q) < 2 \\/ q[2] = 1 [] OTHER -> TRUE) /\\ q' = q", True),
        ("q' = q /\\ (Len(q) < 2 \\/ q[2] = 1)", False),
        ("Len(q) > 0 /\\ (\\E i \\in 1..2 : q[i] = 1) /\\ q' = q", True),
        ("Some(1) /\\ q' = q", True),
        ("Len(q) > 0 /\\ Some(Len(q)) /\\ q' = q", False),
        ("Head(q) = 1 /\\ Len(q) > 5 /\\ q' = q", True),
        ("Len(q) > 5 /\\ Head(q) = 1 /\\ q' = q", False),
        ("(\\E i \\in {q[1]} : Len(q) > 5) /\\ q' = q", True),
        ("\\E i \\in {q[1]} : \\E j \\in {} : q' = <<i, j>>", True),
        ("q' = <<Head(q)>> /\\ Len(q) = 1", True),
        ("Len(q) = 1 /\\ q' = <<Head(q)>>", False),
        ("q' = q /\\ Cardinality([{} -> Len(q)]) = 1", True),
        ("q' = q /\\ Cardinality([{} -> {Len(q)}]) = 1", False),
        ("IF Head(q) = 2 THEN q' = q ELSE Len(q) > 5 /\\ q' = q", True),
        ("(IF Len(q) < 5 THEN q' = <<Head(q)>> /\\ Len(q) > 5 ELSE q' = q) /\\ TRUE", True),
        ("(Head(q) = 1 /\\ Len(q) > 5 /\\ q' = q) \\cdot (q' = q)", True),
    ],
)
def test_a_part_of_a_guard_without_a_value_is_out_of_bounds(tmp_path: Path, step: str, beyond: bool) -> None:
    """As in TLC, until each variable has a value: behind a disjunct, or an element, that makes it true too."""
    body = f"""
        EXTENDS Integers, Sequences, FiniteSets
        VARIABLE q
        Some(n) == \\E i \\in 1..n : i > 0 /\\ (Len(q) = 0 \\/ q[i] = 1)
        Init == q = <<1>>
        Next == {step}
        Cut == Len(q) > 0 /\\ q' = Tail(q)
        Both == Next \\/ Cut
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Both\n"), {})
    assert bool(explore(Semantics(origin.model())).steps_out_of_bounds) is beyond
    assert bool(explore(Behaviour(origin.specification)).steps_out_of_bounds) is beyond


def test_an_error_before_a_pick_from_a_set_that_is_empty_is_one(tmp_path: Path) -> None:
    body = """
        EXTENDS Integers, Sequences
        VARIABLES q, x
        Init == q = <<1>> /\\ x = 0
        Next == \\/ x' = Head(q) /\\ \\E i \\in DOMAIN q : q' = <<q[i]>>
                \\/ q' = <<>> /\\ x' = 0
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    assert explore(Semantics(origin.model())).steps_out_of_bounds
    assert explore(Behaviour(origin.specification)).steps_out_of_bounds


def test_a_set_of_too_many_values_is_given_one_before_a_guard(tmp_path: Path) -> None:
    """Of a pair of two numbers up to 300, no value is listed: neither for the set nor for its errors."""
    body = """
        EXTENDS Integers, Sequences
        VARIABLES x, q, sent
        Init == x \\in {0, 300} /\\ q = <<x>> /\\ sent = {[c |-> 0]}
        Next == \\/ sent' = sent \\cup {[a |-> x, b |-> Head(q)]} /\\ x < 300 /\\ UNCHANGED <<x, q>>
                \\/ q' = <<>> /\\ UNCHANGED <<x, sent>>
        """
    origin = TlaOrigin(specification(tmp_path, body, "INIT Init\nNEXT Next\n"), {})
    assert explore(Behaviour(origin.specification)).steps_out_of_bounds
    assert explore(Semantics(origin.model())).steps_out_of_bounds
    assert Encoding(origin.model()).step.template.gates


COMPOSED = """
    EXTENDS Integers, Sequences, TLC
    VARIABLES x, y
    Init == x = 0 /\\ y = 0
    Add(k) == LET sum == x + k IN x' = sum % 7 /\\ y' = y
    Copy == y' = x /\\ LET old == y IN x' = IF x > 3 THEN old ELSE x
    Next == \\E k \\in 1..3 : (Add(k) \\cdot Copy) \\/ (Add(k) \\cdot Add(x) \\cdot (Copy /\\ x' # 2))
    Written == (ToString(x) = "3") = (x = 3) /\\ {"n" \\o ToString(i) : i \\in 0..1} = {"n0", "n1"}
    """
ALWAYS_EMPTY = """
    EXTENDS Integers, Bags, TLC
    VARIABLES b, f, n, k
    Init == b = EmptyBag /\\ f = <<>> /\\ n = 0 /\\ k = 0
    Next == /\\ n' = (n + 1) % 3 /\\ k' = n'
            /\\ b' = IF n # k THEN b (+) SetToBag({<<n, 1>>}) ELSE b (-) SetToBag({<<n, n>>})
            /\\ f' = IF n # k THEN (<<n, n>> :> n) @@ f ELSE f
    None == b = EmptyBag /\\ f = <<>>
    """
FUNCTIONS_OF_A_STATE = """
    EXTENDS Integers, FiniteSets
    VARIABLES on, f
    Init == on = {} /\\ f = [x \\in {} |-> 0]
    Next == /\\ on' \\in {on \\cup {x} : x \\in {2, 3, 5}} \\cup {{}}
            /\\ \\E g \\in {h \\in [on -> 0..2] : \\A x \\in on : h[x] # x - 2} : f' = g
    Fits == f \\in [DOMAIN f -> 0..2]
    Some == on = {} \\/ \\E g \\in [on -> {1, 7}] : \\A x \\in on : g[x] = 7
    Enough == Cardinality([on -> {TRUE, FALSE}]) = 2 ^ Cardinality(on)
    Pairs == LET both == [x \\in on, <<y, z>> \\in {1} \\X on |-> x + y - z]
             IN both = [p \\in on \\X ({1} \\X on) |-> p[1] + 1 - p[2][2]]
                /\\ \\A x \\in on : both[x, <<1, x>>] = 1
    """
STRINGS_IN_A_DOMAIN = """
    EXTENDS Naturals, TLC
    VARIABLE f
    Init == f = [j \\in {"a", "b"} |-> 0]
    Add(k) == f' = [j \\in DOMAIN f \\cup {k} |-> IF j \\in DOMAIN f THEN (f[j] + 1) % 2 ELSE 0]
    Put(k) == k \\notin DOMAIN f /\\ f' = f @@ (k :> 1)
    Drop(k) == f' = [j \\in DOMAIN f \\ {k} |-> f[j]]
    Next == \\E k \\in {"a", "b", "c"} : Add(k) \\/ Put(k) \\/ Drop(k)
    Same == f = [j \\in {x \\in {"a", "b", "c"} : x \\in DOMAIN f} |-> f[j]]
    Other == f # [j \\in {x \\in {"a", "b"} : x \\in DOMAIN f} |-> f[j]] => "c" \\in DOMAIN f
    Sub == \\A S \\in SUBSET {"a", "b", "c"} : DOMAIN f = S => f \\in [S -> 0..1]
    """
NEVER_EMPTY = """
    EXTENDS Naturals, FiniteSets
    VARIABLES f, g
    Init == f = [a |-> 0] /\\ g = [a |-> 0]
    Add == f' = [j \\in DOMAIN f \\cup {"b"} |-> IF j \\in DOMAIN f THEN (f[j] + 1) % 2 ELSE 0] /\\ g' = f
    Drop(k) == Cardinality(DOMAIN f) > 1 /\\ f' = [j \\in DOMAIN f \\ {k} |-> f[j]] /\\ g' \\in {f, f'}
    Next == Add \\/ (\\E k \\in DOMAIN f : Drop(k))
    Same == f = [j \\in {x \\in {"a", "b"} : x \\in DOMAIN f} |-> f[j]]
    Apart == f # [j \\in DOMAIN f |-> 1 - f[j]]
    """
CHOSEN_SUBSETS = """
    EXTENDS Integers, Sequences
    VARIABLES q, known
    Seen == {q[k] : k \\in DOMAIN q}
    Init == q = <<>> /\\ known = {}
    Next == \\/ \\E a, b \\in 0..3 : Len(q) < 2 /\\ q' = Append(q, <<a, b>>) /\\ UNCHANGED known
            \\/ UNCHANGED q /\\ known' = CHOOSE S \\in SUBSET Seen : (\\A x \\in S : x[1] = 0)
    """
JOINED_STRINGS = """
    EXTENDS Naturals, Sequences, TLC
    VARIABLES x, name, f
    Init == x = 0 /\\ name = "" /\\ f = [k \\in {} |-> 0]
    Next == \\/ /\\ x' \\in 1..3 /\\ name' = (IF x = 2 THEN "e-" ELSE "e") \\o ToString(x')
               /\\ f' = [k \\in {name \\o ToString(i) : i \\in 1..x} |-> [to |-> k \\o "!"]]
            \\/ Len(name) < 3 /\\ name' = name \\o "+" /\\ UNCHANGED <<x, f>>
    Ends == \\A k \\in DOMAIN f : Len(f[k].to) = Len(k) + 1
    """
FUNCTIONS_OF_RECORDS = """
    EXTENDS Integers, FiniteSets, TLC
    VARIABLES n, f
    Init == n = 0 /\\ f = <<>>
    Next == n' = (n + 1) % 3 /\\ f' \\in {([v |-> n] :> 1) @@ f, <<>>}
    Same == f = [x \\in DOMAIN f |-> f[x]]
    Two == Cardinality({f, [x \\in DOMAIN f |-> 2]}) = (IF f = <<>> THEN 1 ELSE 2)
    Has == (2 \\in {k \\in 0..n : [v |-> k] \\in DOMAIN f}) = (n = 2 /\\ [v |-> 2] \\in DOMAIN f)
    Kept == {x \\in DOMAIN (IF n > 1 THEN [v |-> 1] :> 2 @@ [w |-> 1] :> 3 ELSE <<>>) : x = [u |-> 1]} = {}
    """
REGISTERS = """
    EXTENDS Integers, TLC
    VARIABLE x
    Init == x = 0
    Next == x' = (x + 1) % 4 /\\ TLCSet(1, x)
    """

SEVERAL_KINDS = """
    EXTENDS Integers, Sequences, TLC
    VARIABLES f, g, q
    Init == f = [x \\in {} |-> 0] /\\ g = <<0>> /\\ q = <<>>
    Ask == /\\ q = <<>>
           /\\ \\E k \\in {"a", "b"}, i \\in 1..2 : q' \\in {<<"put", k>>, <<"set", k, i>>}
           /\\ UNCHANGED <<f, g>>
    Do == /\\ q # <<>>
          /\\ LET k == q[2] old == IF k \\in DOMAIN f THEN f[k] ELSE 0 IN f' = (k :> (1 - old)) @@ f
          /\\ g' = IF Len(q) = 3 THEN (q[3] :> 1 - g[1]) @@ g ELSE g
          /\\ q' = <<>>
    Next == Ask \\/ Do
    Known == \\A k \\in DOMAIN f : k \\in {"a", "b"} /\\ f[k] \\in 0..1
    Within == DOMAIN g \\subseteq 1..2
    """

ARGUMENTS_OF_KINDS = """
    EXTENDS Naturals, TLC
    CONSTANT S
    VARIABLES on, f
    None == [x \\in {} |-> 0]
    Init == on \\in {S, {"a", "b"}} /\\ f = None
    Ask == on # {} /\\ \\E k \\in on \\ DOMAIN f : f' = f @@ (k :> 1) /\\ UNCHANGED on
    Turn == on # {} /\\ on' = {} /\\ f' = None
    Count == on = {} /\\ f \\notin [1..2 -> {2}] /\\ f' = f @@ ((IF f = None THEN 1 ELSE 2) :> 2) /\\ UNCHANGED on
    Next == Ask \\/ Turn \\/ Count
    Counted == on = {} => \\A k \\in DOMAIN f : k \\in 1..2 /\\ f[k] = 2
    """

POINTERS = """
    EXTENDS Integers, Sequences, TLC
    VARIABLES tree, k
    Init == tree = [x \\in {1} |-> 0] /\\ k = 1
    Add == \\E x \\in (1..4) \\ DOMAIN tree, p \\in DOMAIN tree : x > p /\\ tree' = tree @@ (x :> p)
    Path(x) == LET P[i \\in 0..4] == IF i = 0 THEN <<>> ELSE Append(P[tree[i]], i) IN P[x]
    Depth == [x \\in DOMAIN tree |-> LET D[i \\in 0..4] == IF i = 0 THEN 0 ELSE 1 + D[tree[i]] IN D[x]]
    Steps == LET S[i \\in 0..8] == IF i <= 0 THEN 0 ELSE 1 + S[i - (IF i > 1 THEN k ELSE 1)] IN S[8]
    RECURSIVE Turns(_)
    Turns(n) == LET F[i \\in 1..2] == IF i = 2 THEN F[1] ELSE IF n = 0 THEN 0 ELSE 1 + Turns(n - 1) IN F[k]
    Turned == Turns(4) = 4
    Next == (Add /\\ UNCHANGED k) \\/ (k' = 3 - k /\\ UNCHANGED tree)
    Rooted == \\A x \\in DOMAIN tree : Path(x)[1] = 1 /\\ Len(Path(x)) = Depth[x] /\\ Depth[x] <= 4
    Halved == Steps = 8 \\div k
    Common(a, b) == LET L[i, j \\in 0..4] ==
        IF i = 0 \\/ j = 0 THEN 0 ELSE IF a[i] = b[j] THEN 1 + L[i - 1, j - 1]
        ELSE IF L[i - 1, j] > L[i, j - 1] THEN L[i - 1, j] ELSE L[i, j - 1] IN L[Len(a), Len(b)]
    Shared == \\A x \\in DOMAIN tree : Common(Path(x), Path(1)) = 1
    """

HISTORY = """
    EXTENDS Naturals, TLC
    VARIABLES h, t
    Max(S) == CHOOSE x \\in S : \\A y \\in S : x >= y
    Last == Max(DOMAIN h)
    Init == t = 1 /\\ h = [x \\in {t} |-> {}]
    Next == /\\ t < 4 /\\ t' = t + 1
            /\\ \\E k \\in 1..2, at \\in {Last, Last + 1} : \\/ h' = h @@ [x \\in {at} |-> h[Last] \\cup {k}]
                                                     \\/ h' = [x \\in {at} |-> {k}] @@ h
    Short == DOMAIN h = 1..Last /\\ Last <= t
    """


FUNCTIONS_AS_SEQUENCES = """
    EXTENDS Naturals, Sequences, FiniteSets
    VARIABLES s, last
    Doubled == [x \\in s |-> 2 * x]
    Init == s = {} /\\ last = <<>>
    Next == \\E k \\in 0..3 : s' = {x \\in 1..3 : x <= k} /\\ last' = Append(Doubled, k)
    Whole == Len(Doubled) = Cardinality(s) /\\ SelectSeq(Doubled, LAMBDA x : x > 9) = <<>>
    Ends == s = {} \\/ <<Head(Doubled)>> \\o Tail(Doubled) = Doubled
    """


# Python takes TRUE for 1.
FUNCTIONS_OF_TRUE = """
    EXTENDS Bags
    VARIABLE x
    F == [b \\in {TRUE} |-> b]
    Init == x \\in BOOLEAN
    Next == x' = (IF x THEN F[x] ELSE BagIn(~x, SetToBag({TRUE})))
    Same == x => [F EXCEPT ![TRUE] = ~@][x] # x
    """


BAGS_THAT_MAY_BE_EMPTY = """
    EXTENDS Integers, Bags
    VARIABLES w, b
    Some == IF w = "a" THEN EmptyBag ELSE SetToBag({w})
    Init == w = "a" /\\ b = EmptyBag
    Next == w' \\in {"a", "b", "c"} /\\ b' = Some (-) b
    Twice == {<<x, 1>> : x \\in DOMAIN Some} = {<<x, 1>> : x \\in {w} \\ {"a"}}
    """


# With a path for each choice in `Closed` there would be thousands.
TEST_OF_A_NEXT_VALUE = """
    EXTENDS Naturals
    VARIABLES s, last
    Closed(b) == \\A x \\in b \\cap (1..12) : x + 1 \\in b \\/ b \\cap {2} = {}
    Init == s = {} /\\ last = 0
    Next == \\E x \\in 1..12 : s' = s \\cup {x} /\\ Closed(s') /\\ last' = x
    Known == last = 0 \\/ last \\in s
    """


# Written out, the first has 14,641 cases.
MANY_ELEMENTS = """
    EXTENDS Naturals
    VARIABLES f, last
    P == 1..11
    Init == f = [p \\in P |-> 0] /\\ last = 0
    Next == last < 3 /\\ last' = last + 1 /\\ f' = [f EXCEPT ![last'] = last' * last']
    Squares == \\A a, b, c, d \\in P : f[a] = c /\\ f[b] = d /\\ a < b => c < d
    Pairs == \\A a \\in P : f[a] > 0 => \\E b, c \\in 1..3 : <<b, c>> = <<a, f[a] \\div a>>
    """


def test_a_formula_about_thousands_of_elements_is_a_few_nodes(tmp_path: Path) -> None:
    config = "INIT Init\nNEXT Next\nINVARIANT Squares\n"
    model = TlaOrigin(specification(tmp_path, MANY_ELEMENTS, config), {}).model()
    assert len([*n.postorder(model.properties["Squares"].formula)]) < 5_000


@pytest.mark.parametrize(
    ("body", "claims"),
    [
        (MANY_ELEMENTS, ("Squares", "Pairs")),
        (TEST_OF_A_NEXT_VALUE, ("Known",)),
        (BAGS_THAT_MAY_BE_EMPTY, ("Twice",)),
        (FUNCTIONS_AS_SEQUENCES, ("Whole", "Ends")),
        (FUNCTIONS_OF_TRUE, ("Same",)),
        (POINTERS, ("Rooted", "Halved", "Shared", "Turned")),
        (HISTORY, ("Short",)),
        (COMPOSED, ("Written",)),
        (ARGUMENTS_OF_KINDS, ("Counted",)),
        pytest.param(SEVERAL_KINDS, ("Known", "Within"), marks=pytest.mark.slow),
        (FUNCTIONS_OF_A_STATE, ("Fits", "Some", "Enough", "Pairs")),
        (STRINGS_IN_A_DOMAIN, ("Same", "Other", "Sub")),
        (NEVER_EMPTY, ("Same", "Apart")),
        (ALWAYS_EMPTY, ("None",)),
        (CHOSEN_SUBSETS, ()),
        (FUNCTIONS_OF_RECORDS, ("Same", "Two", "Has", "Kept")),
        (REGISTERS, ()),
        (JOINED_STRINGS, ("Ends",)),
    ],
)
def test_both_meanings_have_the_same_states(tmp_path: Path, body: str, claims: tuple[str, ...]) -> None:
    config = "INIT Init\nNEXT Next\n" + "".join(f"INVARIANT {name}\n" for name in claims)
    config += "CONSTANT S = {s1, s2}\n" if "CONSTANT S" in body else ""
    origin = TlaOrigin(specification(tmp_path, body, config), {})
    model = origin.model()
    found = explore(Semantics(model), list(model.properties))
    assert list(found.states_within_steps) == counts(origin.learner) and not found.steps_out_of_bounds
    assert [*found.properties] == [*claims]
    assert all(one.violation is one.out_of_bounds is None for one in found.properties.values())


@pytest.mark.parametrize(
    ("start", "step", "kind"),
    [
        ("[x \\in {1, 3} |-> 0]", "f' = [x \\in DOMAIN f \\cup {4} |-> 0]", [1, 3]),
        ("[x \\in {1, 3} |-> 0]", "\\E x \\in 3..4 : f' = (x :> 0) @@ f", [1, 3]),
        ("<<0>>", "f' = Append(f, 0) \\/ f' = [x \\in {1, 3} |-> 0]", [1, 3]),
        ("[x \\in {} |-> 0]", '\\E x \\in {"a", "b"} : f\' = (x :> 0) @@ f', ["a"]),
    ],
)
def test_a_function_with_an_argument_beyond_its_type_is_out_of_bounds(
    tmp_path: Path, start: str, step: str, kind: list[Any]
) -> None:
    """Learned types may lack arguments that functions get later: none may be dropped in silence."""
    body = f"EXTENDS Naturals, Sequences, TLC\nVARIABLE f\nInit == f = {start}\nNext == {step}\n"
    loaded = specification(tmp_path, body, "INIT Init\nNEXT Next\n")
    types = [shapes.function_type([(type_of(x), _named(x), type_of(0))]) for x in kind]
    whole = shapes.joined([*types, shapes.EMPTY_FUNCTION])
    model = TlaOrigin(loaded, {"f": whole}).model()
    assert isinstance(whole, Map) and explore(Semantics(model)).steps_out_of_bounds


def test_a_bag_of_records_is_out_of_bounds_of_maps_with_one_domain(tmp_path: Path) -> None:
    body = "EXTENDS TLC\nVARIABLE f\nInit == f = (3 :> 0)\nNext == f' = ([a |-> f[3]] :> 0)\n"
    one = specification(tmp_path, body, "INIT Init\nNEXT Next\n")
    model = TlaOrigin(one, {"f": Map(Int(3, 3), Int(0, 0))}).model()
    assert explore(Semantics(model)).steps_out_of_bounds == 1


def _named(value: Any) -> Any:
    return shapes.quoted(value) if isinstance(value, str) else value


CLOSED = """
    EXTENDS Naturals
    VARIABLES on, edges
    RECURSIVE Closure(_)
    Closure(R) == LET N == R \\cup {<<a, b>> \\in on \\X on : \\E c \\in on : <<a, c>> \\in R /\\ <<c, b>> \\in R}
                  IN IF N = R THEN R ELSE Closure(N)
    Init == on = {1, 2} /\\ edges = {}
    Link == /\\ \\E a, b \\in on : a # b /\\ <<b, a>> \\notin Closure(edges) /\\ edges' = edges \\cup {<<a, b>>}
            /\\ UNCHANGED on
    Leave == \\E a \\in on : a > 1 /\\ on' = on \\ {a} /\\ edges' = {e \\in edges : a # e[1] /\\ a # e[2]}
    Next == Link \\/ Leave
    NoCircle ==
      LET RECURSIVE Closed(_)
          Closed(R) ==
            LET N == R \\cup {<<a, b>> \\in on \\X on : \\E c \\in on : <<a, c>> \\in R /\\ <<c, b>> \\in R}
            IN IF N = R THEN R ELSE Closed(N)
      IN \\A a \\in on : <<a, a>> \\notin Closed(edges)
    """


@pytest.mark.slow
def test_a_recursion_over_sets_that_are_described_grows_with_its_depth(tmp_path: Path) -> None:
    """Each call, of a definition or within LET, asks its set for members in three places: listed, they are not
    described once more in each.
    """
    model = TlaOrigin(
        specification(tmp_path, CLOSED, "INIT Init\nNEXT Next\nINVARIANT NoCircle\n"), {}
    ).model()
    assert len(n.postorder(*model.properties["NoCircle"].nodes)) < 10_000


SUM = r"""
EXTENDS Naturals, FiniteSetsExt
VARIABLE f
Init == f = [x \in 1..40 |-> 0]
Next == \E x \in 1..40 : f' = [f EXCEPT ![x] = 1 - @]
Few == FoldSet(LAMBDA x, sum : f[x] + sum, 0, {x \in 1..40 : f[x] = 1}) < 3
"""


def test_a_sum_of_many_numbers_has_a_node_for_each(tmp_path: Path) -> None:
    """Each number makes the type of the sum wider: the sum of those before must not be written anew."""
    path = write(tmp_path, Sum=SUM)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Few\nCHECK_DEADLOCK FALSE\n")
    assert len(n.postorder(*model_of(find(str(path)), {}).properties["Few"].nodes)) < 700


GATHERED = r"""
EXTENDS Naturals, FiniteSetsExt, Sequences
VARIABLES f, log
Init == f = [x \in 1..12 |-> 0] /\ log = <<>>
Set == \E x \in DOMAIN f : f' = [f EXCEPT ![x] = 1 - @] /\ UNCHANGED log
Gather == /\ Len(log) < 2 /\ UNCHANGED f
          /\ log' = FoldSet(LAMBDA x, q : IF f[x] = 1 THEN Append(q, <<"of", x>>) ELSE q, <<>>, DOMAIN f)
Clear == log' = <<<<"none">>>> /\ UNCHANGED f
Next == Set \/ Gather \/ Clear
Few == Len(log) < 3
"""


def test_a_sequence_that_a_fold_appends_to_is_converted_once(tmp_path: Path) -> None:
    """Each step has a longer sequence, and the variable other items: those before must not be written anew."""
    path = write(tmp_path, Gathered=GATHERED)
    path.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Few\nCHECK_DEADLOCK FALSE\n")
    (gather,) = (x for x in model_of(find(str(path)), {}).actions if x.name == "Gather")
    assert len(n.postorder(*(value for _, value in gather.updates))) < 300
    found = [asked(path, "Few", one)[1] for one in (BmcOptions(5), ExploreOptions(depth=4, by=VALUES))]
    assert [(one.verdict, one.steps) for one in found] == [(Verdict.VIOLATED, 4)] * 2
