"""`leadline conform`: what it shows, its exit codes, its formats; and the same in Python."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import leadline as library
from leadline.symbolic.cli import conform
from tests.cli.conftest import Leadline


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "run.ndjson"
    path.write_text("".join(f'{{"action": "CountUp", "after": {{"count": {x}}}}}\n' for x in (1, 2, 3)))
    return path


def test_a_log_that_conforms(leadline: Leadline, log: Path) -> None:
    ran = leadline("conform", "counter.py", str(log))
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "conforms: 3 events as a run of 3 steps"
    assert "  3  CountUp" in ran.out
    ran = leadline("conform", "counter.py", str(log), "--format", "json", "--out", "answer.json")
    told = json.loads(Path("answer.json").read_text())
    assert (ran.code, told["verdict"], told["events"]) == (0, "conforms", 3)
    Path("run.json").write_text(json.dumps(told["run"]))
    ran = leadline("trace", "run.json", "--protocol", "counter.py", "--html", "run.html")
    assert ran.code == 0
    assert "a run of 3 steps" in ran.out
    assert "CountUp" in Path("run.html").read_text()


def test_a_log_that_does_not(leadline: Leadline, log: Path) -> None:
    log.write_text(log.read_text().replace("3", "2"))
    ran = leadline("conform", "counter.py", str(log))
    assert ran.code == 12
    assert ran.out.splitlines() == [
        f'{log}:3: {{"action": "CountUp", "after": {{"count": 2}}}}',
        "  CountUp(node = n1): count would be 3, and the log says 2",
        "  nearest: CountUp(node = n1) is possible, but count would be 3, and the log says 2",
        "",
        "does not conform: the first 2 events of 3 are a run of the model, and no step explains the next",
    ]
    ran = leadline("conform", "counter.py", str(log), "--format", "json")
    told = json.loads(ran.out)
    assert (told["verdict"], told["explained"], told["run"]["length"]) == ("does not conform", 2, 2)
    ran = leadline("conform", "counter.py", str(log), "--html", "prefix.html")
    assert ran.code == 12
    page = Path("prefix.html").read_text()
    assert "run.ndjson:3: no step explains this, after 2 of 3 events" in page
    assert "CountUp(node = n1): count would be 3, and the log says 2" in page
    assert told["why"] == [
        {"action": "CountUp(node = n1)", "wrong": ["count would be 3, and the log says 2"]}
    ]


def test_unknown_and_mistakes(leadline: Leadline, log: Path) -> None:
    ran = leadline("conform", "counter.py", str(log), "--timeout", "0.000001")
    assert (ran.code, "before the model was made" in ran.err) == (20, True)
    ran = leadline("conform", "counter.py", "missing.ndjson")
    assert (ran.code, "missing.ndjson cannot be read: No such file" in ran.err) == (2, True)
    log.write_text('{"action": "CountDwn"}\n')
    ran = leadline("conform", "counter.py", str(log))
    assert (ran.code, "did you mean" in ran.err) == (2, True)


def test_as_a_library(leadline: Leadline, log: Path) -> None:
    found = library.conform("counter.py", log)
    assert found and found.run is not None
    assert [str(step) for step in found.run.steps] == ["CountUp(node = n1)"] * 3
    assert library.assert_conforms("counter.py", [log], top=6).events == 3
    log.write_text(log.read_text().replace("3", "2"))
    found = library.conform("counter.py", log)
    assert (found.verdict, found.explained, found.place) == ("does not conform", 2, f"{log}:3")
    with pytest.raises(AssertionError, match="count would be 3, and the log says 2"):
        library.assert_conforms("counter.py", log)


def test_runs_that_cover_a_protocol(leadline: Leadline) -> None:
    ran = leadline("cover", "counter.py", "--out", "runs")
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "1 of 1 goal met by 1 run"
    assert sorted(x.name for x in Path("runs").iterdir()) == ["run-1.itf.json", "run-1.json", "run-1.ndjson"]
    for name in ("run-1.ndjson", "run-1.itf.json"):
        assert leadline("conform", "counter.py", f"runs/{name}").code == 0
    assert leadline("trace", "runs/run-1.json", "--protocol", "counter.py").code == 0
    ran = leadline("cover", "counter.py", "--goal", "count", "--depth", "1", "--format", "json")
    told = json.loads(ran.out)
    assert (ran.code, told["missing"], told["complete"]) == (20, ["count = 2", "count = 3"], False)


def test_a_run_of_cover_that_cannot_be_written_is_told_by_its_file(leadline: Leadline) -> None:
    Path("runs/run-1.json").mkdir(parents=True)
    ran = leadline("cover", "counter.py", "--out", "runs")
    assert (ran.code, ran.err) == (2, "leadline: --out runs: runs/run-1.json: Is a directory\n")


def test_cover_without_a_goal_is_a_mistake(leadline: Leadline) -> None:
    Path("plain.py").write_text(Path("counter.py").read_text().partition("@invariant")[0])
    ran = leadline("cover", "plain.py", "--goal", "properties")
    assert (ran.code, "counter has no goal of properties: no probe" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("picks", ['["n1"]', '"n1"', "3"])
def test_picks_that_are_no_object_are_told(picks: str, leadline: Leadline) -> None:
    """They were passed over, and the log conformed."""
    Path("run.ndjson").write_text(f'{{"action": "CountUp", "picks": {picks}}}\n')
    ran = leadline("conform", "counter.py", "run.ndjson")
    assert (ran.code, ran.err) == (2, "leadline: run.ndjson:1: picks: an object by picks is needed\n")


@pytest.mark.parametrize(
    "arguments", [("cover", "--goal", "count", "--out", "runs"), ("check", "--all", "3")]
)
def test_ctrl_c_keeps_the_runs_so_far(
    arguments: tuple[str, ...], leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def live(_: str) -> Iterator[Callable[[str], None]]:
        yield lambda text: signal.raise_signal(signal.SIGINT) if text.startswith("1 state,") else None

    monkeypatch.setattr(conform, "live", live)
    command, *options = arguments
    ran = leadline(command, "counter.py", *options)
    assert (ran.code, "within 1 state (interrupted)" in ran.out) == (130, True)
    assert Path("runs/run-1.json").exists() is (command == "cover")


@pytest.mark.slow
def test_the_log_of_a_simulation_conforms(leadline: Leadline) -> None:
    """Values of a TLA+ module are told without tags, and read so."""
    module = Path(library.__file__).parent / "benchmarks" / "modules" / "elections.tla"
    asked = ("simulate", str(module), "--runs", "1", "--depth", "12", "--seed", "3", "--log", "run.ndjson")
    assert leadline(*asked).code == 20
    first, *lines = map(json.loads, Path("run.ndjson").read_text().splitlines())
    assert (first["action"], len(lines)) == ("Init", 12)
    votes = {json.dumps(line["after"]["vote"]["s1"]) for line in (first, *lines)}
    assert votes <= {'"None"', *(f'"s{number}"' for number in range(1, 6))} and len(votes) > 1
    assert "conforms: 12 events" in leadline("conform", str(module), "run.ndjson").out
    Path("run.ndjson").write_text(json.dumps({"action": "Crash", "after": {"vote": {"s1": 1}}}))
    told = leadline("conform", str(module), "run.ndjson").err
    assert "run.ndjson:1: vote[s1]: a value of {None" in told and "is needed, not 1" in told


@pytest.mark.parametrize("by", ["values", "circuits", "solver"])
def test_a_log_names_an_action_of_a_module_and_its_parameters(by: str, leadline: Leadline) -> None:
    """In the model it may be several actions, and a parameter that an equation fixes is no pick."""
    Path("M.tla").write_text(r"""---- MODULE M ----
