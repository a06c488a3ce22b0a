"""`explore --dot`: the graph of states as TLC's -dump dot has it, merged, marked, or refused."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Leadline
from tests.tla.loading import write

EDGE = re.compile(r"  n(\d+) -> n(\d+) \[label=\"([^\"]*)\"(.*)\]")
NODE = re.compile(r"  n(\d+) \[label=\"((?:[^\"\\]|\\.)*)\"(.*)\]")

# TLC 2.15: 8 distinct states, 14 edges in the file of -dump dot,actionlabels; with the constraint 6 and 10.
MODULE = r"""
EXTENDS Integers
CONSTANT N
VARIABLES x, y
Init == x = 0 /\ y \in {0, 1}
Inc == x < N /\ x' = x + 1 /\ UNCHANGED y
Swap == y' = 1 - y /\ x' = x
Next == Inc \/ Swap
Big == x > 1
Of(z) == z
Inv == x # 2
Small == x < 3
Partial == CASE x < 2 -> TRUE
"""
CONFIG = "CONSTANT N = 3\nINIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n"


def drawn(
    leadline: Leadline, *arguments: str
) -> tuple[dict[str, str], set[tuple[str, str, str]], set[tuple[str, str]]]:
    """The labels of the nodes, the edges by these labels, and the marked ones."""
    ran = leadline("explore", *arguments, "--dot", "graph.dot")
    assert "wrote graph.dot" in ran.err, ran.err
    lines = Path("graph.dot").read_text(encoding="utf-8").splitlines()
    nodes = {found[1]: found[2] for line in lines if (found := NODE.fullmatch(line))}
    edges = [found for line in lines if (found := EDGE.fullmatch(line))]
    marked = {(nodes[x[1]], nodes[x[2]]) for x in edges if "#d55e00" in x[4]}
    return nodes, {(nodes[x[1]], nodes[x[2]], x[3]) for x in edges}, marked


@pytest.fixture
def module(leadline: Leadline, tmp_path: Path) -> Leadline:
    write(tmp_path, M=MODULE).with_suffix(".cfg").write_text(CONFIG)
    return leadline


def test_a_module_as_tlc_dumps_it(module: Leadline) -> None:
    nodes, edges, marked = drawn(module, "M.tla")
    assert {*nodes.values()} == {f"x = {x}\\ny = {y}" for x in range(4) for y in (0, 1)}
    assert len(edges) == 14 and {name for *_, name in edges} == {"Inc", "Swap"}
    assert marked == {(f"x = {x}\\ny = 0", f"x = {x + 1}\\ny = 0") for x in (0, 1)}
    text = Path("graph.dot").read_text()
    assert text.count("peripheries=2") == 2


def test_states_beyond_a_constraint_are_not_drawn(module: Leadline) -> None:
    Path("M.cfg").write_text(f"{CONFIG}CONSTRAINT Small\n")
    nodes, edges, _ = drawn(module, "M.tla")
    assert (len(nodes), len(edges)) == (6, 10)


def test_a_state_for_which_a_constraint_has_no_value_leads_out_of_bounds(module: Leadline) -> None:
    Path("M.cfg").write_text(f"{CONFIG}CONSTRAINT Partial\n")
    nodes, _, _ = drawn(module, "M.tla")
    assert len(nodes) == 8 and Path("graph.dot").read_text().count('label="out of bounds"') == 4


def test_states_are_merged(module: Leadline) -> None:
    nodes, edges, marked = drawn(module, "M.tla", "--merge", "Big", "--merge", "y")
    assert len(nodes) == 4 and len(edges) == 6
    assert marked == {("Big = FALSE\\ny = 0", "Big = TRUE\\ny = 0")}
    nodes, edges, marked = drawn(module, "M.tla", "--merge", "x + y")
    assert {*nodes.values()} == {f"x + y = {total}" for total in range(5)} and len(edges) == 8
    assert marked == {("x + y = 0", "x + y = 1"), ("x + y = 1", "x + y = 2")}
    others, *rest = drawn(module, "M.tla", "--merge", "x + y", "--by", "circuits")
    assert {*others.values()} == {*nodes.values()} and rest == [edges, marked]


@pytest.mark.parametrize(
    "text, told",
    [
        ("Bog", "--merge Bog: unknown operator `Bog`: did you mean `Big`?"),
        ("Of", "--merge Of: Of takes 1 argument"),
        ("x' + y", "the expression is about a step: expected one about one state"),
        ("x +", "expected an expression"),
        ("z == x", "a definition has no value: give the expression alone"),
        ("x.a", "no value in a reachable state"),
    ],
)
def test_mistakes_in_an_expression(module: Leadline, text: str, told: str) -> None:
    ran = module("explore", "M.tla", "--dot", "graph.dot", "--merge", text)
    assert ran.code == 2 and told in ran.err and len(ran.err.splitlines()) == 1
    assert not Path("graph.dot").exists()


def test_a_protocol_in_python(leadline: Leadline) -> None:
    nodes, edges, marked = drawn(leadline, "counter.py")
    assert nodes["0"] == "count = 0\\nseenBy = {}" and len(nodes) == 4
    assert {name for *_, name in edges} == {"CountUp"} and len(marked) == 3
    nodes, edges, _ = drawn(leadline, "counter.py", "--merge", "below-three", "--depth", "2")
    assert [*nodes.values()] == ["BelowThree = TRUE"] and not edges
    nodes, _, _ = drawn(leadline, "counter.py", "-p", "nodes=2", "--merge", "seenBy")
    assert len(nodes) == 4
    nodes, _, _ = drawn(leadline, "counter.py", "--merge", "now.count > 1")
    assert {*nodes.values()} == {"now.count > 1 = FALSE", "now.count > 1 = TRUE"}
    _, _, _ = drawn(leadline, "counter.py", "-p", "overflow=true")
    assert 'o3 [label="out of bounds"' in Path("graph.dot").read_text()


def test_what_is_refused(leadline: Leadline) -> None:
    ran = leadline("explore", "two-phase-commit", "--dot", "graph.dot")
    assert ran.code == 2 and not Path("graph.dot").exists()
    assert "over 500 nodes" in ran.err and "--merge EXPRESSION" in ran.err and "--depth K" in ran.err
    ran = leadline("explore", "counter.py", "--merge", "count")
    assert ran.code == 2 and "add --dot FILE" in ran.err
    ran = leadline("explore", "counter.py", "--merge", "cuont", "--dot", "graph.dot")
    assert ran.code == 2 and "--merge cuont: write below-three, " in ran.err
    assert "counter has no variable `cuont`" in ran.err and "name 'cuont' is not defined" in ran.err


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz: apt-get install graphviz")
def test_graphviz_reads_it(module: Leadline) -> None:
    text = MODULE.replace("y \\in {0, 1}", 'y \\in {"a\\\\b", "<b>; \\"#end", "&lt;"}').replace("1 - y", "y")
    Path("M.tla").write_text(Path("M.tla").read_text().replace(MODULE.strip(), text.strip()))
    nodes, _, _ = drawn(module, "M.tla")
    assert len(nodes) == 12
    ran = subprocess.run(["dot", "-Tsvg", "graph.dot"], capture_output=True, text=True, check=True)
    assert ran.stderr == "" and "&lt;b&gt;; \\&quot;#end" in ran.stdout and "&amp;lt;" in ran.stdout
