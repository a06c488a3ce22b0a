"""Parsing: the text of a module becomes its syntax tree, or all its mistakes.

The parser's nodes become those of the syntax tree, with operators by their ASCII names. The parser is a GLR parser
that recovers from mistakes by guessing. Its guesses make poor messages, so its log is read for the place at which
it stopped. The definition around it is then blanked, to find the next mistake.
"""

from __future__ import annotations

import re
import sys
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

import tree_sitter
import tree_sitter_tlaplus

from leadline.symbolic.lang import Mistake, ModelError
from leadline.symbolic.notation.names import RESERVED
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.config import KEYWORDS
from leadline.symbolic.tla.read.syntax import Place
from leadline.symbolic.tla.read.text import (
    WIDE,
    parsed,
    untranslated_algorithm,
    with_plain_names,
    without_comments,
)

# -- the symbols of operators --------------------------------------------------------------------------


class Binding(NamedTuple):
    """How tightly an operator binds its operands.

    Attributes:
        low: the lower end of its range of precedences.
        high: the upper end.
        repeats: of an infix operator, whether `a + b + c` is allowed, as `(a + b) + c`.
    """

    low: int
    high: int
    repeats: bool = False

    def overlaps(self, other: Binding) -> bool:
        """Whether parentheses must tell which of two operators binds tighter."""
        return self.low <= other.high and other.low <= self.high


# Lamport, Specifying Systems (2002), table 6 on page 271; the keys are the parser's names of the symbols.
_INFIX = {
    Binding(1, 1): {"implies": "=>"},
    Binding(2, 2): {"plus_arrow": "-+->", "equiv": "<=>", "iff": "<=>", "leads_to": "~>"},
    Binding(3, 3, True): {"land": "/\\", "lor": "\\/"},
    Binding(5, 5): {
        "assign": ":=", "bnf_rule": "::=", "eq": "=", "neq": "#", "lt": "<", "gt": ">", "leq": "<=",
        "geq": ">=", "approx": "\\approx", "rs_ttile": "|-", "rd_ttile": "|=", "ls_ttile": "-|",
        "ld_ttile": "=|", "asymp": "\\asymp", "cong": "\\cong", "doteq": "\\doteq", "gg": "\\gg",
        "ll": "\\ll", "in": "\\in", "notin": "\\notin", "prec": "\\prec", "succ": "\\succ",
        "preceq": "\\preceq", "succeq": "\\succeq",
        "propto": "\\propto", "sim": "\\sim", "simeq": "\\simeq", "sqsubset": "\\sqsubset",
        "sqsupset": "\\sqsupset", "sqsubseteq": "\\sqsubseteq", "sqsupseteq": "\\sqsupseteq",
        "subset": "\\subset", "supset": "\\supset", "subseteq": "\\subseteq", "supseteq": "\\supseteq",
    },
    Binding(5, 14, True): {"cdot": "\\cdot"},
    Binding(6, 6, True): {"compose": "@@"},
    Binding(7, 7): {"map_to": ":>", "map_from": "<:"},
    Binding(8, 8): {"setminus": "\\"},
    Binding(8, 8, True): {"cap": "\\cap", "cup": "\\cup"},
    Binding(9, 9): {"dots_2": "..", "dots_3": "..."},
    Binding(9, 13): {"excl": "!!"},
    Binding(9, 13, True): {
        "hashhash": "##", "dol": "$", "doldol": "$$", "qq": "??", "sqcap": "\\sqcap", "sqcup": "\\sqcup",
        "uplus": "\\uplus",
    },
    Binding(9, 14): {"wr": "\\wr"},
    Binding(10, 10, True): {"plus": "+", "plusplus": "++", "oplus": "\\oplus"},
    Binding(10, 11): {"mod": "%"},
    Binding(10, 11, True): {"modmod": "%%", "vert": "|", "vertvert": "||"},
    Binding(10, 13, True): {"times": "\\X"},
    Binding(11, 11, True): {"ominus": "\\ominus", "minus": "-", "minusminus": "--"},
    Binding(13, 13): {"oslash": "\\oslash", "slash": "/", "slashslash": "//", "div": "\\div"},
    Binding(13, 13, True): {
        "amp": "&", "ampamp": "&&", "odot": "\\odot", "otimes": "\\otimes", "mul": "*", "mulmul": "**",
        "bigcirc": "\\bigcirc", "bullet": "\\bullet", "circ": "\\o", "star": "\\star",
    },
    Binding(14, 14): {"pow": "^", "powpow": "^^"},
}  # fmt: skip
_PREFIX = {
    Binding(4, 4): {"lnot": "~"},
    Binding(4, 15): {"enabled": "ENABLED", "unchanged": "UNCHANGED", "always": "[]", "eventually": "<>"},
    Binding(10, 13): {"union": "UNION", "powerset": "SUBSET", "domain": "DOMAIN"},
    Binding(12, 12): {"negative": "-."},
}  # fmt: skip
_POSTFIX = {"sup_plus": "^+", "asterisk": "^*", "sup_hash": "^#", "prime": "'"}
_POSTFIX_BINDING = Binding(15, 15)

INFIX = {name: binding for binding, names in _INFIX.items() for name in names.values()}
"""The infix operators by name."""

PREFIX = {name: binding for binding, names in _PREFIX.items() for name in names.values()}
"""The prefix operators by name; `-.` is the sign of a number."""

ASCII = {
    kind: name for names in (*_INFIX.values(), *_PREFIX.values(), _POSTFIX) for kind, name in names.items()
}
"""The name of each symbol by the parser's name of its node."""

