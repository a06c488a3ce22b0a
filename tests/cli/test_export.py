"""`leadline export`: the files that it writes, and what it refuses."""

from pathlib import Path

import pytest

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


def test_a_module_is_no_protocol_to_write_as_a_module(leadline: Leadline, tmp_path: Path) -> None:
    """It is one, and its export had other values, such as those of unions, and no constraints."""
    text = "---- MODULE Idle ----\nVARIABLE x\nInit == x = 1\nNext == x' = x\n====\n"
    (tmp_path / "Idle.tla").write_text(text)
    ran = leadline("export", "Idle.tla", "--to", "tla", "--out", "out")
    assert (ran.code, "Idle.tla is a TLA+ module, which TLC reads as it is" in ran.err) == (2, True)
    assert leadline("export", "Idle.tla", "--to", "aiger").code == 0


def test_a_folder_that_cannot_be_made(leadline: Leadline, tmp_path: Path) -> None:
    ran = leadline("export", "counter.py", "--to", "tla", "--out", "counter.py")
    assert (ran.code, ran.out, ran.err) == (2, "", "leadline: --out counter.py: File exists: name a folder\n")
    assert "class Counter" in (tmp_path / "counter.py").read_text(encoding="utf-8")


def test_the_language_has_to_be_named(leadline: Leadline) -> None:
    assert leadline("export", "counter.py").code == 2
    assert "invalid choice" in leadline("export", "counter.py", "--to", "latin").err


LARGE = """
from leadline.symbolic.lang import Bool, Int, Protocol, Set, action, pick

class Large(Protocol):
    def define(self, state):
        state.done = Bool()

    def init(self, start):
        start.done = False

    @action
    def choose(self, now, nxt, some=pick(Set(Int(1, 20)))):
        nxt.done = some.has(1)
"""


def test_a_set_that_tlc_refuses_to_enumerate_is_told_with_its_place(
    leadline: Leadline, tmp_path: Path
) -> None:
    (tmp_path / "large.py").write_text(LARGE, encoding="utf-8")
    ran = leadline("export", "large.py", "--to", "tla")
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert "large.py:12: " in ran.err and "-maxSetSize 1048576" in ran.err
    assert "\\E some \\in SUBSET (1..20)" in ran.out


AIGER = ("export", "counter.py", "-p", "nodes=2", "--to", "aiger")
TRACE = ("trace", "counter.aig", "--protocol", "counter.py", "--from-aiger-witness", "found")
FOUND = "1\nb0\n0000\n0\nc a comment\n1\nx\n0\n.\n"
"""Nodes n1, n2 and n1 count to three."""


def test_a_circuit_in_ascii_and_in_binary(leadline: Leadline, tmp_path: Path) -> None:
    printed = leadline(*AIGER)
    assert (printed.code, printed.err) == (0, "")
    first, *lines = printed.out.splitlines()
    assert first.split()[0] == "aag" and first.split()[2:5] == ["1", "4", "0"]
    assert lines[lines.index("i0 count_up.node=n2") :][:10] == [
        "i0 count_up.node=n2",
        "l0 bit_0_of_count=1",
        "l1 bit_1_of_count=1",
        "l2 n1_in_seen_by",
        "l3 n2_in_seen_by",
        "b0 below-three",
        "b1 not-negative",
        "b2 never-one",
        "b3 out-of-bounds:step",
        "c",
    ]
    ran = leadline(*AIGER, "--out", "counter.aag")
    assert (ran.code, ran.out, ran.err) == (0, "", "leadline: wrote counter.aag\n")
    assert (tmp_path / "counter.aag").read_text(encoding="utf-8") == printed.out
    leadline(*AIGER, "--out", "counter.aig", "--property", "below-three", "--deadlock")
    content = (tmp_path / "counter.aig").read_bytes()
    assert (
        content.startswith(b"aig ")
        and b"\nb0 below-three\nb1 deadlock\nb2 out-of-bounds:step\nc\n" in content
    )


def test_a_circuit_needs_a_form(leadline: Leadline, tmp_path: Path) -> None:
    ran = leadline(*AIGER, "--out", "counter")
    assert (ran.code, ran.out) == (2, "") and ".aig (binary) or .aag (ASCII)" in ran.err
    assert not (tmp_path / "counter").exists()


def test_a_witness_is_replayed_and_shown(leadline: Leadline, tmp_path: Path) -> None:
    for name in ("counter.aig", "counter.aag"):
        leadline(*AIGER, "--out", name)
    (tmp_path / "found").write_text(FOUND)
    ran = leadline(*TRACE)
    assert (ran.code, ran.err) == (0, "")
    assert "below-three violated in 3 steps" in ran.out
    calls = [f"CountUp(node = {node})" for node in ("n1", "n2", "n1")]
    assert [line.split(maxsplit=1)[1] for line in ran.out.splitlines() if "CountUp" in line] == calls
    assert leadline(*TRACE[:1], "counter.aag", *TRACE[2:]).out == ran.out
    # As ABC writes it.
    (tmp_path / "found").write_text("0000\n0\n1\n0\n0# DONE\n")
    assert leadline(*TRACE).out == ran.out
    leadline(*TRACE, "--format", "json", "--out", "found.json")
    again = leadline("trace", "found.json", "--protocol", "counter.py")
    assert again.out == ran.out


