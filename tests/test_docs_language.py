"""The page on the language says what is so: every example of it is run, every row of its tables evaluated."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import leadline.symbolic.lang as language
from leadline.symbolic.cli import main
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.encode.layout import Layout
from leadline.symbolic.engines import Verdict
from leadline.symbolic.lang import (
    Claim,
    Model,
    ModelError,
    OutOfBounds,
    Protocol,
    State,
    Type,
    action,
    build,
    in_tla,
    invariant,
    nodes as n,
)
from leadline.symbolic.lang.coercion import as_node, mistakes_of
from leadline.symbolic.lang.expr import wrap
from leadline.symbolic.lang.symmetry import symmetric_sorts
from leadline.symbolic.notation.expressions import to_tla
from tests.asking import bounded_query, here
from tests.export.parsed import parsed
from tests.language_page import (
    BEYOND,
    CAREFUL,
    EXPRESSIONS,
    LOCKS,
    MISTAKES,
    OPERATOR,
    PAGE,
    RUNS,
    SAMPLE,
    SHORT,
    SHOWN,
    STEPS,
    TURNS,
    TYPES,
    codes,
    first,
)
from tests.pages import as_shown

NAMES = {name: getattr(language, name) for name in language.__all__}
SOLVERS = ("z3", "cadical")

OTHERWISE = {
    r"~yes \/ i # 3": r"~yes \/ i # 3",
    "yes <=> i = 2": "yes = (i = 2)",
    r"\E a, b \in nodes : a # b": r"\E a \in nodes : \E b \in nodes : a # b",
    "CASE i = 1 -> 10 [] i = 2 -> 20 [] OTHER -> 0": "IF i = 1 THEN 10 ELSE IF i = 2 THEN 20 ELSE 0",
    "LET n == i + 1 IN n * n": "(i + 1) * (i + 1)",
    r"{count[n] : n \in DOMAIN count}": r"{count[key] : key \in Node}",
    r"\A n \in nodes, x \in few : count[n] # x": r"\A n \in nodes : \A x \in few : count[n] # x",
    "FoldFunction(LAMBDA a, x : a + x, 0, count)": r"Cardinality({pair \in Node \X (1..5) : "
    "pair[2] <= count[pair[1]]})",
    "FoldSet(LAMBDA a, x : a + x, 0, few)": r"Cardinality({pair \in (0..5) \X (1..5) : "
    r"pair[1] \in few /\ pair[2] <= pair[1]})",
    "FoldLeft(LAMBDA a, x : 2 * a + x, 0, <<count[n1], count[n2], count[n3]>>)": "2 * (2 * (2 * 0 + "
    "count[n1]) + count[n2]) + count[n3]",
    "DOMAIN log": "1..Len(log)",
    "Head(log)": "log[1]",
    "Tail(log)": 'IF Len(log) = 0 THEN Assert(FALSE, "the tail of an empty sequence") '
    "ELSE SubSeq(log, 2, Len(log))",
    "SelectSeq(log, LAMBDA x : x > 1)": "SelectSeq(log, LAMBDA x : 1 < x)",
    r"{x \in few : x > 2}": r"{x \in few : 2 < x}",
    r"\E s \in SUBSET nodes : Cardinality(s) = 2": r"\E s \in SUBSET Node : s \subseteq nodes /\ "
    "Cardinality(s) = 2",
}
"""The TLA+ that is printed where the page has another operator of TLA+ for the same."""


# -- the protocols ----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the page's files, from which they are run."""
    (tmp_path / "locks.py").write_text(LOCKS, encoding="utf-8")
    (tmp_path / "careful.py").write_text(CAREFUL, encoding="utf-8")
    (tmp_path / "short.py").write_text(SHORT, encoding="utf-8")
    (tmp_path / "shown.py").write_text(SHOWN, encoding="utf-8")
    (tmp_path / "turns.py").write_text(TURNS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("locks", None)


def test_the_protocol_is_as_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(RUNS) == 4
    for command, shown in RUNS:
        for solver in SOLVERS:
            asked = shlex.split(command)
            code = main([*asked, "--solver", solver] if asked[0] == "check" else asked)
            told = capsys.readouterr().out
            assert as_shown(shown, told), told
            violated = 13 if "turns.py" in command else 12  # its claims are about steps
            assert code == (21 if "out-of-bounds" in shown else violated if "violated" in shown else 0)


def test_the_protocol_says_the_same_by_every_way(folder: Path) -> None:
    """Patient servers keep clients apart, hasty ones do not; explicit search and both solvers agree."""
    for name, variant, code in [("locks", "hasty", 12), ("locks", "patient", 0), ("careful", "hasty", 0)]:
        asked = [f"{name}.py", "-p", f"variant={variant}", "--property", "mutual-exclusion"]
        assert main(["explore", *asked]) == code, (name, variant)
        for solver in SOLVERS:
            assert main(["check", *asked, "--depth", "8", "--solver", solver]) == code, (
                name,
                variant,
                solver,
            )


def test_the_subclass_is_as_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "careful.py", "-p", "variant=hasty"]) == 0
    told = capsys.readouterr().out
    assert "As before, on a quiet network only." in told
    assert "LosePatience" not in told and "mutual-exclusion" in told and "someone-left-out" not in told