SETS = {"nat_number_set": "Nat", "int_number_set": "Int", "real_number_set": "Real", "string_set": "STRING",
        "boolean_set": "BOOLEAN"}  # fmt: skip


# -- expressions ---------------------------------------------------------------------------------------

Tree = tree_sitter.Node
_SUBSCRIPTED = {"step_expr_or_stutter": "[]_", "step_expr_no_stutter": "<<>>_"}
_WIDE = WIDE.encode()
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", '"': '"', "\\": "\\"}
_QUANTIFIER = {"forall": "\\A", "exists": "\\E", "temporal_forall": "\\AA", "temporal_exists": "\\EE"}
_METHODS = {"except": "except_", "lambda": "lambda_"}
_LONGEST = 30
"""The longest chain of an operator, such as `a + b + c`, that nests. A longer one is a single application."""
_PUNCTUATION = frozenset({
    "langle_bracket", "rangle_bracket", "rangle_bracket_sub", "maps_to", "all_map_to", "gets", "set_in",
    "colon",
})  # fmt: skip


class Reader:
    """A reading of a tree. The methods for expressions are named after the parser's kinds of nodes."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.mistakes: list[Mistake] = []
        self.text, self.plain = text.encode(), text.isascii()
        self.starts = [0, *accumulate(len(line) for line in self.text.splitlines(keepends=True))]

    def place(self, node: Tree, whole: Tree | None = None) -> s.Place:
        """The place where a node begins. The parser counts columns in bytes.

        Args:
            node: the node, such as the sign of an infix expression.
            whole: the expression that has this place, if it is not the node itself.
        """
        at = node.start_byte
        line = bisect_right(self.starts, at)
        start = self.starts[line - 1]
        before = at - start if self.plain else len(self.text[start:at].decode())
        column = before - self.text.count(_WIDE, start, at) + 1
        extent = (at, node.end_byte) if whole is None else (whole.start_byte, whole.end_byte)
        return s.Place(self.file, line, column, extent=extent)

    def wrong(self, node: Tree, text: str) -> None:
        """Keep a mistake."""
        self.mistakes.append(Mistake(self.place(node), text))

    def words(self, node: Tree) -> str:
        """The text of a node."""
        return self.text[node.start_byte : node.end_byte].replace(_WIDE, b"").decode()

    def name(self, node: Tree) -> str:
        """The name that a node is: an identifier, a symbol or a number set."""
        if node.type in SETS:
            return SETS[node.type]
        if node.type.endswith("_op_symbol"):
            return ASCII[node.named_children[0].type]
        text = self.words(node)
        if text in RESERVED:
            self.wrong(node, f"`{text}` is no name: expected an expression or a definition before it")
        return text

    def expr(self, node: Tree | None) -> s.Expression:
        """An expression."""
        assert node is not None
        made: s.Expression = getattr(self, _METHODS.get(node.type, node.type))(node, self.place(node))
        return made

    def parameter(self, node: Tree) -> s.Parameter:
        """A declared name or operator."""
        if node.type != "operator_declaration":
            return s.Parameter(self.name(node), place=self.place(node))
        arity = len(of_kind(node, "placeholder"))
        return s.Parameter(self.name(part(node, "name")), arity, place=self.place(node))

    def bounds(self, nodes: Sequence[Tree]) -> tuple[s.Bound, ...]:
        """Bound names with their sets."""
        return tuple(self.bound(node) for node in nodes)

    def bound(self, node: Tree) -> s.Bound:
        """Bound names with their set, if they have one."""
        intros = parts(node, "intro")
        unpacked = intros[0].type == "tuple_of_identifiers"
        names = of_kind(intros[0], "identifier") if unpacked else intros
        domain = node.child_by_field_name("set")
        place = self.place(intros[0])
        found = tuple(self.name(name) for name in names)
        return s.Bound(found, domain and self.expr(domain), unpacked, place=place)

    def argument(self, node: Tree) -> s.Expression:
        """An argument: an expression, or the symbol of an operator."""
        if node.type.endswith("_op_symbol"):
            return s.Apply(self.name(node), place=self.place(node))
        return self.expr(node)

    # Names and operators

    def identifier_ref(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Apply(self.name(node), place=place)

    nat_number_set = int_number_set = real_number_set = string_set = boolean_set = identifier_ref

    def boolean(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Apply(self.words(node), place=place)

    def bound_op(self, node: Tree, place: s.Place) -> s.Expression:
        arguments = map(self.argument, parts(node, "parameter"))
        return s.Apply(self.name(part(node, "name")), tuple(arguments), place=place)

    def bound_nonfix_op(self, node: Tree, place: s.Place) -> s.Expression:
        symbol, *arguments = meaningful(node)
        return s.Apply(self.name(symbol), tuple(map(self.expr, arguments)), place=place)

    def prefixed_op(self, node: Tree, place: s.Place) -> s.Expression:
        steps = [one for one in part(node, "prefix").named_children if one.type == "subexpr_component"]
        if len(steps) != len(part(node, "prefix").named_children):
            return self.subexpression(node, place)
        prefix = tuple(self.argument(step.named_children[0]) for step in steps)
        last = self.expr(part(node, "op"))
        assert isinstance(last, s.Apply)
        instances = tuple(one for one in prefix if isinstance(one, s.Apply))
        return s.Apply(last.operator, last.arguments, instances, place=place)

    def subexpression(self, node: Tree, place: s.Place) -> s.Part:
        prefix, *last = node.named_children
        return s.Part(tuple(map(self.step, (*prefix.named_children, *last))), place=place)

    def step(self, node: Tree) -> s.Step:
        """A component of the name of a part."""
        if node.type != "subexpr_tree_nav":
            found = self.argument(node.named_children[0] if node.type == "subexpr_component" else node)
            assert isinstance(found, s.Apply)
            return found
        (inside,) = node.named_children or (node,)
        if inside.type == "operator_args":
            return tuple(map(self.argument, inside.named_children))
        text = self.words(node)
        return int(text) if text.isdecimal() else {"<<": 1, "⟨": 1, ">>": 2, "⟩": 2}.get(text, text)

    def proof_step_ref(self, node: Tree, place: s.Place) -> s.Expression:
        self.wrong(node, "a step of a proof: expected a definition")
        return s.Apply(self.words(node), place=place)

    def bound_prefix_op(self, node: Tree, place: s.Place) -> s.Expression:
        symbol, right = part(node, "symbol"), part(node, "rhs")
        operator = ASCII[symbol.type]
        inner = _infix(right)
        if inner is not None and PREFIX[operator].overlaps(INFIX[inner]):
            self.binds_equally(symbol, operator, inner)
        return s.Apply(operator, (self.expr(right),), place=place)

    def binds_equally(self, node: Tree, first: str, second: str) -> None:
        """Keep the mistake that parentheses are missing."""
        text = f"`{first}` and `{second}` bind equally: expected parentheses around one of them"
        self.wrong(node, text.replace("-.", "-"))

    def bound_postfix_op(self, node: Tree, place: s.Place) -> s.Expression:
        symbol, left = part(node, "symbol"), part(node, "lhs")
        self.check_prefix(symbol, left, _POSTFIX_BINDING)
        return s.Apply(ASCII[symbol.type], (self.expr(left),), place=self.place(symbol, node))

    def bound_infix_op(self, node: Tree, place: s.Place) -> s.Expression:
        operator, chain = _infix(node), [node]
        assert operator is not None
        while INFIX[operator].repeats and _infix(part(chain[-1], "lhs")) == operator:
            chain.append(part(chain[-1], "lhs"))
        for one in chain:
            self.check_clashes(one, operator)
        found = self.expr(part(chain[-1], "lhs"))
        rest = [self.expr(part(one, "rhs")) for one in reversed(chain)]
        if operator == "\\X" or len(chain) > _LONGEST:  # a triple, not a pair of pairs
            return s.Apply(operator, (found, *rest), place=self.place(part(node, "symbol"), node))
        for one, right in zip(reversed(chain), rest, strict=True):
            found = s.Apply(operator, (found, right), place=self.place(part(one, "symbol"), one))
        return found

    def check_clashes(self, node: Tree, operator: str) -> None:
        """Keep the mistake that an operand of an infix operator needs parentheses."""
        symbol, left, own = part(node, "symbol"), part(node, "lhs"), INFIX[operator]
        for side in (left, part(node, "rhs")):
            inner, repeats = _infix(side), own.repeats and side is left
            if inner is not None and own.overlaps(INFIX[inner]) and not (inner == operator and repeats):
                self.binds_equally(symbol, inner, operator)
        self.check_prefix(symbol, left, own)

    def check_prefix(self, symbol: Tree, left: Tree, own: Binding) -> None:
        """Keep the mistake that the left operand of an operator needs parentheses, since it has a prefix."""
        prefix = ASCII[part(left, "symbol").type] if left.type == "bound_prefix_op" else None
        if prefix is not None and PREFIX[prefix].overlaps(own):
            self.binds_equally(symbol, prefix, ASCII[symbol.type])

    def parentheses(self, node: Tree, place: s.Place) -> s.Expression:
        return self.expr(node.named_children[0])

    def label(self, node: Tree, place: s.Place) -> s.Label:
        parameters = tuple(map(self.parameter, parts(node, "parameter")))
        return s.Label(
            self.words(part(node, "name")), parameters, self.expr(part(node, "expression")), place=place
        )

    def conj_list(self, node: Tree, place: s.Place) -> s.Expression:
        operator = "/\\" if node.type == "conj_list" else "\\/"
        line = self.starts[bisect_right(self.starts, node.start_byte) - 1]
        left = place.column + self.text.count(_WIDE, line, node.start_byte)
        for item in node.named_children:
            self.check_lines(item, operator, place, left)
        items = tuple(self.expr(item.named_children[-1]) for item in node.named_children)
        return s.Apply(operator, items, place=place)

    def check_lines(self, item: Tree, operator: str, place: s.Place, left: int) -> None:
        """Refuse a line of a list's item that begins under or left of the list: the parser takes `IN` and `)`.

        Args:
            place: where the list begins.
            left: its column there, as SANY counts tabs.
        """
        begin = item.start_byte
        end = begin + len(self.text[begin : item.end_byte].rstrip())
        for start in self.starts[bisect_right(self.starts, begin) : bisect_right(self.starts, end - 1)]:
            word = _WORD.match(self.text, start)
            if word is not None and len(word[1]) < left:
                before = len(word[1]) - word[1].count(_WIDE)
                line = s.Place(self.file, bisect_right(self.starts, start), before + 1)
                told = f"`{word[2].decode()}` belongs to the list of line {place.line}"
                self.mistakes.append(Mistake(line, f"{told}: expected it right of that list's `{operator}`"))

    disj_list = conj_list

    # Literals

    def nat_number(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Number(int(self.words(node)), place=place)

    def real_number(self, node: Tree, place: s.Place) -> s.Expression:
        self.wrong(node, "a real number: expected an integer")
        return s.Number(0, place=place)

    def binary_number(self, node: Tree, place: s.Place) -> s.Expression:
        text = self.words(node)
        return s.Number(int(text[2:], {"b": 2, "o": 8, "h": 16}[text[1].lower()]), place=place)

    octal_number = hex_number = binary_number

    def string(self, node: Tree, place: s.Place) -> s.Expression:
        text = self.words(node)[1:-1]
        for one in {*re.findall(r"\\(.)", text)} - {*_ESCAPES}:
            self.wrong(node, f"`\\{one}` has no meaning in a string: expected `\\\\{one}`")
        return s.String(re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], ""), text), place=place)

    # Binders

    def bounded_quantification(self, node: Tree, place: s.Place) -> s.Expression:
        bounds = self.bounds(of_kind(node, "quantifier_bound")) or (self.bound(node),)
        body = self.expr(part(node, "expression"))
        return s.Quantified(_QUANTIFIER[part(node, "quantifier").type], bounds, body, place=place)

    unbounded_quantification = bounded_quantification

    def choose(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Choose(self.bound(node), self.expr(part(node, "expression")), place=place)

    def set_filter(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Filter(self.bound(part(node, "generator")), self.expr(part(node, "filter")), place=place)

    def set_map(self, node: Tree, place: s.Place) -> s.Expression:
        bounds = self.bounds(of_kind(node, "quantifier_bound"))
        return s.Image(self.expr(part(node, "map")), bounds, place=place)

    def function_literal(self, node: Tree, place: s.Place) -> s.Expression:
        bounds = self.bounds(of_kind(node, "quantifier_bound"))
        return s.Function(bounds, self.expr(node.named_children[-1]), place=place)

    def let_in(self, node: Tree, place: s.Place) -> s.Expression:
        definitions = tuple(unit for one in parts(node, "definitions") for unit in self.unit(one))
        return s.Let(definitions, self.expr(part(node, "expression")), place=place)

    def lambda_(self, node: Tree, place: s.Place) -> s.Expression:
        *parameters, body = [one for one in node.named_children if one.type != "colon"]
        return s.Lambda(tuple(map(self.parameter, parameters)), self.expr(body), place=place)

    # Sets, functions, records and tuples

    def finite_set_literal(self, node: Tree, place: s.Place) -> s.Expression:
        if self.text.startswith(b"(", node.start_byte):  # braces that `_tree` has put there
            return self.parentheses(node, place)
        return s.SetOf(tuple(map(self.expr, node.named_children)), place=place)

    def tuple_literal(self, node: Tree, place: s.Place) -> s.Expression:
        return s.TupleOf(tuple(map(self.expr, meaningful(node))), place=place)

    def set_of_functions(self, node: Tree, place: s.Place) -> s.Expression:
        domain, range_ = meaningful(node)
        if _infix(domain) == "\\in":
            self.wrong(domain, "a function has `|->` before its values: expected `[x \\in S |-> e]`")
        return s.FunctionSet(self.expr(domain), self.expr(range_), place=place)

    def record_literal(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Record(self.pairs(node), place=place)

    def set_of_records(self, node: Tree, place: s.Place) -> s.Expression:
        return s.RecordSet(self.pairs(node), place=place)

    def pairs(self, node: Tree) -> tuple[tuple[str, s.Expression], ...]:
        """The fields of a record with their expressions."""
        parts = meaningful(node)
        return tuple(
            (self.words(name), self.expr(e)) for name, e in zip(parts[::2], parts[1::2], strict=True)
        )

    def record_value(self, node: Tree, place: s.Place) -> s.Expression:
        record, name = meaningful(node)
        return s.Index(self.expr(record), s.String(self.words(name), place=self.place(name)), place=place)

    def function_evaluation(self, node: Tree, place: s.Place) -> s.Expression:
        function, *arguments = meaningful(node)
        return s.Index(self.expr(function), self.index(arguments), place=place)

    def index(self, nodes: Sequence[Tree]) -> s.Expression:
        """An index; several are a tuple."""
        if len(nodes) == 1:
            return self.expr(nodes[0])
        return s.TupleOf(tuple(map(self.expr, nodes)), place=self.place(nodes[0]))

    def except_(self, node: Tree, place: s.Place) -> s.Expression:
        updates = tuple(self.update(one) for one in of_kind(node, "except_update"))
        return s.Except(self.expr(part(node, "expr_to_update")), updates, place=place)

    def update(self, node: Tree) -> s.Update:
        """One update of an EXCEPT."""
        (specifier,) = [one for one in parts(node, "update_specifier") if one.type != "!"]
        path: list[s.Expression] = []
        for step in specifier.named_children:
            inside = step.named_children
            if step.type == "except_update_record_field":
                path.append(s.String(self.words(inside[0]), place=self.place(inside[0])))
            else:
                path.append(self.index(inside))
        return s.Update(tuple(path), self.expr(part(node, "new_val")), place=self.place(node))

    def prev_func_val(self, node: Tree, place: s.Place) -> s.Expression:
        return s.At(place=place)

    # Choices

    def if_then_else(self, node: Tree, place: s.Place) -> s.Expression:
        condition, then, other = (self.expr(part(node, name)) for name in ("if", "then", "else"))
        return s.Case(((condition, then),), other, by_if=True, place=place)

    def case(self, node: Tree, place: s.Place) -> s.Expression:
        arms = tuple(
            (self.expr(arm.named_children[0]), self.expr(arm.named_children[-1]))
            for arm in of_kind(node, "case_arm")
        )
        other = of_kind(node, "other_arm")
        return s.Case(arms, self.expr(other[0].named_children[-1]) if other else None, place=place)

    # Actions

    def step_expr_or_stutter(self, node: Tree, place: s.Place) -> s.Expression:
        action, subscript = meaningful(node)
        return s.Subscripted(_SUBSCRIPTED[node.type], self.expr(action), self.expr(subscript), place=place)

    step_expr_no_stutter = step_expr_or_stutter

    def fairness(self, node: Tree, place: s.Place) -> s.Expression:
        subscript, action = node.named_children
        kind = self.text[node.start_byte : node.start_byte + 3].decode()
        return s.Subscripted(kind, self.expr(action), self.expr(subscript), place=place)

    # Modules and their units

    def module(self, node: Tree) -> s.Module:
        """A module with its units."""
        name = part(node, "name")
        extends: tuple[s.Apply, ...] = ()
        units: list[s.Unit] = []
        for child in node.named_children:
            if child.type == "extends":
                refs = child.named_children
                extends = tuple(s.Apply(self.name(one), place=self.place(one)) for one in refs)
            elif child.type not in ("header_line", "identifier", "double_line") and not child.has_error:
                units += self.outermost(child)
        return s.Module(self.name(name), extends, tuple(units), self.words(node), place=self.place(name))

    def outermost(self, node: Tree) -> Iterable[s.Unit]:
        """The units of a part of a module."""
        return self.unit(node)

    def unit(self, node: Tree, local: bool = False) -> Iterator[s.Unit]:
        """The units that a node declares or defines: none for lines and for hints to a prover."""
        place = self.place(node)
        match node.type:
            case "constant_declaration":
                yield s.Constants(tuple(map(self.parameter, node.named_children)), place=place)
            case "variable_declaration":
                yield s.Variables(tuple(map(self.parameter, node.named_children)), place=place)
            case "recursive_declaration":
                yield s.Recursive(tuple(map(self.parameter, node.named_children)), place=place)
            case "operator_definition":
                name = part(node, "name")
                parameters = tuple(map(self.parameter, parts(node, "parameter")))
                body = self.expr(part(node, "definition"))
                yield s.Definition(self.name(name), parameters, body, local, place=self.place(name))
            case "function_definition":
                name, bounds = part(node, "name"), self.bounds(of_kind(node, "quantifier_bound"))
                body = self.expr(part(node, "definition"))
                function = s.Function(bounds, body, self.name(name), place=place)
                yield s.Definition(self.name(name), (), function, local, place=place)
            case "instance":
                yield self.instance(node, None, (), local)
            case "module_definition":
                parameters = tuple(map(self.parameter, parts(node, "parameter")))
                yield self.instance(part(node, "definition"), part(node, "name"), parameters, local)
            case "local_definition":
                yield from self.unit(node.named_children[0], local=True)
            case "assumption":
                named = node.child_by_field_name("name")
                body = self.expr(node.named_children[-1])
                kind = s.Theorem if self.words(node).startswith("AXIOM") else s.Assumption  # as in TLC
                yield kind(named and self.name(named), body, place=place)
            case "theorem":
                yield self.theorem(node, place)
            case "module":
                yield self.module(node)

    def theorem(self, node: Tree, place: s.Place) -> s.Theorem:
        """A theorem. Statements that only a prover reads are left out."""
        named, statement = node.child_by_field_name("name"), part(node, "statement")
        body = None if statement.type == "assume_prove" else self.expr(statement)
        return s.Theorem(named and self.name(named), body, place=place)

    def instance(
        self, node: Tree, name: Tree | None, parameters: tuple[s.Parameter, ...], local: bool
    ) -> s.Instance:
        """An instance of a module."""
        pairs = [meaningful(one) for one in of_kind(node, "substitution")]
        given = tuple((self.name(pair[0]), self.argument(pair[-1])) for pair in pairs)
        (module,) = of_kind(node, "identifier_ref")
        place = self.place(name or node)
        return s.Instance(self.name(module), given, name and self.name(name), parameters, local, place=place)


def part(node: Tree, name: str) -> Tree:
    """The child in a field; every node of this kind has that field."""
    child = node.child_by_field_name(name)
    assert child is not None, f"{node.type} has no {name}"
    return child


def parts(node: Tree, name: str) -> list[Tree]:
    """The children in a field, without punctuation."""
    return [child for child in node.children_by_field_name(name) if child.is_named]


def of_kind(node: Tree, kind: str) -> list[Tree]:
    return [child for child in node.named_children if child.type == kind]


def meaningful(node: Tree) -> list[Tree]:
    """The children without the symbols between them."""
    return [child for child in node.named_children if child.type not in _PUNCTUATION]


def _infix(node: Tree) -> str | None:
    """The infix operator at the top of an expression; None if it has another form or is in parentheses."""
    return ASCII[part(node, "symbol").type] if node.type == "bound_infix_op" else None


@cache
def language() -> tree_sitter.Language:
    """The grammar of TLA+."""
    with warnings.catch_warnings():
        # The grammar's package hands over its address as an integer, which the parser would rather not take.
        warnings.simplefilter("ignore", DeprecationWarning)
        return tree_sitter.Language(tree_sitter_tlaplus.language())


def parse(text: str, file: str) -> tuple[s.Module, ...]:
    """The modules in a file's text; the first one has the file's name.

    Args:
        file: the name for places.

    Raises:
        ModelError: with every mistake in the syntax.
    """
    made = mended(text, file)
    modules, mistakes = readable(text, made, Reader(made.text, file))
    if mistakes:
        raise ModelError(mistakes)
    return modules


class Mended(NamedTuple):
    """A text without comments and without the definitions whose syntax is mistaken.

    Of such a definition the name and the parameters stay, and every place is as it was.

    Attributes:
        root: its tree.
        mistakes: the mistakes in the order of their places.
        complete: whether every name stayed.
    """

    text: str
    root: Tree
    mistakes: list[Mistake]
    complete: bool


def readable(text: str, made: Mended, reader: Reader) -> tuple[tuple[s.Module, ...], list[Mistake]]:
    """The modules in a file's text as far as they can be read, as while it is being written.

    Args:
        made: the text as `mended` made it.
        reader: the reading of that.

    Returns:
        The modules, and the mistakes in the syntax.
    """
    mistakes = []
    offset = untranslated_algorithm(text)
    if offset is not None:
        repair = f"translate it by `java -cp tla2tools.jar pcal.trans {reader.file}`"
        place = place_of(text, offset, reader.file)
        mistakes = [Mistake(place, f"the algorithm has no translation: {repair}")]
    modules = tuple(reader.module(node) for node in of_kind(made.root, "module"))
    return modules, [*mistakes, *made.mistakes, *reader.mistakes]


# A number of a module may have any length: Python's limit is against those that come from strangers.
sys.set_int_max_str_digits(0)


# -- mistakes in the syntax ----------------------------------------------------------------------------

_MOST = 10
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_END = re.compile(r"^[ \t\f]*====", re.MULTILINE)
_OPEN = re.compile(r'\(\*|"')
_WORD = re.compile(rb"([ \t\f]*)(\w+|[^\s\w]+)")
_COMMENT = re.compile(r"[(\\]\*[^\n]*")
_PROCESS = re.compile(r"process version:\d+, version_count:\d+, state:\d+, row:(\d+), col:(\d+)")
_TOKEN = re.compile(r"\w+|!=|\\\w+|[=/\\<>|.:\-+~]+|.|$", re.DOTALL)
_FIRST_WORDS = frozenset({
    "LET", "IF", "THEN", "ELSE", "CASE", "CHOOSE", "EXTENDS", "CONSTANT", "CONSTANTS", "VARIABLE", "VARIABLES",
})  # fmt: skip
_MEANT = {
    "\\le": "<=", "\\ge": ">=", "\\ne": "#", "\\neq": "#", "!=": "#", "\\iff": "<=>", "\\implies": "=>",
    "\\mod": "%", "\\bmod": "%", "\\setminus": "\\", "\\bigcup": "UNION",
}  # fmt: skip
"""The operators of other languages."""
_FOREIGN = re.compile(rf"(?:{'|'.join(map(re.escape, _MEANT))})(?!\w|(?<=!=)=)")
_CULPRIT = re.compile(
    r"(?:\\\w*|[^\s\w()\[\]{}⟨⟩,;:'\"@.]+(?<!>>)|(?<=\n)[A-Z_]+|\b(?i:" + "|".join(_FIRST_WORDS) + r"))\Z"
)
_BLANK = re.compile(r"\s*")
_HEADER = re.compile(
    r"^([ \t\f]*)((?:LOCAL[ \t\f]+)?"
    r"\w+[ \t\f]*(?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])?[ \t\f]*(?:==(?!=)|≜)"
    r"|(?:VARIABLE|CONSTANT|ASSUM|THEOREM|LEMMA|RECURSIVE|INSTANCE|AXIOM|COROLLARY|PROPOSITION)\w*\b"
    r"|----+|====+)",
    re.MULTILINE,
)
_MODULE = re.compile(r"-{4,}\s*MODULE\s+\w+\s*-{4,}")
_NAMED = re.compile(r"^.*\bMODULE\b", re.MULTILINE)
_OPENING = "---- MODULE m ----\n"
_CONTEXT = 2
"""The definitions after a mistake that are parsed to find it."""
_UNITS = frozenset({
    "constant_declaration", "variable_declaration", "recursive_declaration", "operator_definition",
    "function_definition", "module_definition", "instance", "local_definition", "assumption", "theorem",
})  # fmt: skip
_PARTS = _UNITS | {"header_line", "identifier", "extends", "single_line", "use_or_hide"}
# The Unicode forms are tokens only as a whole.
_CANDIDATES = {
    ")": "`)`", "]": "`]`", "}": "`}`", "⟩": "`>>`", "THEN": "`THEN`", "ELSE": "`ELSE`", "IN": "`IN`",
    ":": "`:`", "_": "`_`", "←": "`<-`", "→": "`->`", "↦": "`|->`", "≜": "`==`", "!": "`!`", "MODULE": "`MODULE`",
    "\\in": "`\\in`", "=": "`=`", ",": "`,`", "(": "`(`", "1": "an expression", "x": "a name", "+": "an operator",
}  # fmt: skip


def mended(text: str, file: str) -> Mended:
    """A file's text, with the definitions whose syntax is mistaken reduced to their names and parameters."""
    bare = parsed(text)
    opened = unclosed(bare)
    if _MODULE.search(bare) is None:
        line = _NAMED.search(bare)
        opened = {
            _skip_blank(bare, line.start() if line is not None else 0): "expected `---- MODULE name ----`"
        }
    found = {place_of(bare, at, file): told for at, told in opened.items()}
    search = _Search(language(), _closed(bare, *opened))
    for _ in range(_MOST):
        wrong = search.find()
        place = None if wrong is None else place_of(search.text, wrong, file)
        if wrong is None or place is None or place in found:
            break
        if not opened:
            found[place] = search.message(wrong)
        search.reduce(wrong)
    mistakes = [Mistake(place, found[place]) for place in sorted(found)]
    return Mended(search.text, search.root, mistakes, search.complete and not opened)


