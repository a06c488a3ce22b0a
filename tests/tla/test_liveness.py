"""Properties of runs: the interpreter and the engines on the lowered model agree, and with what is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of, model_on_values
from leadline.symbolic.engines import (
    ENGINES,
    BmcOptions,
    Limits,
    Listener,
    Options,
    Progress,
    Query,
    Result,
    Verdict,
    answer,
)
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.bounded.bmc import SWEEPS
from leadline.symbolic.engines.explore import specifications
from leadline.symbolic.engines.explore.explore import VALUES, ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.explore.specifications import explore_specification
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import Model, ModelError
from leadline.symbolic.meaning import explore
from leadline.symbolic.meaning.explore import Explorer
from leadline.symbolic.solve import SOLVERS
from leadline.symbolic.tla.values import runs
from leadline.symbolic.tla.values.behaviour import Behaviour
from leadline.symbolic.tla.values.interpreter import Interpreter, State
from leadline.symbolic.tla.values.runs import ModuleReplayer, literal
from leadline.symbolic.tla.values.values import function, model_value, sequence
from leadline.symbolic.trace import Step, Trace
from tests.tla.explored import MUTEX, config, explored
from tests.tla.loading import specification, write
from tests.tla.lowered import asked

SPECIFICATIONS = ("None", "Weak", "Strong", "Every")
# Whether the property holds under each of the specifications.
KNOWN = {
    "Live": (False, False, True, False),
    "Some": (False, True, True, True),
    "Leads": (False, True, True, True),
    "Stay": (False, False, False, False),
    "Changing": (False, False, True, False),
    "Step": (True, True, True, True),
    "BadStep": (False, False, False, False),
    "Always": (True, True, True, True),
    "Enabled": (True, True, True, True),
    "Begin": (True, True, True, True),
}


def known(name: str) -> dict[str, bool]:
    """Whether each property holds under a specification."""
    return {claim: row[SPECIFICATIONS.index(name)] for claim, row in KNOWN.items()}


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_exploration_by_the_interpreter(name: str, tmp_path: Path) -> None:
    results = explored(tmp_path, MUTEX, config(name, *KNOWN))
    verdicts = {result.property: result.verdict for result in results}
    assert verdicts == {
        claim: Verdict.SAFE if holds else Verdict.VIOLATED for claim, holds in known(name).items()
    }


def test_a_step_that_many_picks_take_is_checked_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = r"""
    EXTENDS Naturals, TLC
    VARIABLE x
    Init == x = 0
    Next == \/ \E i \in 1..3 : x' = 1 - x
            \/ x' = (x + 1) % 2
    Spec == Init /\ [][Next]_x
    Told == [][PrintT(<<"a step to", x'>>)]_x
    """
    text = "SPECIFICATION Spec\nPROPERTY Told\nCHECK_DEADLOCK FALSE\n"
    (found,) = explored(tmp_path, body, text)
    assert found.verdict is Verdict.SAFE
    assert capsys.readouterr().err.count("a step to") == 2


def test_a_step_is_evaluated_once_in_a_claim_about_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = r"""
    EXTENDS Naturals, TLC
    VARIABLE x
    Init == x = 0
    Next == x' = 1 - x
    Spec == Init /\ [][Next]_x
    Told == <>[][PrintT(<<"a step to", x'>>)]_x \/ []<>(x = 0)
    """
    text = "SPECIFICATION Spec\nPROPERTY Told\nCHECK_DEADLOCK FALSE\n"
    (found,) = explored(tmp_path, body, text)
    assert found.verdict is Verdict.SAFE
    assert capsys.readouterr().err.count("a step to") == 2


@pytest.mark.parametrize("premise", ["", "turn = turn => ", "turn \\notin P \\/ "])
def test_fairness_of_an_action_that_leaves_a_variable_open(premise: str, tmp_path: Path) -> None:
    body = f"""{MUTEX}
    Into(p) == pc[p] = "try" /\\ turn = p /\\ pc' = [pc EXCEPT ![p] = "in"]
    Out(p) == pc[p] = "in" /\\ pc' = [pc EXCEPT ![p] = "try"]
    Open == Machine /\\ \\A p \\in P : {premise}(SF_vars(Into(p)) /\\ WF_vars(Out(p)) /\\ SF_turn(Next))
    """
    claims = ["Some", "Stay"] if premise else [*KNOWN]
    results = explored(tmp_path, body, config("Open", *claims))
    verdicts = {result.property: result.verdict is Verdict.SAFE for result in results}
    assert verdicts == {claim: known("Strong")[claim] for claim in claims}


@pytest.mark.parametrize(("strong", "holds"), [("TRUE", True), ("FALSE", False)])
def test_fairness_that_a_constant_decides_is_no_premise_of_another_kind(
    strong: str, holds: bool, tmp_path: Path
) -> None:
    """Such conditions were formulas, whose product with the states grew with each of them to the power of two."""
    body = f"""
        EXTENDS Naturals
        VARIABLES x, y
        Init == x = [p \\in 1..3 |-> 0] /\\ y = 0
        Go(p) == y = 0 /\\ x[p] = 0 /\\ x' = [x EXCEPT ![p] = 1] /\\ UNCHANGED y
        Flip == y' = 1 - y /\\ UNCHANGED x
        Next == Flip \\/ \\E p \\in 1..3 : Go(p)
        vars == <<x, y>>
        Strong(p) == {strong} /\\ p < 4
        Fair == \\A p \\in 1..3 : IF Strong(p) THEN SF_vars(Go(p)) ELSE WF_vars(Go(p))
        Spec == Init /\\ [][Next]_vars /\\ (1 < 2 => WF_vars(Flip)) /\\ Fair
        Done == \\A p \\in 1..3 : <>(x[p] = 1)
    """
    text = "SPECIFICATION Spec PROPERTY Done CHECK_DEADLOCK FALSE"
    fair = runs.TemporalFormulas(Interpreter(specification(tmp_path, body, text))).fairness
    assert [one.strong for one in fair if isinstance(one, runs.FairnessCondition)] == [False, *[holds] * 3]
    (found,) = explored(tmp_path, body, text)
    assert found.verdict is (Verdict.SAFE if holds else Verdict.VIOLATED)
    (tmp_path / "M.cfg").write_text(text)
    _, by_model = asked(tmp_path / "M.tla", "Done", PdrOptions())
    assert by_model.verdict is (Verdict.PROVED if holds else Verdict.VIOLATED)


def test_fairness_of_a_case_without_an_arm_for_every_state(tmp_path: Path) -> None:
    body = """
        EXTENDS Naturals
        VARIABLES x, y
        Init == x = 0 /\\ y = 0
        Next == /\\ CASE x = 0 -> x' = 1 [] x = 1 -> x' \\in {0, 2}
                /\\ y' = 1 - y
        Spec == Init /\\ [][x < 2 /\\ Next]_<<x, y>> /\\ WF_<<x, y>>(x < 2 /\\ Next)
        Ends == <>(x = 2 \\/ y = 1)
        """
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text("SPECIFICATION Spec PROPERTY Ends CHECK_DEADLOCK FALSE")
    model = model_of(find(str(path)), {})
    (found,) = answer(model, Query(str(path), {}, ("Ends",), PdrOptions(), "cadical")).results
    assert found.verdict is Verdict.PROVED


GIVEN = r"""
    EXTENDS Naturals
    VARIABLE x
    Step(v) == v' = (v + 1) % 4
    Can(A) == ENABLED A
    Runs(v) == v = 0 /\ [][Step(v)]_v /\ WF_v(Step(v))
    Spec == Runs(x)
    Grows(v) == [][v' > v]_v
    Leads(v, n) == [](v = n => <>(v = n + 1))
    Both == LET L(n) == x = n ~> x = n + 1 IN \A i \in 0..1 : L(i) /\ L(i + 1)
    Is(n) == x = n
    Often(F(_)) == []<>F(2)
    Handed == Often(LAMBDA n : x = n + 1) /\ Often(Is)
    Enabled == Can(Step(x)) /\ ~(LET go == Step(x) same == go /\ x' = x IN Can(same))
    Again == Runs(x)
    Growing == Grows(x)
    Second == Leads(x, 1)
    Fourth == Leads(x, 3)
    Named == LET w == x v == w IN [][v' = (v + 1) % 4]_v
    Within == <>[][LET F(v) == v' > v IN F(x) \/ x' = 0]_x
    Alike == <>(x = 3) <=> IF x = 0 THEN []<>(x = 2) ELSE [](x = 9)
    Apart == <>(x = 9) <=> IF x = 1 THEN [](x = 1) ELSE <>(x = 2)
"""
"""A module whose formulas about steps and runs have parameters and LETs."""


def test_formulas_of_parameters_and_names(tmp_path: Path) -> None:
    claims = ("Again", "Growing", "Second", "Fourth", "Named", "Within", "Both", "Alike", "Apart")
    text = f"SPECIFICATION Spec\nINVARIANT Enabled\nPROPERTIES Handed {' '.join(claims)}"
    wrong = {
        result.property for result in explored(tmp_path, GIVEN, text) if result.verdict is not Verdict.SAFE
    }
    assert wrong == {"Growing", "Fourth", "Apart"}
    path = write(tmp_path, M=GIVEN)
    path.with_suffix(".cfg").write_text(text)
    results = answer(
        model_of(find(str(path)), {}), Query(str(path), {}, claims, PdrOptions(), "cadical")
    ).results
    assert {result.property for result in results if result.verdict is Verdict.VIOLATED} == wrong
    assert all(result.verdict is Verdict.PROVED for result in results if result.property not in wrong)


def test_a_temporal_formula_is_quantified_over_a_set(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="quantified over a constant set"):
        explored(tmp_path, f"{GIVEN}    Far == \\E i \\in 3 : <>(x = i)", "SPECIFICATION Spec\nPROPERTY Far")


@pytest.mark.parametrize("place", ["SPECIFICATION Fair\nPROPERTY Named", "SPECIFICATION Spec\nPROPERTY Far"])
def test_a_temporal_formula_over_a_set_that_varies_says_how_to_write_it(place: str, tmp_path: Path) -> None:
    text = f"""{GIVEN}
    Below == 0..x
    Far == \\A i \\in Below : <>(x = i)
    Fair == Spec /\\ \\A i \\in Below : WF_x(x = i /\\ x' = 0)
    """
    with pytest.raises(ModelError, match=r"M\.tla:\d+:\d+: .*constant set of all .* `i \\in Below` in the"):
        explored(tmp_path, text, place)


def checked(folder: Path, name: str, claims: Sequence[str], options: Options) -> dict[str, Verdict]:
    path = write(folder, M=MUTEX)
    path.with_suffix(".cfg").write_text(config(name, *claims))
    model = model_of(find(str(path)), {})
    results = answer(model, Query(str(path), {}, tuple(claims), options, "cadical")).results
    return {result.property: result.verdict for result in results}


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_exploration_of_the_model(name: str, tmp_path: Path) -> None:
    assert checked(tmp_path, name, [*KNOWN], ExploreOptions(prove=True)) == {
        claim: Verdict.PROVED if holds else Verdict.VIOLATED for claim, holds in known(name).items()
    }


SOME = [
    ("Weak", "Some", True),
    ("Every", "Changing", False),
    ("Strong", "Changing", True),
    ("Weak", "Live", False),
]


@pytest.mark.parametrize(("name", "claim", "holds"), SOME)
@pytest.mark.parametrize("options", [BmcOptions(depth=5), PdrOptions()])
def test_symbolic_engines(options: Options, name: str, claim: str, holds: bool, tmp_path: Path) -> None:
    proved = Verdict.SAFE if isinstance(options, BmcOptions) else Verdict.PROVED
    expected = proved if holds else Verdict.VIOLATED
    assert checked(tmp_path, name, [claim], options) == {claim: expected}


def test_the_interpreter_judges_a_run_by_itself(tmp_path: Path) -> None:
    replayer = ModuleReplayer(Behaviour(specification(tmp_path, MUTEX, config("Weak", "Live"))))
    one, two = model_value("p1"), model_value("p2")
    tries = (function({one: "try", two: "try"}), one)
    inside = (function({one: "in", two: "try"}), one)
    other = (function({one: "try", two: "try"}), two)

    def judged(*rest: State, loop: int | None = 0) -> tuple[bool, bool]:
        """Whether a run is fair, and satisfies the property."""
        steps = tuple(Step("", {}, one) for one in rest)
        run = Trace({}, tries, steps, property="Live", loop=loop)
        return loop is None or replayer.unfair(run) is None, replayer.satisfied(run, (tries, *rest)[-1])

    assert judged(inside, tries) == (True, False)
    assert judged() == (False, False)  # p1 can enter
    turns = inside, other, (function({one: "try", two: "in"}), two)
    assert judged(*turns, tries) == (True, True)
    assert judged(*turns, loop=None) == (True, True)


def test_refinement(tmp_path: Path) -> None:
    """A property may be a specification: the clock of hours that a clock of minutes implements."""
    hours = "EXTENDS Naturals\nVARIABLE h\nInit == h \\in 0..2\nNext == h' = (h + 1) % 3\n"
    hours += "Spec == Init /\\ [][Next]_h /\\ WF_h(Next)\n"
    minutes = "EXTENDS Naturals\nVARIABLES h, m\nInit == h = 0 /\\ m = 0\n"
    minutes += "Next == m' = (m + 1) % 2 /\\ h' = IF m = 1 THEN (h + 1) % 3 ELSE h\n"
    minutes += "A == INSTANCE Hours\nHoursOnly == A!Spec\n"
    minutes += "Lazy == Init /\\ [][Next]_<<h, m>>\nSpec == Lazy /\\ WF_<<h, m>>(Next)\n"
    for name, holds in (("Spec", True), ("Lazy", False)):
        text = f"SPECIFICATION {name}\nPROPERTY HoursOnly\n"
        (result,) = explored(tmp_path, minutes, text, Hours=hours)
        assert result.verdict is (Verdict.SAFE if holds else Verdict.VIOLATED)
        (tmp_path / "M.cfg").write_text(text)
        _, lowered = asked(tmp_path / "M.tla", "HoursOnly", PdrOptions())
        assert lowered.verdict is (Verdict.PROVED if holds else Verdict.VIOLATED)


# The lengths of TLC's counterexamples. It finds 5 distinct states.
EXCLUDED = {
    "INVARIANT Low": 3,
    "INVARIANT Lower": None,
    "PROPERTY AlwaysLow": 3,
    "PROPERTY Steps": 3,
    "PROPERTY FewerSteps": None,
    "PROPERTY BegunLow": None,
    "PROPERTY NeverThree": None,
}
COUNTING = """
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == x' = x + 1 /\\ y' \\in {0, 1}
Small == x' < 3
Few == x < 3
Defined == <<1, 2, 3>>[x' + 1] > 0
Low == x # 3
Lower == x # 4
AlwaysLow == []Low
Steps == [][x' # 3]_x
FewerSteps == [][x' # 4]_x
BegunLow == x = 0 => []Low
NeverThree == ~<>(x = 3)
"""


@pytest.mark.parametrize(
    "constraint", ["CONSTRAINT Few", pytest.param("ACTION_CONSTRAINT Small", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("claim", EXCLUDED)
def test_the_state_after_an_excluded_step_is_checked(tmp_path: Path, constraint: str, claim: str) -> None:
    text = f"INIT Init NEXT Next {constraint} {claim}\n"
    behaviour = Behaviour(specification(tmp_path, COUNTING, text))
    found = explore_specification(behaviour, ExploreOptions(), Limits(), SILENT, deadlock=True)
    assert (found.told(ExploreFacts).states, found.told(ExploreFacts).deadlocks) == (5, 0)
    (tmp_path / "M.cfg").write_text(text)
    steps, name = EXCLUDED[claim], claim.split()[1]
    options = (PdrOptions(), BmcOptions(5), BmcOptions(5, SWEEPS, shortest=True))
    ways = [asked(tmp_path / "M.tla", name, one)[1] for one in options]
    for one in (found.results[0], *ways):
        assert (one.steps, one.verdict is Verdict.VIOLATED) == (steps, steps is not None)


@pytest.mark.parametrize(
    ("most", "limits", "why"),
    [(9, Limits(), "states: stopped at 9"), (None, Limits(0.5), "time: stopped after 0.5 s")],
)
def test_runs_that_were_not_all_looked_at(tmp_path: Path, most: int | None, limits: Limits, why: str) -> None:
    """The view has two values, and the numbers have no end."""
    body = """
    EXTENDS Integers
    VARIABLE x
    Parity == x % 2
    Spec == x = 0 /\\ [][x' = x + 1]_x /\\ WF_x(x' = x + 1)
    Odd == []<>(Parity = 1)
    """
    config = "SPECIFICATION Spec PROPERTY Odd VIEW Parity"
    behaviour = Behaviour(specification(tmp_path, body, config))
    found = explore_specification(behaviour, ExploreOptions(max_states=most), limits, SILENT, deadlock=True)
    odd, deadlock = found.results
    reason = f"{why}; runs go through every state, also those that others stand for"
    assert (odd.verdict, odd.reason) == (Verdict.UNKNOWN, reason)
    assert (deadlock.verdict, found.told(ExploreFacts).states) == (Verdict.SAFE, 2)


@pytest.mark.parametrize(("counting", "shared"), [(False, True), (True, False)])
def test_the_steps_through_every_state_are_translated_once(
    tmp_path: Path, counting: bool, shared: bool
) -> None:
    """Unless they count how often guards are true, which those of the search do alone."""
    body = "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1\nOdd == x % 2"
    behaviour = Behaviour(specification(tmp_path, body, "INIT Init NEXT Next VIEW Odd"), counting=counting)
    Explorer(behaviour, ()).run()
    every = Explorer(behaviour.without_canonical(), ())
    every.run()
    assert every.counted == 4
    assert (every.semantics.interpreter is behaviour.interpreter) == shared
    assert all(one.counts == [2, 2] for one in behaviour.interpreter.conjuncts.values())


@pytest.mark.parametrize(("most", "left"), [(None, 1.0), (3, None)])
def test_looking_at_runs_is_the_last_part_once_all_states_are_found(
    tmp_path: Path, most: int | None, left: float | None
) -> None:
    body = "EXTENDS Integers\nVARIABLE x\nSpec == x = 0 /\\ [][x' = (x + 1) % 5]_x\nZero == []<>(x = 0)"
    behaviour = Behaviour(specification(tmp_path, body, "SPECIFICATION Spec PROPERTY Zero"))
    told: list[Progress] = []
    listener = Listener(progress=told.append)
    explore_specification(behaviour, ExploreOptions(max_states=most), Limits(), listener, deadlock=False)
    assert [one.left for one in told[-2:]] == [None, left]


@pytest.mark.parametrize(
    ("made", "view", "verdict"),
    [
        (model_on_values, "", Verdict.PROVED),
        (model_of, "", Verdict.PROVED),
        (model_on_values, "VIEW One", Verdict.SAFE),
    ],
)
def test_findings_about_states_are_told_before_runs_are_looked_at(
    tmp_path: Path, made: Callable[..., Model], view: str, verdict: Verdict
) -> None:
    body = (
        "VARIABLE x\nSpec == x = FALSE /\\ [][x' = ~x]_x\nTrue == []<>x\nLow == x \\in BOOLEAN\nOne == TRUE"
    )
    entry = find(str(write(tmp_path, M=body)))
    (tmp_path / "M.cfg").write_text(f"SPECIFICATION Spec INVARIANT Low PROPERTY True {view}")
    query = Query(entry.source, {}, None, ExploreOptions(prove=True))
    told = list[Result]()
    listener = Listener(done=told.append)
    found = ENGINES["explore"].answer(made(entry, {}), query, SOLVERS["cadical"], Limits(), listener)
    assert [(one.property, one.verdict) for one in told] == [("Low", verdict)]
    assert [one.verdict for one in found.results] == [verdict, Verdict.VIOLATED]


def test_runs_through_a_part_of_the_states_are_looked_at(tmp_path: Path) -> None:
    """A run that stops early is told long before all states are found; what holds then, only when they are."""
    body = r"""
    EXTENDS Naturals
    VARIABLES x, y
    Init == x = 0 /\ y = 0
    Next == x < 2 /\ y < 600 /\ y' = y + 1 /\ x' \in IF y = 3 THEN 0..2 ELSE 0..1
    Spec == Init /\ [][Next]_<<x, y>> /\ WF_<<x, y>>(Next)
    Ends == <>(y = 600)
    Stops == <>(y = 600 \/ x = 2)
    """
    text = "SPECIFICATION Spec PROPERTIES Ends Stops CHECK_DEADLOCK FALSE"
    behaviour, told = Behaviour(specification(tmp_path, body, text)), list[Result]()
    listener = Listener(done=told.append)
    found = explore_specification(behaviour, ExploreOptions(), Limits(), listener, deadlock=False)
    assert [(one.property, one.verdict, one.steps, one.depth) for one in told] == [
        ("Ends", Verdict.VIOLATED, 4, 249)
    ]
    assert [one.verdict for one in found.results] == [Verdict.VIOLATED, Verdict.SAFE]


def test_a_condition_of_fairness_without_a_value_is_out_of_bounds(tmp_path: Path) -> None:
    body = r"""
    EXTENDS Integers
    VARIABLE x
    Init == x = 1
    Next == x >= 0 /\ x' = x - 1
    Fits == [i \in 0..1 |-> i][x] < 9 /\ x' = x - 1
    Spec == Init /\ [][Next]_x /\ SF_x(Fits)
    Live == <>(x = 5)
    """
    text = "SPECIFICATION Spec PROPERTY Live CHECK_DEADLOCK FALSE"
    (found,) = explored(tmp_path, body, text)
    assert found.reason is not None and "M.tla:7:" in found.reason
    (tmp_path / "M.cfg").write_text(text)
    _, by_model = asked(tmp_path / "M.tla", "Live", ExploreOptions(by=VALUES))
    for one in (found, by_model):
        assert (one.verdict, one.steps) == (Verdict.OUT_OF_BOUNDS, 2)


def test_claims_about_runs_ask_for_the_level_of_a_state_and_for_no_number_of_the_search(
    tmp_path: Path,
) -> None:
    # TLC's trace exploration has such steps and such a view.
    body = r"""
    EXTENDS Naturals, TLC
    VARIABLE x
    Init == x = 1
    Next == (x < 5 /\ x = TLCGet("level") /\ x' = x + 1) \/ (x = 5 /\ x' = 3)
    View == <<x, IF TLCGet("level") = 6 THEN 3 ELSE TLCGet("level")>>
    Spec == Init /\ [][Next]_x /\ WF_x(Next)
    Equal == <>[](TLCGet("level") = x)
    Loops == ~[]<>(x = 5)
    Queue == <>(TLCGet("queue") = 0)
    """
    for view in ("", " VIEW View"):
        found = explored(tmp_path, body, f"SPECIFICATION Spec PROPERTIES Equal Loops Queue{view}")
        equal, loops, queue = (one for one in found if one.property != "deadlock")
        assert equal.verdict is Verdict.SAFE
        assert (loops.verdict, loops.steps) == (Verdict.VIOLATED, 5)
        assert queue.verdict is Verdict.OUT_OF_BOUNDS and "POSTCONDITION" in str(queue.reason)


@pytest.mark.parametrize("after", ["q", "Append(q, x)"])
def test_no_run_stays_or_goes_on_where_a_constraint_has_no_value(after: str, tmp_path: Path) -> None:
    body = f"""
    EXTENDS Integers, Sequences
    VARIABLES x, q
    Init == x = 0 /\\ q = <<1>>
    Next == x < 3 /\\ x' = x + 1 /\\ q' = (IF x = 0 THEN <<>> ELSE {after})
    Spec == Init /\\ [][Next]_<<x, q>> /\\ WF_x(Next)
    Bound == Head(q) > 0
    Live == <>(x = 5)
    """
    (found,) = explored(tmp_path, body, "SPECIFICATION Spec CONSTRAINT Bound PROPERTY Live")
    assert (found.verdict, found.steps) == (Verdict.OUT_OF_BOUNDS, 2)


@pytest.mark.parametrize(("name", "steps"), [("Steps", 3), ("Begins", 0)])
def test_a_claim_about_steps_without_a_value_is_out_of_bounds(tmp_path: Path, name: str, steps: int) -> None:
    """The search goes on: the invariant is violated two steps later."""
    body = r"""
    EXTENDS Integers
    VARIABLE x
    Spec == x = 0 /\ [][x' = (x + 1) % 6]_x
    Steps == [][x = 2 => x' = "three"]_x
    Begins == x = "zero"
    Small == x < 5
    """
    text = f"SPECIFICATION Spec INVARIANT Small PROPERTY {name} CHECK_DEADLOCK FALSE"
    small, found = explored(tmp_path, body, text)
    assert (small.verdict, small.steps) == (Verdict.VIOLATED, 5)
    (tmp_path / "M.cfg").write_text(text)
    options: list[Options] = [BmcOptions(depth=4), PdrOptions()]
    if steps:  # Circuits do without initial states that are out of bounds.
        options.append(ExploreOptions(by="circuits"))
    for one in (found, *(asked(tmp_path / "M.tla", name, each)[1] for each in options)):
        assert (one.verdict, one.steps) == (Verdict.OUT_OF_BOUNDS, steps)
        assert one.reason is not None and "is compared with" in one.reason and "M.tla:" in one.reason


def test_a_claim_about_the_first_state_need_have_no_value_later(tmp_path: Path) -> None:
    body = r"""
    EXTENDS Integers
    VARIABLE x
    Spec == x = 0 /\ [][x' = (x + 1) % 6]_x
    Refined == (IF x = 2 THEN x = "two" ELSE x = 0) /\ [][x' # 5]_x
    """
    text = "SPECIFICATION Spec PROPERTY Refined CHECK_DEADLOCK FALSE"
    (found,) = explored(tmp_path, body, text)
    (tmp_path / "M.cfg").write_text(text)
    options: list[Options] = [BmcOptions(depth=5), PdrOptions()]
    for one in (found, *(asked(tmp_path / "M.tla", "Refined", each)[1] for each in options)):
        assert (one.verdict, one.steps) == (Verdict.VIOLATED, 5)


@pytest.mark.parametrize(
    "claim", ["[][Tail(q) = Tail(q)]_q", "[][Tail(q') = <<1>> => x < 5]_x", "Head(q) = 1"]
)
def test_a_claim_about_steps_or_initial_states_without_a_value_is_out_of_bounds(
    claim: str, tmp_path: Path
) -> None:
    body = f"""
    EXTENDS Integers, Sequences
    VARIABLES q, x
    Init == q = <<>> /\\ x = 0
    Next == x < 2 /\\ x' = x + 1 /\\ q' = IF x = 0 THEN q ELSE <<1>>
    Claim == {claim}
    """
    text = "INIT Init NEXT Next PROPERTY Claim CHECK_DEADLOCK FALSE"
    (by_values,) = explored(tmp_path, body, text)
    (tmp_path / "M.cfg").write_text(text)
    ways = (ExploreOptions(), PdrOptions(), BmcOptions(depth=3))
    found = [by_values, *(asked(tmp_path / "M.tla", "Claim", way)[1] for way in ways)]
    steps = 0 if claim.startswith("Head") else 1
    assert [(one.verdict, one.steps) for one in found] == [(Verdict.OUT_OF_BOUNDS, steps)] * 4
    assert by_values.reason is not None and "M.tla:7:" in by_values.reason


def test_an_excluded_step_has_a_value(tmp_path: Path) -> None:
    """An action constraint is not evaluated where a constraint is false already."""
    for settings, wanted in (
        ("ACTION_CONSTRAINT Defined", 2),
        ("CONSTRAINT Few ACTION_CONSTRAINT Defined", None),
    ):
        text = f"INIT Init NEXT Next {settings} INVARIANT Lower\n"
        (result,) = explored(tmp_path, COUNTING, text)
        (tmp_path / "M.cfg").write_text(text)
        for one in (result, asked(tmp_path / "M.tla", "Lower", BmcOptions(depth=5))[1]):
            assert (one.verdict is Verdict.OUT_OF_BOUNDS) == (wanted is not None)


@pytest.mark.parametrize("keyword", ["CONSTRAINT", "ACTION_CONSTRAINT"])
def test_a_constraint_that_is_constantly_false_is_refused(tmp_path: Path, keyword: str) -> None:
    body = COUNTING + "One == 1\nNever == One = 2\n"
    with pytest.raises(ModelError, match=r"M.cfg:1:\d+: the constraint is constantly false"):
        explored(tmp_path, body, f"INIT Init NEXT Next {keyword} Never\n")


def test_values_have_literals(tmp_path: Path) -> None:
    interpreter = Interpreter(specification(tmp_path, "EXTENDS TLC, Naturals\nx == 1\n"))
    values = [-3, "a", sequence([1, "b"]), frozenset({frozenset[int](), frozenset({2})})]
    values += [function({"a": 1, "b": model_value("m")}), function({model_value("m"): 1, 4: 2})]
    for value in values:
        assert interpreter.constant(literal(value)) == value


def test_what_has_no_symbolic_form_is_named(tmp_path: Path) -> None:
    body = MUTEX + "Wild == \\A p \\in {turn} : []<>Inside(p)\n"
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text(config("Weak", "Wild"))
    with pytest.raises(Exception, match=r"no symbolic form.*M\.tla:.*no constant"):
        asked(path, "Wild", PdrOptions())


@pytest.mark.parametrize(("making", "places"), [(-1.0, [1, 10, 10]), (8.0, [1])])
def test_circuits_may_take_over_while_runs_are_looked_at(
    making: float, places: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They do where the steps from the other states take longer than a model may."""
    body = """
    EXTENDS Integers
    VARIABLE x
    Spec == x = 0 /\\ [][x < 9 /\\ x' = x + 1]_x /\\ WF_x(x < 9 /\\ x' = x + 1)
    Nine == <>(x = 9)
    """
    behaviour = Behaviour(specification(tmp_path, body, "SPECIFICATION Spec PROPERTY Nine"))
    known: list[int] = []
    seen: list[str] = []
    monkeypatch.setattr(specifications, "MAKING", making)
    monkeypatch.setattr(runs, "OFTEN", 4)
    explore_specification(
        behaviour,
        ExploreOptions(),
        Limits(),
        Listener(progress=lambda now: seen.append(str(now))),
        deadlock=False,
        busy=lambda states: known.append(len(states)),
    )
    assert known == places
    assert seen[-1] == "looking at runs: steps from 8 of 10 states"


def test_circuits_may_take_over_while_initial_states_are_listed_and_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    EXTENDS Integers
    VARIABLE x
    Spec == x \\in 0..9 /\\ [][x' = 0]_x /\\ WF_x(x' = 0)
    Zero == <>(x = 0)
    """
    behaviour = Behaviour(specification(tmp_path, body, "SPECIFICATION Spec PROPERTY Zero"))
    known: list[int] = []
    for module, name, value in (
        (explore, "OFTEN", 4),
        (runs, "OFTEN", 6),
        (specifications, "_FIRST_RUNS", 5),
    ):
        monkeypatch.setattr(module, name, value)
    explore_specification(
        behaviour,
        ExploreOptions(),
        Limits(),
        Listener(),
        deadlock=False,
        busy=lambda states: known.append(len(states)),
    )
    assert known == [4, 8, 10, 10, 10, 10]


def test_a_limit_on_states_ends_the_listing_of_initial_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    behaviour = Behaviour(
        specification(
            tmp_path,
            "EXTENDS Integers\nVARIABLE x\nInit == x \\in SUBSET (1..40)\nNext == x' = x",
            "INIT Init NEXT Next",
        )
    )
    monkeypatch.setattr(explore, "OFTEN", 4)
    answer = explore_specification(
        behaviour, ExploreOptions(max_states=10), Limits(30.0), Listener(), deadlock=False
    )
    facts = answer.told(ExploreFacts)
    assert facts.states == 10 and facts.stopped == "states: stopped at 10"


@pytest.mark.parametrize("by", ["circuits", VALUES])
def test_a_run_stops_where_it_may(tmp_path: Path, by: str) -> None:
    """On circuits a step that changes nothing came before the end."""
    path = write(tmp_path, Stops="VARIABLE x\nInit == x = 0\nNext == x' \\in {0, 1}\nLive == []<>(x = 1)")
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next PROPERTY Live")
    model = model_on_values(find(str(path)), {})
    (result,) = answer(model, Query(str(path), {}, None, ExploreOptions(by=by)), Limits()).results
    assert result.trace is not None
    assert (result.trace.length, result.trace.loop) == (0, 0)