@pytest.mark.parametrize(("setting", "code"), [("clients=9", 2), ("places=4", 10)])
def test_parameters_are_looked_at(folder: Path, setting: str, code: int) -> None:
    assert main(["show", "locks.py", "-p", setting]) == code


TELLS_APART = {
    "nothing": ("", "", True),
    "the same for all": ("now.queue.rest", "now.queue.rest.concat([])", True),
    "a member is named": ("nxt.holder = client", 'nxt.holder = "c1"', False),
    "a part for a named member": ("nxt.holder = client", 'nxt.place["c1"] = "idle"', False),
    "the first is chosen": ("nxt.holder = client", "nxt.holder = choose(self.Client)", False),
    "a map with one value for all": (
        'map_of(self.Client, lambda client: of(self.Place, "idle"))',
        '{client: "idle" for client in self.Client.members}',
        True,
    ),
}


@pytest.mark.parametrize("name", TELLS_APART)
def test_a_sort_is_symmetric_until_a_member_is_told_apart(name: str) -> None:
    old, new, alike = TELLS_APART[name]
    assert old in LOCKS
    names = dict(NAMES)
    exec(compile(LOCKS.replace(old, new) if old else LOCKS, "locks.py", "exec"), names)
    sorts = symmetric_sorts(build(names["Locks"]()), ())
    assert [sort.name for sort in sorts] == (["Client"] if alike else [])


# -- expressions ------------------------------------------------------------------------------------------


def sample_class() -> type[Protocol]:
    names = dict(NAMES)
    exec(compile(SAMPLE, "sample.py", "exec"), names)
    kind = names["Sample"]
    assert isinstance(kind, type) and issubclass(kind, Protocol)
    return kind


KIND = sample_class()
INSTANCE = KIND()
MODEL: Model = build(INSTANCE)
SEMANTICS = Semantics(MODEL)
(INITIAL,) = (outcome.state for outcome in SEMANTICS.initial() if outcome.state is not None)
NOW: Any = State({variable.name: variable for variable in MODEL.variables})
FUNCTIONS: dict[str, Any] = {}
exec(compile(OPERATOR, "operator.py", "exec"), FUNCTIONS)


def node_of(code: str, now: Any = NOW, protocol: Any = INSTANCE) -> n.Node:
    """The expression that a code of the page stands for."""
    node = as_node(eval(code, {**NAMES, **FUNCTIONS, "now": now, "protocol": protocol}))
    assert not mistakes_of(node), code
    return node


def alternatives(cell: str) -> list[str]:
    """The expressions of a cell that mean the same: the first, and each after an `; or`."""
    return [codes(part)[0] for part in cell.split("; or ") if part.startswith("`")]


@pytest.mark.parametrize("row", EXPRESSIONS, ids=first)
def test_an_expression_has_the_value_shown(row: list[str]) -> None:
    for code in alternatives(row[1]):
        node = node_of(code)
        assert [in_tla(node.type, SEMANTICS.evaluate(node, INITIAL))] == codes(row[2])


@pytest.mark.parametrize("row", EXPRESSIONS, ids=first)
def test_what_else_a_row_names_is_there(row: list[str]) -> None:
    for code in codes(row[1]):
        node_of(code)


@pytest.mark.parametrize("row", EXPRESSIONS, ids=first)
def test_an_expression_is_the_operator_shown(row: list[str]) -> None:
    (operator,) = codes(row[0])
    for code in alternatives(row[1]):
        assert to_tla(node_of(code)) == OTHERWISE.get(operator, operator)


