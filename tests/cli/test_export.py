"""`leadline export`: the files that it writes, and what it refuses."""

from pathlib import Path

from tests.cli.conftest import Leadline


def test_files_for_tlc(leadline: Leadline, tmp_path: Path) -> None:
    ran = leadline("export", "counter.py", "-p", "nodes=2", "--to", "tla", "--out", "out/tla")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "leadline: wrote out/tla/Counter.tla\nleadline: wrote out/tla/Counter.cfg\n"
    assert sorted(path.name for path in (tmp_path / "out" / "tla").iterdir()) == [
        "Counter.cfg",
        "Counter.tla",
    ]
    printed = leadline("export", "counter.py", "-p", "nodes=2", "--to", "tla").out
    assert (tmp_path / "out" / "tla" / "Counter.tla").read_text(encoding="utf-8") == printed
    assert (tmp_path / "out" / "tla" / "Counter.cfg").read_text(encoding="utf-8") == (
        "SPECIFICATION Spec\n"
        "CHECK_DEADLOCK FALSE\n"
        "CONSTANTS\n"
        "  Node = {n1, n2}\n"
        "INVARIANTS\n"
        "  InBounds\n"
        "  BelowThree\n"
        "  NotNegative\n"
        "  NeverOne\n"
        "\\* Fewer states, but counts that are not those of Leadline:\n"
        "\\* SYMMETRY Symmetry\n"
    )


def test_what_to_check_is_in_the_configuration(leadline: Leadline, tmp_path: Path) -> None:
    chosen = ("--property", "never-one", "--deadlock")
    leadline("export", "counter.py", "--to", "tla", "--out", ".", *chosen)
    lines = (tmp_path / "Counter.cfg").read_text(encoding="utf-8").splitlines()
    assert "CHECK_DEADLOCK TRUE" in lines
    assert lines[lines.index("INVARIANTS") + 1 :] == ["  InBounds", "  NeverOne"]
    assert "BelowThree ==" in (tmp_path / "Counter.tla").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made(leadline: Leadline, tmp_path: Path) -> None:
    ran = leadline("export", "counter.py", "--to", "tla", "--out", "counter.py")
    assert (ran.code, ran.out, ran.err) == (2, "", "leadline: --out counter.py: File exists\n")
    assert "class Counter" in (tmp_path / "counter.py").read_text(encoding="utf-8")


def test_the_language_has_to_be_named(leadline: Leadline) -> None:
    assert leadline("export", "counter.py").code == 2
    assert "invalid choice" in leadline("export", "counter.py", "--to", "latin").err
