"""Reading TLA+: each construct gives its node, and each mistake its place."""

from __future__ import annotations

import pytest

from leadline.symbolic.lang import ModelError
from leadline.symbolic.tla.read.parse import parse
from leadline.symbolic.tla.read.syntax import (
    Apply,
    Assumption,
    At,
    Bound,
    Case,
    Choose,
    Constants,
    Definition,
    Except,
    Expression,
    Filter,
    Function,
    FunctionSet,
    Image,
    Index,
    Instance,
    Label,
    Lambda,
    Let,
    Module,
    Number,
    Parameter,
    Place,
    Quantified,
    Record,
    RecordSet,
    Recursive,
    SetOf,
    String,
    Subscripted,
    Theorem,
    TupleOf,
    Unit,
    Update,
    Variables,
)

x, y, f, r, S, T = (Apply(name) for name in "xyfrST")
ONE, TWO = Number(1), Number(2)
IN_S = Bound(("x",), S)


def module(body: str) -> Module:
    (found,) = parse(f"---- MODULE M ----\n{body}\n====\n", "M.tla")
    return found


def expression(text: str) -> Expression:
    (unit,) = module(f"A == {text}").units
    assert isinstance(unit, Definition)
    return unit.body


def binary(operator: str, *arguments: Expression) -> Apply:
    return Apply(operator, arguments)