def test_a_deadlock_and_a_step_out_of_bounds_are_replayed(leadline: Leadline, tmp_path: Path) -> None:
    leadline(*AIGER, "--out", "counter.aig", "--deadlock")
    (tmp_path / "found").write_text(FOUND.replace("b0", "b3"))
    assert "deadlock after 3 steps" in leadline(*TRACE).out
    leadline(*AIGER, "--out", "counter.aig", "-p", "overflow=true")
    (tmp_path / "found").write_text(FOUND.replace("b0", "b3"))
    assert "out of bounds in 4 steps" in leadline(*TRACE).out


@pytest.mark.parametrize(
    ("witness", "complaint"),
    [
        ("0\nb0\n.\n", "found:1: a witness begins with 1, not 0"),
        (FOUND.replace("b0", "b9"), "found:2: the model has the bad-state outputs b0 to b3, not b9"),
        (FOUND.replace("b0", "bad"), "found:2: the model has the bad-state outputs b0 to b3, not bad"),
        (FOUND.replace("0000", "0100"), "found:3: latch 1 is 0 at first, not 1"),
        (FOUND.replace("0000", "000"), "found:3: 4 digits of 0, 1 and x needed, not '000'"),
        (FOUND.replace("x", "y"), "found:7: 1 digit of 0, 1 and x needed, not 'y'"),
        (FOUND.replace("x\n", ""), "found:7: below-three is false in the last frame (true there: no output)"),
        (
            FOUND.replace("b0", "b1"),
            "found:8: not-negative is false in the last frame (true there: below-three)",
        ),
        ("", "found: a line of latches and a line of inputs for each frame are needed"),
        ("1\nb0\n0000\n.\n", "found: a line of latches and a line of inputs for each frame are needed"),
    ],
)
def test_a_witness_that_is_none(leadline: Leadline, tmp_path: Path, witness: str, complaint: str) -> None:
    leadline(*AIGER, "--out", "counter.aig")
    (tmp_path / "found").write_text(witness)
    ran = leadline(*TRACE)
    assert (ran.code, ran.out) == (2, "") and ran.err.startswith(f"leadline: {complaint}")


def test_a_witness_needs_the_circuit_that_it_is_of(leadline: Leadline, tmp_path: Path) -> None:
    leadline(*AIGER, "--out", "counter.aig")
    path, found = tmp_path / "counter.aig", tmp_path / "found"
    assert "found cannot be read: No such file" in leadline(*TRACE).err
    found.write_bytes(b"\xff")
    assert "found:1 is no text in UTF-8" in leadline(*TRACE).err
    found.write_text(FOUND)
    asked = leadline("trace", "counter.aig", "--from-aiger-witness", "found")
    assert asked.code == 2 and "counter.aig --from-aiger-witness found --protocol counter.py" in asked.err
    content = path.read_bytes()
    for changed in (content.replace(b"below-three", b"above-three"), content.replace(b"n2", b"n1")):
        path.write_bytes(changed)
        ran = leadline(*TRACE)
        assert ran.code == 2 and "is not what Leadline exports of counter now" in ran.err
    path.write_bytes(content.replace(b'["below-three"', b"[3"))
    assert "an array of names" in leadline(*TRACE).err
    path.write_bytes(content.partition(b"\nc\n")[0])
    assert "counter.aig is not an AIGER file that Leadline wrote" in leadline(*TRACE).err
    assert "nothing.aig cannot be read" in leadline("trace", "nothing.aig", *TRACE[2:]).err


def test_claims_about_runs_are_in_the_configuration(leadline: Leadline, tmp_path: Path) -> None:
    chosen = ("--property", "wears-out", "--property", "is-a-plug")
    assert leadline("export", "lamp.py:Lamp", "--to", "tla", "--out", ".", *chosen).code == 0
    lines = (tmp_path / "Lamp.cfg").read_text(encoding="utf-8").splitlines()
    assert lines[2:] == ["INVARIANTS", "  InBounds", "PROPERTIES", "  WearsOut", "  IsAPlug"]


def test_claims_about_runs_are_left_out_of_aiger(leadline: Leadline) -> None:
    named = leadline("export", "lamp.py:Lamp", "--to", "aiger", "--property", "wears-out")
    assert (named.code, named.out) == (2, "") and "wears-out" in named.err and "justice" in named.err
    ran = leadline("export", "lamp.py:Lamp", "--to", "aiger")
    assert ran.code == 0 and ran.out.startswith("aag ")
    assert "left out: is-plugged, wears-out, stays-worn" in ran.err and "--to tla" in ran.err


@pytest.mark.parametrize("engine", [("explore",), ("bmc", "--depth", "5", "--solver", "cadical")])
def test_an_exported_module_has_the_verdicts_of_its_protocol(
    engine: tuple[str, ...], leadline: Leadline
) -> None:
    """Leadline reads the module back: its fairness, its PROPERTY, and the refinements among them."""
    leadline("export", "lamp.py:Lamp", "--to", "tla", "--out", ".")
    found = {}
    for source in ("lamp.py:Lamp", "Lamp.tla"):
        ran = leadline("check", source, "--engine", *engine)
        assert ran.code == 13, ran.err
        rows = [line.split() for line in ran.out.splitlines() if not line.startswith(" ")]
        found[source] = [row[1] for row in rows if row[1:2] in (["safe"], ["violated"])]
    assert found["Lamp.tla"] == ["safe", *found["lamp.py:Lamp"]], "InBounds, and all properties"
    assert len(found["Lamp.tla"]) == 7