@pytest.mark.parametrize("row", [*EXPRESSIONS, *STEPS], ids=first)
def test_the_operators_are_tla(row: list[str]) -> None:
    (operator,) = codes(row[0])
    variables = "VARIABLES " + ", ".join(variable.tla for variable in MODEL.variables)
    parsed("\n".join(["---- MODULE M ----", "EXTENDS Sequences", variables, f"F == {operator}", "===="]))


def claim(name: str, formula: Any) -> Claim:
    def stated(protocol: Any, now: Any) -> Any:
        return formula(protocol, now)

    stated.__name__ = name
    return invariant(KIND)(stated)


def verdicts(protocol: type[Protocol], claims: list[Claim], depth: int, solver: str) -> dict[str, Verdict]:
    """The verdict of a bounded check on each claim."""
    results = here(bounded_query("sample.py", depth, solver=solver), model=build(protocol(), claims))
    return {result.property: result.verdict for result in results}


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_solvers_agree_on_the_values(solver: str) -> None:
    claims: list[Claim] = []
    expected: dict[str, Verdict] = {}
    for place, row in enumerate(EXPRESSIONS):
        for turn, code in enumerate(alternatives(row[1])):
            node = node_of(code)
            value = n.make(n.Const, node.type, node.span, SEMANTICS.evaluate(node, INITIAL))
            same = wrap(node) == value
            if isinstance(same.node, n.Const):
                continue
            claims += [
                claim(f"is_{place}_{turn}", lambda protocol, now, same=same: same),
                claim(f"differs_{place}_{turn}", lambda protocol, now, same=same: ~same),
            ]
            expected |= {f"is-{place}-{turn}": Verdict.SAFE, f"differs-{place}-{turn}": Verdict.VIOLATED}
    assert len(claims) >= 2 * len(EXPRESSIONS)
    assert verdicts(KIND, claims, 0, solver) == expected


@pytest.mark.parametrize("row", BEYOND, ids=first)
def test_what_is_out_of_bounds(row: list[str]) -> None:
    (code,), (why,) = codes(row[0]), codes(row[1])
    with pytest.raises(OutOfBounds, match=f"^{re.escape(why)}"):
        SEMANTICS.evaluate(node_of(code), INITIAL)
    same = wrap(node_of(code)) == wrap(node_of(code))
    one = claim("one", lambda protocol, now: (now.i == 2) & same)
    for solver in SOLVERS:
        assert verdicts(KIND, [one], 0, solver) == {"one": Verdict.OUT_OF_BOUNDS}


# -- actions ----------------------------------------------------------------------------------------------


def acting(code: str) -> type[Protocol]:
    """The sample with one action of that body."""
    names = dict(NAMES)
    exec(compile("def act(self, now, nxt):\n    " + code.replace("\n", "\n    "), "act.py", "exec"), names)
    return type("Acting", (KIND,), {"act": action(names["act"])})


def outcomes(code: str) -> list[str]:
    """The variables that differ after each outcome of the action, as the page shows them."""
    told = []
    for outcome in Semantics(build(acting(code)())).successors(INITIAL):
        if outcome.state is None:
            told.append("out of bounds")
        else:
            changed = zip(MODEL.variables, INITIAL, outcome.state, strict=True)
            texts = [f"{x.tla} = {in_tla(x.type, after)}" for x, before, after in changed if before != after]
            told.append(", ".join(texts) or "unchanged")
    return told or ["not enabled"]


@pytest.mark.parametrize("row", STEPS, ids=first)
def test_a_step_does_what_is_shown(row: list[str]) -> None:
    (code,) = codes(row[1])
    assert outcomes(code) == [row[2].strip("`")]


def as_before(protocol: Any, now: Any) -> Any:
    """Check that nothing differs from the initial state."""
    values = zip(MODEL.variables, INITIAL, strict=True)
    same = [
        getattr(now, x.name) == n.make(n.Const, x.type, x.span, value)  # a constant is an expression too
        for x, value in values
    ]
    return language.all_of(*same)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("row", STEPS, ids=first)