EXPRESSIONS: dict[str, Expression | Label] = {
    "1 + 2 * x": binary("+", ONE, binary("*", TWO, x)),
    "1 - x - y": binary("-", binary("-", ONE, x), y),
    "DOMAIN (f)[1]": binary("DOMAIN", Index(f, ONE)),
    "~(~(x).y = 1) = 2": binary("~", binary("=", binary("~", binary("=", Index(x, String("y")), ONE)), TWO)),
    "-1": binary("-.", ONE),
    "x /\\ ~y => x": binary("=>", binary("/\\", x, binary("~", y)), x),
    "/\\ x\n     /\\ \\/ y\n        \\/ x": binary("/\\", x, binary("\\/", y, x)),
    "∧ x\n     ∧ ∨ y\n       ∨ x": binary("/\\", x, binary("\\/", y, x)),  # noqa: RUF001
    "S \\X S \\X T": binary("\\X", S, S, T),
    "(S × S) × T": binary("\\X", binary("\\X", S, S), T),  # noqa: RUF001
    "x ∉ S ∪ T": binary("\\notin", x, binary("\\cup", S, T)),  # noqa: RUF001
    "x =< y": binary("<=", x, y),
    "x /= y": binary("#", x, y),
    "x' = 1": binary("=", binary("'", x), ONE),
    "\\A x \\in S : y": Quantified("\\A", (IN_S,), y),
    "∃ x, y ∈ S, f ∈ T : r": Quantified("\\E", (Bound(("x", "y"), S), Bound(("f",), T)), r),
    "\\E <<x, y>> \\in S : r": Quantified("\\E", (Bound(("x", "y"), S, True),), r),
    "\\E x : y": Quantified("\\E", (Bound(("x",)),), y),
    "\\EE x : y": Quantified("\\EE", (Bound(("x",)),), y),
    "CHOOSE x \\in S : y": Choose(IN_S, y),
    "CHOOSE x : x \\notin S": Choose(Bound(("x",)), binary("\\notin", x, S)),
    "{1, 2}": SetOf((ONE, TWO)),
    "{x \\in S : y}": Filter(IN_S, y),
    "{y : x \\in S}": Image(y, (IN_S,)),
    "[x \\in S |-> y]": Function((IN_S,), y),
    "[S -> T]": FunctionSet(S, T),
    "[x |-> 1, y |-> 2]": Record((("x", ONE), ("y", TWO))),
    "[x : S, y : T]": RecordSet((("x", S), ("y", T))),
    "<<1, x>>": TupleOf((ONE, x)),
    "⟨⟩": TupleOf(()),
    "f[1].x[x, y]": Index(Index(Index(f, ONE), String("x")), TupleOf((x, y))),
    "[f EXCEPT ![1].x = @ + 2, ![x, y] = 1]": Except(
        f, (Update((ONE, String("x")), binary("+", At(), TWO)), Update((TupleOf((x, y)),), ONE))
    ),
    "IF x THEN 1 ELSE 2": Case(((x, ONE),), TWO),
    "CASE x -> 1 [] y -> 2 [] OTHER -> x": Case(((x, ONE), (y, TWO)), x),
    "LET y == 1 g(z) == z IN y": Let(
        (Definition("y", (), ONE), Definition("g", (Parameter("z"),), Apply("z"))), y
    ),
    "f(LAMBDA x, y : x, +)": Apply("f", (Lambda((Parameter("x"), Parameter("y")), x), Apply("+"))),
    "I!J(1)!f(x)": Apply("f", (x,), (Apply("I"), Apply("J", (ONE,)))),
    "[][x]_<<x, y>> /\\ WF_x(y)": binary(
        "/\\", binary("[]", Subscripted("[]_", x, TupleOf((x, y)))), Subscripted("WF_", y, x)
    ),
    "<><<x>>_y": binary("<>", Subscripted("<<>>_", x, y)),
    "x ~> y": binary("~>", x, y),
    "\\b101 + \\hFf": binary("+", Number(5), Number(255)),
    '"a \\"b\\" \\\\/ (* c"': String('a "b" \\/ (* c'),
    "here :: x": Label("here", (), x),
    "Nat": Apply("Nat"),
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expression_gives_its_node(text: str) -> None:
    assert expression(text) == EXPRESSIONS[text]


UNITS: dict[str, Unit | None] = {
    "CONSTANTS C, F(_, _), _ ++ _": Constants((Parameter("C"), Parameter("F", 2), Parameter("++", 2))),
    "VARIABLE x": Variables((Parameter("x"),)),
    "RECURSIVE F(_)": Recursive((Parameter("F", 1),)),
    "LOCAL F(x, g(_)) == x": Definition("F", (Parameter("x"), Parameter("g", 1)), x, True),
    "x \\prec y == y": Definition("\\prec", (Parameter("x"), Parameter("y")), y),
    "-. x == x": Definition("-.", (Parameter("x"),), x),
    "x ^+ == x": Definition("^+", (Parameter("x"),), x),
    "f[x \\in S] == y": Definition("f", (), Function((IN_S,), y, "f")),
    "INSTANCE N WITH x <- 1, + <- F": Instance("N", (("x", ONE), ("+", Apply("F")))),
    "LOCAL I(x) == INSTANCE N": Instance("N", (), "I", (Parameter("x"),), True),
    "ASSUME Named == x": Assumption("Named", x),
    "THEOREM x PROOF OBVIOUS": Theorem(None, x),
    "LEMMA L == ASSUME x PROVE y <1>1. x BY DEF y <1> QED BY <1>1": Theorem("L", None),
    "---- MODULE N ----\nVARIABLE y\n====": Module("N", (), (Variables((Parameter("y"),)),)),
    "----------": None,
    "USE DEF x": None,
}


@pytest.mark.parametrize("text", UNITS)
def test_unit_gives_its_node(text: str) -> None:
    expected = UNITS[text]
    assert module(text).units == (() if expected is None else (expected,))


def test_places_count_characters() -> None:
    (a, b) = module("A ≜ ∀ x ∈ S : x (* “why” (* nested *) *)\nB == \\* A == (\n  y").units
    assert isinstance(a, Definition) and isinstance(a.body, Quantified) and isinstance(b, Definition)
    assert a.body.body.place == Place("M.tla", 2, 15)
    assert b.body.place == Place("M.tla", 4, 3)


@pytest.mark.parametrize(
    "text",
    [
        "A == /\\ x\n     /\\ \\E y \\in S :\n\ty",
        "A ==\n    /\\ x\n    /\\ \\/ y\n\t\\/ /\\ z\n\t   /\\ x\n    \t\\/ z\n    /\\ y",
    ],
)
def test_a_tab_goes_up_to_the_next_multiple_of_eight_columns(text: str) -> None:
    assert module(text).units == module(text.expandtabs(8)).units


def test_a_tab_is_one_character_of_its_line() -> None:
    (a, b) = module('A ==\t/\\ x\n(**)\t/\\ \ty (*\t*) = S\n\tB == "\t"').units
    assert isinstance(a, Definition) and isinstance(a.body, Apply) and isinstance(b, Definition)
    first, second = a.body.arguments
    assert isinstance(second, Apply)
    found = [a.body.place, first.place, *(one.place for one in second.arguments), b.body.place]
    assert [(one.line, one.column) for one in found] == [(2, 6), (2, 9), (3, 10), (3, 20), (4, 7)]
    assert b.body == String("\t")
    with pytest.raises(ModelError, match=r"M\.tla:2:10: "):
        module("\tA ==\t\t1 2")


MISTAKES = {
    "A == (1 + 2\nB == 3": ["3:1: the next definition begins ... unfinished: expected `)` or an operator"],
    "A == IF x THEN 2": ["3:1: the module ends ... expected `ELSE` or an operator"],
    "A == [x EXCEPT [1] = 2]\nB == x == 1\nC == {x \\in 1..2 ; x}": [
        "2:16: `[` does not fit here: expected `!`",
        "3:8: `==` does not fit here",
        "4:18: `;` ... expected `}`, `:`, `,` or an operator",
    ],
    "A == x /\\ y \\/ z\nB == x = y = z": [
        "2:13: `/\\` and `\\/` bind equally: expected parentheses",
        "3:12: `=` and `=` bind equally",
    ],
    "A == /\\ x = 1\n     /\\ y =\n     /\\ z = 3": ["4:6: `/\\` ... expected an expression"],
    "A == /\\ LET b == 1\n     IN  b = 1\n     /\\ (2 = 2\n   )": [
        "3:6: `IN` belongs to the list of line 2: expected it right of that list's `/\\`",
        "5:4: `)` belongs to the list of line 2",
    ],
    "A == 1.5": ["2:6: a real number: expected an integer"],
    "A == (* 1\nB == 2": ["2:6: the comment that begins here is not closed"],
    "A == (* 1\nB == /\\ 1\n  (* 2 *)\n(* 3\nC == /\\ 4 \\* 5": ["2:6: the comment that begins here is not"],
    'A == "1\nB == 2': ["2:6: the string that begins here is not closed"],
    'A == "a\\\\b\\s"': ["2:6: `\\s` has no meaning in a string: expected `\\\\s`"],
    "A == ENABLED x' /\\ ~x' /\\ SUBSET x' = x": ["2:15: `ENABLED` and `'` bind equally"],
    "A == [x EXCEPT ![1] == 2]": ["2:21: `==` does not fit here: expected `=`"],
    "A == LET y == ) IN 1": ["2:15: `)` does not fit here"],
    "A == [x EXCEPT ![1] 2]": ["2:21: `2` does not fit here: expected `=`"],
    "A == THEN": ["2:6: `THEN` is no name"],
    "STATE == 1": ["2:1: `STATE` is no name"],
    "A == x \\le y": ["2:8: `\\le` is no operator: did you mean `<=`?"],
    "A == /\\ x != y\nB == x = \\Sum y \\in S : y": [
        "2:11: `!=` is no operator: did you mean `#`?",
        "3:10: `\\Sum` does not fit here: expected an expression or an operator",
    ],
    "A == \udcff": ["2:6: `?` does not fit here: expected an expression"],  # a byte of the command line
    "A == NOT x = 1": ["2:10: `x` does not fit here: expected `!`, `(` or an operator"],
    "A == <<a |-> b, c>>\nB == # S > 1": [
        "2:10: `|->` does not fit here: expected `>>`",
        "3:6: `#` does not fit here: expected an expression",
    ],
    "A == (x, y) \\in S": ["2:8: `,` ... expected `)` ... a tuple is written `<<a, b>>`"],
    "A == <<x, y>\n\nB == (\\E z \\in S : C(z)) \\/ x": ["4:1: the next definition begins ... unfinished"],
    "I == INSTANCE N WITH x == 1\nRECURSIVE F(x)": [
        "2:24: `==` does not fit here: expected `<-`",
        "3:13: `x` does not fit here: expected `_`",
    ],
    "A == if x THEN 1 ELSE 2": ["2:6: `if` is no keyword: did you mean `IF`?"],
    "A == 1\nINVARIANTS A B": ["3:1: `INVARIANTS` belongs in the configuration: expected a definition"],
    "(* --algorithm a { { skip } } *)": ["2:4: the algorithm has no translation: ... pcal.trans M.tla"],
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_told_with_their_places(text: str) -> None:
    with pytest.raises(ModelError) as caught:
        module(text)
    told = [str(mistake) for mistake in caught.value.mistakes]
    for line, expected in zip(told, MISTAKES[text], strict=True):
        start, *rest = expected.split(" ... ")
        assert line.startswith(f"M.tla:{start}")
        assert all(words in line for words in rest), line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\n---- MODULE M\nA == )\nB == )\n====", "M.tla:2:1: expected `---- MODULE name ----`"),
        ("A == 1", "M.tla:1:1: expected `---- MODULE name ----`"),
        ("---- MODULE M ----\nA == 1\n", "M.tla:3:1: the end of the file does not fit here: expected `====`"),
    ],
)
def test_the_lines_around_a_module_are_told(text: str, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse(text, "M.tla")
    assert [str(mistake) for mistake in caught.value.mistakes] == [told]


def test_algorithm_with_its_translation_is_read() -> None:
    text = "(* --algorithm a { { skip } } *)\n\\* BEGIN TRANSLATION\nVARIABLE pc\n\\* END TRANSLATION"
    assert module(text).units == (Variables((Parameter("pc"),)),)


@pytest.mark.parametrize("words", ["of Lamport's is in another module", "omitted; see Next", "(see above)"])
def test_words_about_an_algorithm_are_none(words: str) -> None:
    (unit,) = module(f"(* The --algorithm {words} *)\nVARIABLE pc").units
    assert unit == Variables((Parameter("pc"),))


# Lamport, Specifying Systems, table 6, as SANY has it: the range of each operator, and whether it repeats.
PREFIXES = {"~": (4, 4), "ENABLED [] <> UNCHANGED": (4, 15), "SUBSET UNION DOMAIN": (10, 13), "-": (12, 12)}
INFIXES = {
    "=>": (1, 1, False),
    "-+-> \\equiv ~>": (2, 2, False),
    "/\\ \\/": (3, 3, True),
    ":= ::= = # /= < > =< >= \\approx |- |= -| =| \\asymp \\cong \\doteq \\gg \\ll \\in": (5, 5, False),
    "\\notin \\prec \\succ \\preceq \\succeq \\propto \\sim \\simeq \\sqsubset \\sqsupset": (5, 5, False),
    "\\sqsubseteq \\sqsupseteq \\subset \\supset \\subseteq \\supseteq": (5, 5, False),
    "\\cdot": (5, 14, True),
    "@@": (6, 6, True),
    ":> <:": (7, 7, False),
    "\\": (8, 8, False),
    "\\cap \\cup": (8, 8, True),
    ".. ...": (9, 9, False),
    "!!": (9, 13, False),
    "## $ $$ ?? \\sqcap \\sqcup \\uplus": (9, 13, True),
    "\\wr": (9, 14, False),
    "+ ++ \\oplus": (10, 10, True),
    "%": (10, 11, False),
    "%% | ||": (10, 11, True),
    "\\X": (10, 13, True),
    "- -- \\ominus": (11, 11, True),
    "\\oslash / // \\div": (13, 13, False),
    "& && \\odot \\otimes * ** \\bigcirc \\bullet \\o \\star": (13, 13, True),
    "^ ^^": (14, 14, False),
}  # fmt: skip
BINDING = {name: kind for names, kind in INFIXES.items() for name in names.split()}
PREFIX_BINDING = {name: kind for names, kind in PREFIXES.items() for name in names.split()}
FIRST = [names.split()[0] for names in INFIXES]


def shape(text: str) -> str:
    """The operator that an expression is an application of, and that of its first argument if that has one."""
    try:
        (unit,) = module(f"A == {text}").units
    except ModelError as error:
        assert "bind equally" in str(error), error
        return "conflict"
    assert isinstance(unit, Definition)
    assert isinstance(unit.body, Apply)
    inner = [one for one in unit.body.arguments if isinstance(one, Apply) and one.arguments]
    return f"{len(unit.body.arguments)}, {unit.body.arguments.index(inner[0]) if inner else 'flat'}"


@pytest.mark.parametrize("infix", BINDING)
def test_infix_operators_bind_as_in_sany(infix: str) -> None:
    low, high, repeats = BINDING[infix]
    for other in [*FIRST, infix]:
        other_low, other_high, _ = BINDING[other]
        if other == infix and repeats:
            expected = "3, flat" if infix == "\\X" else "2, 0"
        elif low <= other_high and other_low <= high:
            expected = "conflict"
        else:
            expected = "2, 0" if low > other_high else "2, 1"
        assert shape(f"x {infix} y {other} z") == expected, other


@pytest.mark.parametrize("prefix", PREFIX_BINDING)
def test_prefix_operators_bind_as_in_sany(prefix: str) -> None:
    low, high = PREFIX_BINDING[prefix]
    for infix, (infix_low, infix_high, _) in BINDING.items():
        if low <= infix_high and infix_low <= high:
            expected = "conflict"
        else:
            expected = "2, 0" if low > infix_high else "1, 0"
        assert shape(f"{prefix} x {infix} y") == expected, infix
        assert shape(f"{prefix} (x) {infix} y") == expected, infix
    assert shape(f"{prefix} x'") == ("conflict" if high == 15 else "1, 0")