EXTENDS Sequences, Naturals
CONSTANT P
VARIABLES sent, taken
Init == sent = <<>> /\ taken = 0
Send(p) == Len(sent) < 2 /\ sent' = Append(sent, p) /\ UNCHANGED taken
Take(p) == /\ sent # <<>> /\ p = Head(sent) /\ sent' = Tail(sent)
           /\ (taken = 0 /\ taken' = 1) \/ (taken > 0 /\ UNCHANGED taken)
Next == \E p \in P : Send(p) \/ Take(p)
====
""")
    Path("M.cfg").write_text("INIT Init NEXT Next CONSTANT P = {a, b}")
    Path("map.toml").write_text('[picks]\np = "by"\n')
    events = [("Send", "a"), ("Send", "b"), ("Take", "a"), ("Take", "b")]

    for more in ([], ["--map", "map.toml"]):
        for order, answer in (
            (events, "conforms: 4 events"),
            ([*events[:2], *events[:1:-1]], "does not conform"),
        ):
            lines = [{"action": x, "by": y, "picks": {"p": y}} for x, y in order]
            Path("log.ndjson").write_text("".join(json.dumps(one) + "\n" for one in lines))
            assert answer in leadline("conform", "M.tla", "log.ndjson", "--by", by, *more).out


def test_counterexamples_that_differ(leadline: Leadline) -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "how-to" / "conform.md").read_text()
    model = page.partition("```python\n")[2].partition("```")[0]
    Path("hasty.py").write_text(
        model.replace(
            "forall(self.Participant, lambda p: now.counted", "exists(self.Participant, lambda p: now.counted"
        )
    )
    ran = leadline("check", "hasty.py", "--all", "2", "--format", "json")
    told = json.loads(ran.out)
    assert (ran.code, told["complete"], len(told["counterexamples"])) == (12, False, 2)
    assert [len(one["run"]["states"]) - 1 for one in told["counterexamples"]] == [5, 6]
    ran = leadline("check", "hasty.py", "--all", "9", "--view", "now.counted.size")
    assert [line for line in ran.out.splitlines() if line[:1].isdigit()] == [
        "1. agreement: 1",
        "2. agreement: 2",
        "2 counterexamples, each to another violation; there are no more",
    ]
    assert "agreement violated in 5 steps" in ran.out
    Path("right.py").write_text(model)
    ran = leadline("check", "right.py", "--all", "2", "-p", "participants=2")
    assert (ran.code, ran.out.splitlines()[-1][:18]) == (0, "0 counterexamples,")
    for option in (
        "--solver=z3",
        "--shortest",
        "--no-symmetry",
        "--every-state",
        "--deadlock",
        "--fail-fast",
    ):
        ran = leadline("check", "right.py", "--all", "2", option)
        assert ran.code == 2 and f"leave out {option.partition('=')[0]}\n" in ran.err
    ran = leadline("check", "hasty.py", "--all", "2", "--max-states", "1")
    assert ran.code == 20 and "found within" in ran.out
    ran = leadline("check", "counter.py", "--all", "2", "-p", "overflow=true", "--property", "not-negative")
    assert ran.code == 21 and "(a step goes out of bounds)" in ran.out
    assert "Step 4 goes out of bounds" in ran.out


def test_an_invariant_out_of_bounds_is_told_beside_all_violations(leadline: Leadline) -> None:
    text = """---- MODULE B ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x < 4 /\\ x' = x + 1
Partial == [y \\in 0..2 |-> y < 2][x]
====
"""
    Path("B.tla").write_text(text)
    for top, code, ends in ((4, 12, True), (1, 0, False)):
        Path("B.tla").write_text(text.replace("x < 4", f"x < {top}"))
        Path("B.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Partial\nCHECK_DEADLOCK FALSE\n")
        ran = leadline("check", "B.tla", "--all", "9", "--format", "json")
        told = json.loads(ran.out)
        assert (ran.code, len(told["counterexamples"]), told["out_of_bounds"] is not None) == (
            code,
            ends,
            False,
        )
    Path("B.tla").write_text(text.replace("y < 2]", "y < 3]"))
    ran = leadline("check", "B.tla", "--all", "9")
    assert ran.code == 21
    assert "The evaluation of Partial goes out of bounds" in ran.out
    assert "0 counterexamples" in ran.out


def test_expressions_of_a_module(leadline: Leadline) -> None:
    text = r"""---- MODULE M ----
EXTENDS Integers, FiniteSets
VARIABLES x, y
Init == x = {} /\ y = 0
Next == \E e \in 1..3 : x' = x \union {e} /\ y' = Cardinality(x)
Inv == Cardinality(x) < 2
====
"""
    Path("M.tla").write_text(text)
    Path("M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\n")
    ran = leadline("cover", "M.tla", "--goal", "Cardinality(x) - y", "--format", "json")
    told = json.loads(ran.out)
    met = {goal for one in told["runs"] for goal in one["goals"]}
    assert met == {f"Cardinality(x) - y = {number}" for number in (0, 1)}
    ran = leadline("check", "M.tla", "--all", "9", "--view", "Cardinality(x) * 10")
    assert [line for line in ran.out.splitlines() if line[:2] == "1."] == ["1. Inv: 20"]
    assert (ran.code, "1 counterexample, each to" in ran.out) == (12, True)
    # A violation is told although the view has no value there.
    ran = leadline("check", "M.tla", "--all", "9", "--view", "IF x = {} THEN 1 ELSE CHOOSE e \\in {} : e = y")
    assert ran.code == 12 and "is out of bounds" in ran.out
    for text, told in (("Cardinal(x)", "unknown operator `Cardinal`"), ("y'", "about a step")):
        for question in (("cover", "M.tla", "--goal"), ("check", "M.tla", "--all", "2", "--view")):
            ran = leadline(*question, text)
            assert ran.code == 2 and told in ran.err and len(ran.err.splitlines()) == 1
