"""Every table is whole at 80 and at 120 columns: no line is longer, and no verdict is cut or broken."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from leadline.symbolic.api.tables import SPARE, plain
from leadline.symbolic.cli import main, terminal
from leadline.symbolic.cli.output import coloured
from leadline.symbolic.engines import Table
from leadline.symbolic.grid.store import Store
from tests.cli.conftest import HERE, Leadline
from tests.grid.rows import row, unknown

WIDTHS = (80, 120)

GRID = """
[[check]]
protocol = "two-phase-commit"
parameters = { resource_managers = [2, 3], rm_may_fail = [false, true] }
properties = ["consistency", "type-ok"]
engines = ["bmc", "pdr"]
depth = [4, 8]
"""

COMMANDS = [
    "check counter.py",
    "check counter.py --depth 4",
    "check two-phase-commit --depth 3 --unroll steps --solver cadical",
    "check lamp.py:Lamp",
    "explore counter.py --coverage",
    "explore two-phase-commit --depth 4",
    "prove two-phase-commit --property consistency --engine induction",
    "prove two-phase-commit --property consistency --engine pdr --show-invariant",
    "simulate counter.py --runs 3",
    "list",
    "list --all",
    "list counter.py",
    "show spanner-leases",
    "grid grid.toml --plan",
    "results store",
    "trace two.json --property consistency",
    "trace counter.json --protocol counter.py",
]
LONG = {
    "check counter.py",
    "check two-phase-commit --depth 3 --unroll steps --solver cadical",
    "check lamp.py:Lamp",
    "explore two-phase-commit --depth 4",
    "prove two-phase-commit --property consistency --engine pdr --show-invariant",
    "list --all",
}
"""Commands that others of these are like."""


def terminal_of(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Make standard output a terminal of a width, without colours."""
    monkeypatch.setattr(terminal, "is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a grid, a store with answers of every kind, and two counterexamples."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "grid.toml").write_text(GRID)
    store = Store(folder / "store")
    store.create()
    moot = row(
        query="m",
        property="strong-isr",
        verdict="moot",
        steps=None,
        depth=-1,
        reason="violated in 11 steps",
        moot_by="0a" * 20,
    )
    proved = row(query="p", property="a-property-of-a-long-name", verdict="proved", steps=None, trace=None)
    for one in (row(), moot, proved, unknown("time: stopped after 600 s", query="u", parameters='{"top":9}')):
        store.keep(one)
    counter = ("counter.py", "--depth", "4", "--format", "json", "--out", str(folder / "counter.json"))
    backup = ("two-phase-commit", "-p", "variant=backup-manager", "--property", "consistency")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HERE)
        assert main(["check", *counter]) == 12
    assert (
        main(["check", *backup, "--unroll", "sweeps", "--format", "json", "--out", str(folder / "two.json")])
        == 12
    )
    return folder


def files(made: Path) -> None:
    """Copy the files into the working directory."""
    shutil.copytree(made, ".", dirs_exist_ok=True)


def refused(line: str, width: int) -> bool:
    """Whether a line is too long, though it could be broken at a space."""
    return len(line) > width and " " in line.strip()