def _closed(text: str, *offsets: int) -> str:
    """The text with the rest of a line blanked where a comment or a string begins that does not end.

    So is every comment behind it: a comment in a list would be read as an item.
    """
    for offset in offsets:
        line = text.find("\n", offset)
        end = len(text) if line < 0 else line
        text = without_comments(text[:offset] + " " * (end - offset) + text[end:])
        text = _COMMENT.sub(lambda found: " " * len(found.group()), text)
    return text


def unclosed(text: str) -> dict[int, str]:
    """The first comment or string of a module that is not closed: what comes behind it tells nothing.

    Args:
        text: the text without comments. Around the module it may be anything.
    """
    begin, ends = text.find("----"), [found.start() for found in _END.finditer(text)]
    bare = _STRING.sub(lambda found: "." * len(found.group()), text[: ends[-1] if ends else len(text)])
    piece = _OPEN.search(bare, max(begin, 0))
    if piece is None:
        return {}
    if piece.group() == "(*":
        return {piece.start(): "the comment that begins here is not closed: expected `*)`"}
    return {piece.start(): 'the string that begins here is not closed: expected `"` in the same line'}


def place_of(text: str, offset: int, file: str) -> Place:
    """The place of an offset."""
    begin = text.rfind("\n", 0, offset)
    return Place(file, text.count("\n", 0, offset) + 1, offset - begin - text.count(WIDE, begin + 1, offset))


