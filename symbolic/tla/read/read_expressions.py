"""Reading expressions: the parser's nodes become those of the syntax tree."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import tree_sitter

from leadline.symbolic.lang import Mistake
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.symbols import ASCII, RESERVED, SETS, clash, prefix_clash

Tree = tree_sitter.Node
_SUBSCRIPTED = {"step_expr_or_stutter": "[]_", "step_expr_no_stutter": "<<>>_"}
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_QUANTIFIER = {"forall": "\\A", "exists": "\\E", "temporal_forall": "\\AA", "temporal_exists": "\\EE"}
_METHODS = {"except": "except_", "lambda": "lambda_"}
_PUNCTUATION = frozenset({
    "langle_bracket", "rangle_bracket", "rangle_bracket_sub", "maps_to", "all_map_to", "gets", "set_in",
    "colon",
})  # fmt: skip


class ExpressionReader:
    """A reading of a tree. The methods for expressions are named after the parser's kinds of nodes."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.mistakes: list[Mistake] = []
        self.text = text.encode()
        self.starts = [0, *accumulate(len(line) for line in self.text.splitlines(keepends=True))]

    def place(self, node: Tree) -> s.Place:
        """Where a node begins. The parser counts columns in bytes."""
        line = bisect_right(self.starts, node.start_byte)
        start = self.starts[line - 1]
        return s.Place(self.file, line, len(self.text[start : node.start_byte].decode()) + 1)

    def wrong(self, node: Tree, text: str) -> None:
        """Keep a mistake."""
        self.mistakes.append(Mistake(self.place(node), text))

    def words(self, node: Tree) -> str:
        """The text of a node."""
        return self.text[node.start_byte : node.end_byte].decode()

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

    def unit(self, node: Tree) -> Iterator[s.Unit]:
        """The units that a node declares or defines."""
        raise NotImplementedError

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

    def arguments(self, node: Tree) -> tuple[s.Expression, ...]:
        """The arguments in parentheses."""
        return tuple(map(self.argument, parts(node, "parameter")))

    # Names and operators

    def identifier_ref(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Apply(self.name(node), place=place)

    nat_number_set = int_number_set = real_number_set = string_set = boolean_set = identifier_ref

    def boolean(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Apply(self.words(node), place=place)

    def bound_op(self, node: Tree, place: s.Place) -> s.Expression:
        return s.Apply(self.name(part(node, "name")), self.arguments(node), place=place)

    def bound_nonfix_op(self, node: Tree, place: s.Place) -> s.Expression:
        symbol, *arguments = meaningful(node)
        return s.Apply(self.name(symbol), tuple(map(self.expr, arguments)), place=place)

    def prefixed_op(self, node: Tree, place: s.Place) -> s.Expression | s.Part:
        steps = [one for one in part(node, "prefix").named_children if one.type == "subexpr_component"]
        if len(steps) != len(part(node, "prefix").named_children):
            return self.subexpression(node, place)
        prefix = tuple(self.expr(step.named_children[0]) for step in steps)
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
            found = self.expr(node.named_children[0] if node.type == "subexpr_component" else node)
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
        if inner is not None and prefix_clash(operator, inner):
            self.binds_equally(symbol, operator, inner)
        return s.Apply(operator, (self.expr(right),), place=place)

    def binds_equally(self, node: Tree, first: str, second: str) -> None:
        """Keep the mistake that parentheses are missing."""
        text = f"`{first}` and `{second}` bind equally: expected parentheses around one of them"
        self.wrong(node, text.replace("-.", "-"))

    def bound_postfix_op(self, node: Tree, place: s.Place) -> s.Expression:
        operator = ASCII[part(node, "symbol").type]
        return s.Apply(operator, (self.expr(part(node, "lhs")),), place=self.place(part(node, "symbol")))

    def bound_infix_op(self, node: Tree, place: s.Place) -> s.Expression:
        symbol, left, right = part(node, "symbol"), part(node, "lhs"), part(node, "rhs")
        operator = ASCII[symbol.type]
        for side in (left, right):
            inner = _infix(side)
            if inner is not None and clash(operator, inner, side is left):
                self.binds_equally(symbol, inner, operator)
        if left.type == "bound_prefix_op":
            prefix = ASCII[part(left, "symbol").type]
            if prefix_clash(prefix, operator):
                self.binds_equally(symbol, prefix, operator)
        arguments: tuple[s.Expression, ...] = (self.expr(left), self.expr(right))
        if operator == "\\X" and left.type == "bound_infix_op":
            first = arguments[0]
            if isinstance(first, s.Apply) and first.operator == "\\X":  # a triple, not a pair of pairs
                arguments = (*first.arguments, arguments[1])
        return s.Apply(operator, arguments, place=self.place(symbol))

    def parentheses(self, node: Tree, place: s.Place) -> s.Expression:
        return self.expr(node.named_children[0])

    def label(self, node: Tree, place: s.Place) -> s.Label:
        parameters = tuple(map(self.parameter, parts(node, "parameter")))
        return s.Label(
            self.words(part(node, "name")), parameters, self.expr(part(node, "expression")), place=place
        )

    def conj_list(self, node: Tree, place: s.Place) -> s.Expression:
        operator = "/\\" if node.type == "conj_list" else "\\/"
        items = tuple(self.expr(item.named_children[-1]) for item in node.named_children)
        return s.Apply(operator, items, place=place)

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
        text = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), self.words(node)[1:-1])
        return s.String(text, place=place)

    # Binders

    def bounded_quantification(self, node: Tree, place: s.Place) -> s.Expression:
        bounds = self.bounds(of_kind(node, "quantifier_bound"))
        body = self.expr(part(node, "expression"))
        return s.Quantified(_QUANTIFIER[part(node, "quantifier").type], bounds, body, place=place)

    def unbounded_quantification(self, node: Tree, place: s.Place) -> s.Expression:
        body = self.expr(part(node, "expression"))
        return s.Quantified(
            _QUANTIFIER[part(node, "quantifier").type], (self.bound(node),), body, place=place
        )

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
        return s.SetOf(tuple(map(self.expr, node.named_children)), place=place)

    def tuple_literal(self, node: Tree, place: s.Place) -> s.Expression:
        return s.TupleOf(tuple(map(self.expr, meaningful(node))), place=place)

    def set_of_functions(self, node: Tree, place: s.Place) -> s.Expression:
        domain, range_ = meaningful(node)
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
        parts = (self.expr(part(node, name)) for name in ("if", "then", "else"))
        return s.If(*parts, place=place)

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


def part(node: Tree, name: str) -> Tree:
    """The child in a field that every node of its kind has."""
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
    """The infix operator of an expression; None if it is none's, or in parentheses."""
    return ASCII[part(node, "symbol").type] if node.type == "bound_infix_op" else None
