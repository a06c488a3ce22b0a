"""Applications of functions that generated code evaluates once and then reads from a variable.

`f[x]` is `f[f[0].index[x]]` in Python, and many formulas have the same one again and again. Where it was surely
evaluated before, it stands for the same value: the pass keeps that in a variable (available expressions; A. Aho,
M. Lam, R. Sethi, J. Ullman, *Compilers*, 2nd edition, section 9.2.6). Nodes keep their places.

Without it, exploring MultiPaxos-SMR of tlaplus/Examples takes 1.22 times the CPU (MultiPaxos_MC_small.cfg, 60,000
states), and 0.92 to 1.06 times that of five others.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, TypeAlias

_Key: TypeAlias = tuple[Any, ...]
"""A value: ("name", x), ("constant", type, value), ("apply", function, argument) or ("call", x)."""


@dataclass
class _Known:
    """The facts at one point of a function.

    Attributes:
        holders: for each value that was evaluated, a variable that has it.
        values: for each variable that has a known value, that one.
    """

    holders: dict[_Key, str] = field(default_factory=dict)
    values: dict[str, _Key] = field(default_factory=dict)

    def copy(self) -> _Known:
        return _Known(dict(self.holders), dict(self.values))

    def forget(self, names: Iterable[str]) -> None:
        """Drop the facts about variables that get another value."""
        gone = frozenset(names)
        self.values = {
            name: key for name, key in self.values.items() if name not in gone and not _mentions(key, gone)
        }
        self.holders = {
            key: name for key, name in self.holders.items() if name not in gone and not _mentions(key, gone)
        }

    def bind(self, name: str, key: _Key | None) -> None:
        """Note that a variable has a value from here on."""
        if key is None or _mentions(key, frozenset({name})):
            return
        self.values[name] = key
        if key[0] in ("apply", "call"):
            self.holders.setdefault(key, name)

    def common(self, other: _Known) -> _Known:
        """The facts of both."""
        return _Known(
            dict(self.holders.items() & other.holders.items()),
            dict(self.values.items() & other.values.items()),
        )


def _mentions(key: _Key, names: frozenset[str]) -> bool:
    match key:
        case ("name" | "call", name):
            return name in names
        case ("apply", function, argument):
            return _mentions(function, names) or _mentions(argument, names)
    return False


def reuse(tree: ast.Module) -> ast.Module:
    """The functions of a module, in which no application is evaluated twice on one way."""
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            _Function(one).rewrite()
    return tree


class _Function:
    """The pass through one function."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        self.loads = Counter(node.id for node in names if isinstance(node.ctx, ast.Load))
        parameters = {one.arg for one in function.args.args}
        self.local = parameters | {node.id for node in names if isinstance(node.ctx, ast.Store)}
        self.used: set[str] = set()
        self.made: set[str] = set()
        self.known = _Known()

    def rewrite(self) -> None:
        """Change the function."""
        self._statements(self.function.body)
        unused = self.made - self.used
        if unused:
            _Without(unused).visit(self.function)

    # Statements

    def _statements(self, body: Sequence[ast.stmt]) -> bool:
        """Go through a block; whether nothing after it is reached from it."""
        ended = False
        for one in body:
            ended = self._statement(one)
        return ended

    def _statement(self, one: ast.stmt) -> bool:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)]):
                one.value = self._held(one.value, name)
            case ast.Assign():
                one.value = self._expression(one.value)
                self.known.forget(_stored(one.targets))
            case ast.Expr():
                one.value = self._expression(one.value)
            case ast.Return(value=ast.expr() as value):
                one.value = self._expression(value)
            case ast.If():
                return self._if(one)
            case ast.For():
                self._for(one)
            case ast.Try():
                self._try(one)
            case ast.AugAssign() | ast.Pass() | ast.Global() | ast.Return():
                pass
            case _:
                self.known = _Known()
        return isinstance(one, ast.Return | ast.Raise | ast.Continue | ast.Break)

    def _if(self, one: ast.If) -> bool:
        one.test, true, false = self._test(one.test)
        self.known = true
        ended = self._statements(one.body)
        after = self.known
        self.known = false
        otherwise = self._statements(one.orelse)
        if not ended:
            self.known = after if otherwise else self.known.common(after)
        return ended and otherwise

    def _for(self, one: ast.For) -> None:
        one.iter = self._expression(one.iter)
        self.known.forget(_stored([one.target, *one.body]))
        before = self.known.copy()
        self._statements(one.body)
        self.known = before

    def _try(self, one: ast.Try) -> None:
        before = self.known.copy()
        self._statements(one.body)
        before.forget(_stored(one.body))
        for handler in one.handlers:
            self.known = before.copy()
            self._statements(handler.body)
            before.forget(_stored(handler.body))
        self.known = before

    # Expressions

    def _test(self, e: ast.expr) -> tuple[ast.expr, _Known, _Known]:
        """The expression with the facts where it is true, and where it is false."""
        match e:
            case ast.UnaryOp(op=ast.Not()):
                e.operand, true, false = self._test(e.operand)
                return e, false, true
            case ast.BoolOp():
                return self._junction(e)
        e = self._expression(e)
        return e, self.known.copy(), self.known.copy()

    def _junction(self, e: ast.BoolOp) -> tuple[ast.expr, _Known, _Known]:
        """As `_test`: each part is evaluated where those before it are true, or false in a disjunction."""
        conjunction = isinstance(e.op, ast.And)
        exits: list[_Known] = []
        for place, part in enumerate(e.values):
            e.values[place], true, false = self._test(part)
            self.known, left = (true, false) if conjunction else (false, true)
            exits.append(left)
        through, early = self.known, reduce(_Known.common, exits)
        return (e, through, early) if conjunction else (e, early, through)

    def _conditional(self, parts: list[ast.expr]) -> list[ast.expr]:
        """Parts that may not be evaluated, each after those before it."""
        before = self.known.copy()
        found = [self._expression(one) for one in parts]
        before.forget(_stored(found))
        self.known = before
        return found

    def _held(self, e: ast.expr, name: str) -> ast.expr:
        """An expression that becomes the value of a variable."""
        key = self._key(e)
        e = self._expression(e, keep=False)
        self.known.forget([name])
        if key is not None and self._key(e) is not None:
            self.known.bind(name, key)
        return e

    def _expression(self, e: ast.expr, keep: bool = True) -> ast.expr:
        """The expression, or a variable that has its value.

        Args:
            keep: whether a new variable is to have the value of an application.
        """
        key = self._key(e)
        if key is not None and key[0] in ("apply", "call"):
            holder = self.known.holders.get(key)
            if holder is not None and self._alone(e):
                self.used.add(holder)
                return ast.copy_location(ast.Name(holder, ast.Load()), e)
            self._parts(e)
            if keep and not isinstance(e, ast.NamedExpr):
                return self._kept(e, key)
            return e
        self._parts(e)
        return e

    def _kept(self, e: ast.expr, key: _Key) -> ast.expr:
        name = f"c{len(self.made)}_"
        self.made.add(name)
        self.known.bind(name, key)
        target = ast.copy_location(ast.Name(name, ast.Store()), e)
        return ast.copy_location(ast.NamedExpr(target, e), e)

    def _alone(self, e: ast.expr) -> bool:
        """Whether no variable that an expression assigns is read outside of it."""
        inside = Counter(x.id for x in ast.walk(e) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load))
        return all(inside[name] == self.loads[name] for name in _stored([e]))

    def _parts(self, e: ast.expr) -> None:
        """Go through the parts of an expression in the order of their evaluation."""
        match e:
            case ast.NamedExpr(target=ast.Name(id=name)):
                e.value = self._held(e.value, name)
            case ast.BoolOp():
                e.values[0] = self._expression(e.values[0])
                e.values[1:] = self._conditional(e.values[1:])
            case ast.IfExp():
                e.test, self.known, otherwise = self._test(e.test)
                e.body = self._expression(e.body)
                after, self.known = self.known, otherwise
                e.orelse = self._expression(e.orelse)
                self.known = self.known.common(after)
            case ast.Compare():
                e.left = self._expression(e.left)
                e.comparators[0] = self._expression(e.comparators[0])
                e.comparators[1:] = self._conditional(e.comparators[1:])
            case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self.known.forget(_stored([e]))
            case _:
                self._children(e)

    def _children(self, e: ast.expr) -> None:
        for name, value in ast.iter_fields(e):
            if isinstance(value, ast.expr):
                setattr(e, name, self._expression(value))
            elif isinstance(value, list):
                value[:] = [self._expression(x) if isinstance(x, ast.expr) else x for x in value]

    def _key(self, e: ast.expr) -> _Key | None:
        """The value of an expression: the same where it is certain to be the same."""
        match e:
            case ast.Name(id=name):
                return self.known.values.get(name, ("name", name))
            case ast.Constant(value=value):
                return ("constant", type(value), value)
            case ast.NamedExpr(value=value):
                return self._key(value)
            case ast.Subscript(
                value=function,
                slice=ast.Subscript(
                    value=ast.Attribute(
                        value=ast.Subscript(value=ast.Name(id=again), slice=ast.Constant(value=0)),
                        attr="index",
                    ),
                    slice=argument,
                ),
            ):
                return self._application(function, again, argument)
            case ast.Call(func=ast.Name(id=name), args=[], keywords=[]) if name in self.local:
                return ("call", name)
        return None

    def _application(self, function: ast.expr, again: str, argument: ast.expr) -> _Key | None:
        named = function.target.id if isinstance(function, ast.NamedExpr) else None
        same = again in (named, function.id if isinstance(function, ast.Name) else None)
        first, second = self._key(function), self._key(argument)
        return ("apply", first, second) if same and first is not None and second is not None else None


class _Without(ast.NodeTransformer):
    """The removal of variables that nothing reads."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        self.generic_visit(node)
        return node.value if node.target.id in self.names else node


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that some code assigns."""
    inside = (x for node in nodes for x in ast.walk(node))
    return {x.id for x in inside if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