class _Search:
    """A search for mistakes in a text, in which definitions with known mistakes lose their bodies.

    Attributes:
        root: the tree of the text.
        headers: the beginnings of definitions and of the module's other parts, those within LET left out.
        complete: whether every name stayed.
    """

    def __init__(self, language: tree_sitter.Language, text: str) -> None:
        self.language = language
        self.complete = True
        self._take(text)

    def _take(self, text: str) -> None:
        self.text = text
        self.root = _tree(self.language, text)
        found = list(_HEADER.finditer(text)) if self.root.has_error else []
        least = min((len(header[1]) for header in found), default=0)
        self.headers = [header for header in found if len(header[1]) <= least]

    def find(self) -> int | None:
        """The offset of the first token that does not fit; None if all do.

        An unfinished expression goes on with the next definition's name, and even with its `==` and more, as if
        that were an operator's symbol. Such a definition's own beginning is the place then.
        """
        last = self._misfit()
        if last is None:
            return None
        own, end = self._definition(last)
        sound = _stop(self.language, f"{self._part(own, end)}\n====") is None
        for header in self.headers:
            start = header.start(2)
            if start <= last <= _skip_blank(self.text, header.end()) or (sound and header.start() == own):
                before = self._part(self._definition(start)[0], start)
                if _stop(self.language, f"{before}\n====") is None:
                    return last
                last = start
        start, end = self._definition(last)
        within = _stop(self.language, f"{self._opened(start, end)}\n====")
        inside = last if within is None else start + within - len(_OPENING)
        # A token at the beginning of a line is meant to begin a definition.
        return self._of_culprit(
            min(last, inside) if start and self.text[inside - 1 : inside] != "\n" else last
        )

    def _part(self, start: int, end: int) -> str:
        """A definition's text in a module; it is one with its own line if that is where the text begins."""
        return f"{_OPENING if start else ''}{self.text[start:end]}"

    def _opened(self, start: int, end: int) -> str:
        """A definition's text with a parenthesis before its body, in which no other definition can begin."""
        header = _HEADER.match(self.text, start)
        body = _skip_blank(self.text, header.end()) if header is not None else end
        is_expression = (
            header is not None and header[0].endswith(("==", "≜")) and self.text[body - 1] in " \t"
        )
        if not is_expression or body >= end or self.text.startswith("INSTANCE", body):
            return self._part(start, end)
        return f"{_OPENING}{self.text[start : body - 1]}({self.text[body:end]}"

    def _of_culprit(self, offset: int) -> int:
        """The offset of the symbol or word in front of a token if that is what is wrong; else that of the token.

        The parser takes the symbol of an operator for a name, also `|-` and `>` of a `|->` that does not fit.
        """
        start, _ = self._definition(offset)
        if (known := _FOREIGN.search(self.text, start, offset)) is not None:
            return known.start()
        before = self._opened(start, offset).rstrip()
        found = _CULPRIT.search(before)
        culprit = found[0] if found is not None else ""
        stop = None if culprit.isidentifier() else _stop(self.language, f"{before} x ")
        wrong = _repair(culprit) or (culprit and stop is not None and stop <= len(before) + 1)
        return self.text.rindex(culprit, 0, offset) if wrong else offset

    def _misfit(self) -> int | None:
        """As `_stop` of the text; of a long one only the part that matters is parsed with a log, which is slow."""
        if not self.root.has_error:
            return None
        begin, wrong = _sound(self.root)
        content = self.text.encode()
        start, at = (len(content[:place].decode()) for place in (begin, wrong))
        ends = [*(header.start() for header in self.headers if header.start() > at), len(self.text)]
        end = ends[min(_CONTEXT, len(ends) - 1)]
        opening, ending = _OPENING if start else "", "\n====" if end < len(self.text) else ""
        found = _stop(self.language, f"{opening}{self.text[start:end]}{ending}")
        place = -1 if found is None else found - len(opening) + start
        # A token that fits nowhere in front of the part's own end may fit there in the whole text.
        within = at <= place and (place < end or not ending)
        return place if within else _stop(self.language, self.text)

    def message(self, offset: int) -> str:
        """The message about a token that does not fit."""
        token = _TOKEN.match(self.text, offset)
        found = token.group() if token is not None else ""
        if repair := _repair(found):
            return f"`{found}` {repair}"
        expected = self._expected(offset)
        if not found and _stop(self.language, f"{self.text}\n====") is None:
            expected = "`====`"
        if found == "," and "`)`" in expected:
            expected += "; a tuple is written `<<a, b>>`"
        if any(header.start(2) == offset for header in self.headers):
            part = "module ends" if found.startswith("====") else "next definition begins"
            return f"the {part} here, but the definition before is unfinished: expected {expected}"
        return f"{f'`{found}`' if found else 'the end of the file'} does not fit here: expected {expected}"

    def _expected(self, offset: int) -> str:
        """The tokens that would fit: those after which the parser goes on."""
        start, _ = self._definition(offset)
        plain, opened = self._part(start, offset).rstrip(), self._opened(start, offset).rstrip()
        stop = _stop(self.language, opened)
        within = plain if stop is not None and stop < len(opened) else opened
        fits = {}
        for token in _CANDIDATES:
            # The parenthesis of an opened definition is none of the text's.
            before = plain if token == ")" else within
            stop = _stop(self.language, f"{before} {token} ")
            fits[token] = stop is None or stop > len(before) + len(token)
        named = [name for token, name in _CANDIDATES.items() if fits[token] and not _implied(token, fits)]
        *first, last = named or ["another word"]
        return f"{', '.join(first)} or {last}" if first else last

    def _definition(self, offset: int) -> tuple[int, int]:
        """The extent of the definition that the token before an offset is in, up to the next one."""
        before = len(self.text[:offset].rstrip()) - 1
        starts = [header.start() for header in self.headers]
        start = max((at for at in starts if at <= before), default=0)
        return start, min((at for at in starts if at > max(start, offset - 1)), default=len(self.text))

    def reduce(self, offset: int) -> None:
        """Reduce the definition with the mistake to its name and its parameters, with a number as the body."""
        start, end = self._definition(offset)
        if "MODULE" in self.text[start:].partition("\n")[0]:  # the module's own line, which stays
            before = len(self.text[:offset].rstrip())
            start = min(end, max(self.text.rfind("\n", 0, before), self.text.find("\n", start)) + 1)
        header = _HEADER.match(self.text, start)
        kept, body = header[0] if header is not None else "", "0"
        if not kept.endswith(("==", "≜")) or _tree(self.language, f"{_OPENING}{kept}0\n====").has_error:
            kept, body, self.complete = "", "", False
        # The digit moves nothing that is left: behind it the line is blank.
        blank = re.sub(r"[^\n]", " ", self.text[start + len(kept) : end])
        self._take(f"{self.text[:start]}{kept}{body}{blank}{self.text[end:]}")