@pytest.mark.parametrize(
    ("command", "width"),
    [
        pytest.param(command, width, marks=[pytest.mark.slow] if width == 120 or command in LONG else [])
        for width in WIDTHS
        for command in COMMANDS
    ],
)
def test_no_line_is_longer_than_the_terminal(
    command: str, width: int, made: Path, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(made)
    terminal_of(monkeypatch, width)
    ran = leadline(*command.split())
    assert ran.out, ran.err
    assert not [line for line in ran.out.splitlines() if refused(line, width)]


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_verdicts_stand_beside_their_properties(
    width: int, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("check", "two-phase-commit", "--depth", "3", "--unroll", "steps", "--solver", "cadical")
    rows = [line.split()[:2] for line in leadline(*asked).out.splitlines()]
    terminal_of(monkeypatch, width)
    narrow = [line.split()[:2] for line in leadline(*asked).out.splitlines()]
    known = [row for row in rows if row[:1] in (["consistency"], ["type-ok"])]
    assert known
    assert all(row in narrow for row in known)


def test_a_table_of_a_store_has_no_hash_and_whole_verdicts(
    made: Path, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(made)
    for width in WIDTHS:
        terminal_of(monkeypatch, width)
        out = leadline("results", "store").out
        assert "moot: violated in 11 steps" in out and "0a0a" not in out
        assert any(line.endswith("proved") or " proved " in line for line in out.splitlines())
        assert out.rstrip().splitlines()[-1].startswith("4 queries: ")


def test_words_are_not_broken_in_a_trace(
    made: Path, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(made)
    words = leadline("trace", "two.json").out.split()
    for width in WIDTHS:
        terminal_of(monkeypatch, width)
        assert leadline("trace", "two.json").out.split() == words


def test_a_description_fills_the_lines(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal_of(monkeypatch, 80)
    told = leadline("show", "two-phase-commit").out.partition("one step is")[0].splitlines()
    assert "  a message; it loses its messages and recovers its state from a log, and does" in told
    begin = next(place for place, line in enumerate(told) if line.startswith("  - crashing-managers: all"))
    assert told[begin + 1].startswith("    decides by itself, ")
    assert told[begin + 3].startswith("  - backup-manager:")


def test_the_list_fits_on_a_screen(leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal_of(monkeypatch, 80)
    brief, whole = leadline("list").out.splitlines(), leadline("list", "--all").out.splitlines()
    assert len(brief) <= 24 < len(whole)
    assert any(line.startswith("two-phase-commit ") for line in brief)
    assert any(line.split()[:1] == ["resource_managers"] for line in whole)


names = st.text("abcdefghij-", min_size=1, max_size=28)
verdicts = st.sampled_from(
    [
        "proved",
        "violated in 11 steps",
        "safe within 11 sweeps",
        "moot: violated in 11 steps",
        "unknown beyond 3 steps",
    ]
)
points = st.integers(0, 6)


@given(st.data(), points, st.sampled_from(WIDTHS))
def test_a_table_of_a_grid_keeps_every_property_with_its_verdict(
    data: st.DataObject, many: int, width: int
) -> None:
    cell = st.text("abcdefghijklm ,=", max_size=30).map(str.strip)
    header = [*(f"parameter_{number}" for number in range(many)), "property", "asked", "solver", "verdict"]
    effort = ["seconds", "MB", "run"]
    row = st.tuples(
        *[cell] * many, names, cell, cell, verdicts, st.just("12.3"), st.just("1234"), st.just("earlier")
    )
    rows = data.draw(st.lists(row, min_size=1, max_size=6))
    table = Table([*header, *effort], rows)
    lines = plain(table, width)
    assert not [line for line in lines if refused(line, width)]
    for one in rows:
        assert any(one[many] in line and one[many + 3] in line for line in lines)
    if sum(map(len, plain(table))) and max(map(len, plain(table))) <= width:
        assert lines == plain(table)


def test_what_matters_least_goes_first() -> None:
    row = ["consistency", "pdr", "cadical", "proved", "-", "12.3", "99", "now"]
    table = Table(["property", "asked", "solver", "verdict", "steps", "seconds", "MB", "run"], [row])
    gone = []
    for width in range(70, 24, -1):
        head = plain(table, width)[0].split()
        gone += [name for name in table.header if name not in head and name not in gone]
    assert gone[:3] == ["steps", "run", "MB"]
    assert {"property", "verdict"}.isdisjoint(gone)
    assert set(gone) <= {"steps", *SPARE}


def test_a_line_of_a_trace_breaks_between_words_and_in_colour_too() -> None:
    text = "  " + " ".join(["/\\ counter = 11"] * 12)
    lines = plain(text, 80)
    assert len(lines) > 1
    assert " ".join(" ".join(lines).split()) == " ".join(text.split())
    assert coloured([text], 80).splitlines() == lines
