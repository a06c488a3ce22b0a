"""Modules that are wrong or large in unusual ways end with one clear message, or an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.concrete.expressions import function_of
from leadline.symbolic.tla.lower.expressions import Lowering
from leadline.symbolic.tla.lower.scope import Scope
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.typing import untyped
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.tla.values.operators import listed
from leadline.symbolic.tla.values.values import tla_text
from tests.tla.loading import specification, write

PLAIN = "INIT Init NEXT Next INVARIANT Inv\n"
CASES = {
    "no initial state": ("Init == x = 0 /\\ x = 1", "TRUE", PLAIN, 150, "satisfies the initial condition"),
    "a value for a variable": ("Init == x = 0", "TRUE", PLAIN + "CONSTANT x = 3", 150, "x is a variable"),
    "fairness of no action": (
        "Init == x = 0\nSpec == Init /\\ [][Next]_x /\\ WF_x(x + 1)\nP == <>(x = 1)",
        "TRUE",
        "SPECIFICATION Spec PROPERTY P",
        21,
        "1 is no truth value",
    ),
    "a next value where none is given": (
        "Init == x = [p \\in {} |-> 0]\nT == x \\in [{} -> 0..2]",
        "ENABLED (T')",
        PLAIN,
        21,
        "x' has no value here",
    ),
    "an initial value that is not given": (
        "Init == TRUE",
        "TRUE",
        PLAIN,
        21,
        ".tla:5:1: the initial condition leaves open x:",
    ),
    "an initial value that is read first": (
        "Init == x < 1 /\\ x = 0",
        "TRUE",
        PLAIN,
        21,
        "x has no value here",
    ),
    "next values that are not given": (
        "VARIABLES y, z\nInit == x = 0 /\\ y = 0 /\\ z = 0",
        "TRUE",
        PLAIN,
        21,
        ".tla:4:1: the step leaves open y', z': expected UNCHANGED <<y, z>>",
    ),
    "5,000 digits": ("Init == x = 0", f"x < {'9' * 5000}", PLAIN, 0, ""),
    "4,000 parentheses": ("Init == x = 0", f"{'(' * 4000}x = 0{')' * 4000}", PLAIN, 150, "too deeply"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("command", ["explore", pytest.param("check", marks=pytest.mark.slow)])
def test_a_hostile_module_ends_with_a_message(
    tmp_path: Path, command: str, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    start, invariant, config, code, told = CASES[case]
    body = f"EXTENDS Integers\nVARIABLE x\nNext == x' = x\n{start}\nInv == {invariant}"
    path = write(tmp_path, M=body)
    path.with_suffix(".cfg").write_text(config)
    for more in ([], ["--depth", "3"]):
        assert main([command, str(path), *more]) == code
        said = "".join(capsys.readouterr())
        assert told in said and "Traceback" not in said


def test_a_value_on_the_command_line_that_nests_too_deeply_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, deep = write(tmp_path, M="CONSTANT N\nASSUME N = 1"), f"{'(' * 4000}1{')' * 4000}"
    path.with_suffix(".cfg").write_text("CONSTANT N = 1\n")
    assert main(["explore", str(path), "-p", f"N={deep}"]) == 150
    assert "-p N:1:1: an expression nests too deeply" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        *(["check", "--engine", engine] for engine in ("pdr", "bmc", "explore")),
        *(["prove", "--engine", engine] for engine in ("pdr", "induction")),
        ["simulate"],
    ],
    ids=" ".join,
)
def test_no_initial_state_is_a_mistake(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, M="VARIABLE x\nInit == x = 0 /\\ x = 1\nNext == x' = x\nInv == TRUE")
    path.with_suffix(".cfg").write_text(PLAIN)
    name, *options = command
    goal = ["--property", "Inv"] if name == "prove" else []
    assert main([name, str(path), *options, *goal]) == 150
    assert "no state satisfies the initial condition" in capsys.readouterr().err


def test_an_initial_condition_without_a_value_is_no_missing_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(
        tmp_path, M="EXTENDS Integers\nVARIABLE x\nInit == x = 1 \\div 0\nNext == x' = x\nInv == TRUE"
    )
    path.with_suffix(".cfg").write_text(PLAIN)
    assert main(["check", str(path)]) == 21
    assert "no state satisfies" not in capsys.readouterr().err


def test_a_string_and_a_sequence_in_one_variable_have_no_symbolic_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = 'EXTENDS Integers, Sequences\nVARIABLES s, n\nInit == s = "a" /\\ n = 0\n'
    steps = "Next == n < 2 /\\ n' = n + 1 /\\ s' = IF n = 0 THEN <<1, 2>> ELSE \"abc\"\n"
    path = write(tmp_path, M=f"{start}{steps}Inv == Len(s) < 4")
    path.with_suffix(".cfg").write_text(f"{PLAIN}CHECK_DEADLOCK FALSE")
    assert main(["prove", str(path), "--property", "Inv"]) == 20
    told = capsys.readouterr().out
    assert "Inv: no symbolic form, so that only exploration on values answers: a sequence is needed" in told
    assert "in Inv)" in told and "out" not in told
    assert main(["check", str(path)]) == 0


def _chain(operator: str, operand: str, count: int = 250) -> str:
    return f" {operator} ".join(operand.format(i) for i in range(count))


LONG = {
    rf"{{x \in 0..3 : {_chain('/' + chr(92), 'x # 2 - {0} + {0}')}}}": "{0, 1, 3}",
    rf"{{x \in 0..3 : {_chain(chr(92) + '/', 'x = 2 * {}')}}}": "{0, 2}",
    rf"{{{_chain('+', 'x * {}')} : x \in {{0, 1}}}}": "{0, 31125}",
    rf"Cardinality(UNION {{{_chain(chr(92) + 'cup', '{{x, {}}}')} : x \in {{0, 500}}}})": "251",
    rf"Tail({_chain(chr(92) + 'o', '<<{}>>')})[249]": "249",
    # Only those that associate are taken in another order.
    rf"{{{_chain('++', 'x', 60)} : x \in {{1, 2}}}}": "{1, 2}",
    rf"{{{_chain('-', 'x', 60)} : x \in {{1, 2}}}}": "{-116, -58}",
    # In a chain the last operand has the place 2, in a list that of its number.
    "{x \\in 0..9 : Chain(x)!1!2 /\\ Listed(x)!2}": "{0, 2, 3, 4, 5, 6, 7, 8, 9}",
    f"{{{''.join(f'IF x = {i} THEN {2 * i} ELSE ' for i in range(250))} 0 : x \\in {{2, 3, 700}}}}": "{0, 4, 6}",
    f"LET a0 == 1 IN {''.join(f'LET a{i + 1} == a{i} IN ' for i in range(250))} a250": "1",
    f"{{CASE {_chain('[]', 'x = {0} -> 2 * {0}', 250)} : x \\in {{2, 3}}}}": "{4, 6}",
}
OPERATORS = [
    "EXTENDS Integers, Sequences, FiniteSets",
    "a ++ b == 2 * b - a",
    f"Chain(x) == {_chain('/' + chr(92), 'x # 39 - {}', 40)}",
    "Listed(x) ==" + "".join(f"\n  /\\ x # {i}" for i in range(40)),
]


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_long_chains_are_read_and_mean_the_same_in_both_meanings(text: str, tmp_path: Path) -> None:
    one = specification(tmp_path, "\n".join((*OPERATORS, f"A == {text}")))
    e = s.Apply("A")
    assert tla_text(listed(Interpreter(one).constant(e))) == LONG[text]
    with s.deeply():
        node = Lowering(one, {}).value(e, Scope())
    assert tla_text(untyped(function_of(node, {})((), {}), node.type)) == LONG[text]