def _tree(language: tree_sitter.Language, text: str) -> Tree:
    """The tree of a text.

    The grammar takes the `~ (a)` of `~ (a) = b` for a call, which binds tighter than `=`. It does not where `a` is
    in braces. So the tree has braces there, which `Reader.finite_set_literal` knows; every place is as it was.
    """
    parser, written = tree_sitter.Parser(language), bytearray(with_plain_names(text))
    while True:
        root = parser.parse(bytes(written)).root_node
        found = tree_sitter.QueryCursor(_calls(language)).captures(root)
        if not found:
            return root
        for name, brace in (("open", b"{"), ("close", b"}")):
            for one in found[name]:
                written[one.start_byte : one.end_byte] = brace


@cache
def _calls(language: tree_sitter.Language) -> tree_sitter.Query:
    call = '(bound_nonfix_op symbol: (prefix_op_symbol) "(" @open . (_) . ")" @close)'
    return tree_sitter.Query(language, call)


def _sound(root: Tree) -> tuple[int, int]:
    """The bytes at which the last unit before the first mistake begins, and at which the unsound rest begins."""
    (module,) = of_kind(root, "module")[:1] or (root,)
    begin = 0
    for child in module.children:
        if child.has_error or (child.is_named and child.type not in _PARTS):
            return begin, child.start_byte
        begin = child.start_byte if child.type in _UNITS else begin
    return begin, root.end_byte