def test_the_solvers_agree_on_a_step(row: list[str], solver: str) -> None:
    (code,) = codes(row[1])
    alike = {"not enabled": Verdict.SAFE, "unchanged": Verdict.SAFE, "out of bounds": Verdict.OUT_OF_BOUNDS}
    found = verdicts(acting(code), [claim("as_before", as_before)], 1, solver)
    assert found == {"as-before": alike.get(row[2], Verdict.VIOLATED)}


def test_the_first_branch_whose_condition_holds_is_taken() -> None:
    (bullet,) = re.findall(r"- \*\*Branches\*\*: (.*?)\. Guards", PAGE)
    when, elsewhen, otherwise = codes(bullet)
    for p, q, taken in [("True", "True", 1), ("False", "True", 3), ("False", "False", 4)]:
        p, q = f"now.yes == {p}", f"now.yes == {q}"
        heads = [when.replace("(p)", f"({p})"), elsewhen.replace("(q)", f"({q})"), otherwise]
        body = "\n".join(f"{head} nxt.i = {value}" for head, value in zip(heads, (1, 3, 4), strict=True))
        assert outcomes(body) == [f"i = {taken}"]


def test_the_order_of_guards_matters() -> None:
    (guards,) = re.findall(r"`nxt\.require\((now\.leader\.is_some, .*?)\)` is safe", PAGE)
    before, after = guards.split(", ")
    assert outcomes(f"nxt.require({before}, {after})") == ["not enabled"]
    assert outcomes(f"nxt.require({after}, {before})") == ["out of bounds"]


# -- types, mistakes, completeness ------------------------------------------------------------------------


@pytest.mark.parametrize("row", TYPES, ids=first)
def test_a_type_is_as_shown(row: list[str]) -> None:
    names = dict(NAMES)
    for code in re.findall(r"`([NCEM] = [^`]*)`", PAGE):
        exec(code, names)
    kind = eval(codes(row[0])[0], names)
    assert isinstance(kind, Type)
    value = as_node(eval(codes(row[1])[0], names), kind)
    assert isinstance(value, n.Const)
    circuit = Circuit()
    layout = Layout(circuit)
    bits = {abs(one) for one in layout.literals(layout.free(kind), kind)} - {1}
    assert ([in_tla(kind, value.value)], str(len(bits))) == (codes(row[2]), row[3])


@pytest.mark.parametrize("row", MISTAKES, ids=first)
def test_a_mistake_is_told_as_shown(row: list[str]) -> None:
    (code,) = codes(row[0])
    if row[1].startswith("nothing"):
        assert outcomes(code) == ["unchanged"]
        return
    (shown, *_) = codes(MISTAKES[0][1] if row[1].startswith("as the first") else row[1])
    with pytest.raises(ModelError) as caught:
        build(acting(code)())
    (mistake,) = caught.value.mistakes
    assert re.fullmatch(".*".join(map(re.escape, shown.split("..."))), mistake.text), mistake.text


def test_a_set_takes_the_type_of_its_place() -> None:
    (code,) = re.findall(r"so\n`(.*?)` is a mistake", PAGE)
    with pytest.raises(ModelError, match="9 can never be in"):
        build(acting(f"nxt.require({code})")())


def test_a_mistake_has_its_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "wrong.py").write_text(LOCKS.replace("nxt.holder = client", "nxt.holder = 1"), encoding="utf-8")
    (code,) = re.findall(r"All mistakes are reported .* \(exit code (\d+)\)", PAGE)
    assert main(["show", "wrong.py"]) == int(code)
    assert "type clash" in capsys.readouterr().err


FOR_TOOLS = {"build", "parse_setting"}
"""Functions that are not for those who write a protocol."""


def test_every_function_and_type_is_on_the_page() -> None:
    functions = {name for name, thing in NAMES.items() if not isinstance(thing, type)} - FOR_TOOLS
    types = {name for name, thing in NAMES.items() if isinstance(thing, type) and issubclass(thing, Type)}
    words = set(re.findall(r"\w+", PAGE))
    assert functions | (types - {"Type", "Never", "Enum", "Sort", "Record", "Union"}) <= words


def test_every_method_is_on_the_page() -> None:
    kinds = [thing for name, thing in NAMES.items() if isinstance(thing, type) and name.endswith("Expr")]
    methods = {name for kind in (*kinds, language.Next) for name in vars(kind) if not name.startswith("_")}
    assert methods <= set(re.findall(r"\.(\w+)", PAGE))