def _repair(word: str) -> str:
    """The message's end on a word of another language or file: what to write; "" if the word is none."""
    if word in KEYWORDS - RESERVED:
        return "belongs in the configuration: expected a definition"
    if word.upper() in _FIRST_WORDS and word not in _FIRST_WORDS:
        return f"is no keyword: did you mean `{word.upper()}`?"
    return f"is no operator: did you mean `{_MEANT[word]}`?" if word in _MEANT else ""


def _implied(token: str, fits: dict[str, bool]) -> bool:
    """Whether a token fits only as a name does, or goes without saying."""
    if token == "x":
        return fits["1"]
    if token in ("\\in", "="):
        return fits["+"]
    if token == "_":
        return fits["x"]
    return (token.isupper() and fits["x"]) or (token == "(" and fits["1"])


def _stop(language: tree_sitter.Language, text: str) -> int | None:
    """The offset of the first token that fits nowhere; None if all fit."""
    log: list[str] = []
    parser = tree_sitter.Parser(language)
    parser.logger = lambda _, message: log.append(message)
    if not parser.parse(with_plain_names(text)).root_node.has_error:
        return None
    stops, at = [], (0, 0)
    for message in log:
        if (process := _PROCESS.match(message)) is not None:
            at = (int(process[1]), int(process[2]))
        elif message.startswith("detect_error"):
            stops.append(_offset(text, *at))
        elif message.startswith("resume"):
            break
    return max(stops, default=_offset(text, *at))


def _offset(text: str, row: int, column: int) -> int:
    """The offset of the token at or after a place, whose column counts bytes."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[:row])
    return _skip_blank(text, start + len(lines[row].encode()[:column].decode(errors="ignore")))


def _skip_blank(text: str, offset: int) -> int:
    blank = _BLANK.match(text, offset)
    return blank.end() if blank is not None else offset
