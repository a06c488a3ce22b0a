"""Python source in the making: functions that use variables of those around them, and places.

`f[x]` is `f[f[0].index[x]]` in Python, and many formulas have the same one again and again. Where it was surely
evaluated before, it stands for the same value: `reuse` keeps that in a variable (available expressions; A. Aho,
M. Lam, R. Sethi, J. Ullman, *Compilers*, 2nd edition, section 9.2.6). Nodes keep their places. Without it,
exploring MultiPaxos-SMR of tlaplus/Examples takes 1.22 times the CPU (MultiPaxos_MC_small.cfg, 60,000 states), and
0.92 to 1.06 times that of five others.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from types import TracebackType
from typing import Any, TypeAlias

from leadline.symbolic.tla.read.syntax import Place
from leadline.symbolic.tla.values.values import LISTED

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


Lines: TypeAlias = "list[str | Lines]"

FILE = "<leadline TLA+>"
# Text between these characters belongs to a place: start, number of the place, text, end.
_START, _TEXT, _END = "\ue000", "\ue001", "\ue002"
# The variables that a function takes over from those around it, which are known only at the end.
_FIRST, _AFTER, _OVER, _IDS = "\ue003", "\ue004", "\ue005", "\ue006"
_MARK = re.compile(f"{_START}(\\d+){_TEXT}|{_END}")
_TAKEN = re.compile(f"([{_FIRST}{_AFTER}{_IDS}])(\\w+){_OVER}")
_UNSAFE = re.compile(r"\W")


_MOST = 1 << 14
"""Results that are kept at most; then all are dropped."""
_TRIAL = 1 << 12
"""Results computed between two looks at the use of keeping them."""
_USES = 2
"""The times that a result must be used again on average. Keeping one costs as much as some computations."""


class Memo(dict[Hashable, Any]):
    """The results of a function. Each is kept with its arguments, so that no other object gets their identity.

    A search keeps one object for each value of a variable. So the parts of a formula that read few variables
    meet the same objects again in many states.

    Without it, exploring EWD998PCal of tlaplus/Examples takes 1.39 times the CPU (60,000 states), MultiPaxos-SMR
    1.21 and ReadersWriters 1.22 times.

    Where keeping them does not pay, the function itself takes the memo's place.

    Args:
        namespace: the names that generated code uses.
        name: the name of the function that asks the memo first.
        plain: the name of the function that computes.
        lists: whether results are lists of tuples. Equal ones become one object, by which others are kept.

    Attributes:
        hits: the number of results that were used again.
    """

    __slots__ = ("_computed", "_lists", "_name", "_namespace", "_plain", "hits")

    def __init__(self, namespace: dict[str, Any], name: str, plain: str, lists: bool = False) -> None:
        self._namespace = namespace
        self._name = name
        self._plain = plain
        self._lists: dict[Any, Any] | None = {} if lists else None
        self._computed = 0
        self.hits = 0

    def add(self, key: Hashable, arguments: tuple[Any, ...]) -> Any:
        """Compute a result and keep it."""
        symmetry = self._namespace.get("symmetry")
        before = 0 if symmetry is None else symmetry.open_choices
        result = self._namespace[self._plain](*arguments)
        if symmetry is not None and (symmetry.open_choices > before or not self._is_listed(result)):
            return result  # It depends on a choice, or will: it is another one in the next case.
        self._computed += 1
        if len(self) >= _MOST:
            self._drop()
        if self._lists is not None:
            result = _shared(result, self._lists)
        self[key] = (result, arguments)
        if self._computed == _TRIAL:
            if self.hits < _USES * self._computed:
                self._namespace[self._name] = self._namespace[self._plain]
                self._drop()
            self._computed = self.hits = 0
        return result

    def _is_listed(self, result: Any) -> bool:
        if self._lists is None:
            return type(result) in LISTED or type(result) is bool
        return all(one is None or LISTED.issuperset(map(type, one)) for one in result)

    def _drop(self) -> None:
        self.clear()
        if self._lists is not None:
            self._lists.clear()


def _shared(found: list[tuple[Any, ...] | None], known: dict[Any, Any]) -> Any:
    """The list, or an equal one that is known. Sets that are not listed are not compared."""
    for one in found:
        if one is None or not LISTED.issuperset(map(type, one)):
            return found
    entries = tuple(found)
    return known.setdefault(entries, entries)


class Fn:
    """A Python function in the making.

    Attributes:
        name: its name.
        parameters: its own parameters.
        around: the function in which it is called, whose variables it may use.
        names: the variables of its own.
        taken: the variables of the functions around it that it uses.
        lines: its body.
    """

    def __init__(self, name: str, parameters: Sequence[str], around: Fn | None) -> None:
        self.name = name
        self.parameters = list(parameters)
        self.around = around
        self.names = set(parameters)
        self.taken: dict[str, None] = {}
        self.lines: Lines = []

    def use(self, variable: str) -> str:
        """Refer to a variable of this function or of one around it."""
        fn = self
        while variable not in fn.names and variable not in fn.taken:
            fn.taken[variable] = None
            assert fn.around is not None, f"{variable} is unknown in {self.name}"
            fn = fn.around
        return variable

    def new(self, variable: str) -> str:
        """Add a variable of its own."""
        self.names.add(variable)
        return variable


@dataclass
class Source:
    """The source of many functions, and the values that it refers to.

    Attributes:
        namespace: the names that functions may use.
    """

    namespace: dict[str, Any]
    functions: dict[str, Fn] = field(default_factory=dict)
    _remembered: dict[str, Fn] = field(default_factory=dict)
    _calls: list[tuple[Fn, Fn]] = field(default_factory=list)
    _places: list[Place] = field(default_factory=list)
    _spans: dict[int, list[tuple[int, int, Place]]] = field(default_factory=dict)
    _count: int = 0
    _loaded: int = 0

    def fresh(self, hint: str) -> str:
        """A name that nothing has yet."""
        self._count += 1
        return f"x{self._count}_{_UNSAFE.sub('_', hint)}"

    def fn(self, hint: str, parameters: Sequence[str] = (), around: Fn | None = None) -> Fn:
        """A new function."""
        made = Fn(self.fresh(hint), parameters, around)
        self.functions[made.name] = made
        return made

    def call(self, caller: Fn, called: Fn, arguments: Iterable[str] = ()) -> str:
        """A call of a function from another one."""
        self._calls.append((caller, called))
        return f"{called.name}({_FIRST}{called.name}{_OVER}{', '.join(arguments)})"

    def bound(self, caller: Fn, called: Fn) -> str:
        """A function as a value, which needs only its own parameters."""
        self._calls.append((caller, called))
        return f"partial({called.name}{_AFTER}{called.name}{_OVER})"

    def remembered(self, fn: Fn, *, by_value: bool = False, lists: bool = False) -> Fn:
        """The function that has the results of another one, and keeps them.

        Args:
            by_value: whether equal arguments count as the same; else only the same objects do.
            lists: whether results are lists of tuples.
        """
        if fn.name not in self._remembered:
            made = self._remembered[fn.name] = self.fn(f"{fn.name}_remembered", fn.parameters, fn.around)
            self._calls.append((made, fn))
            memo = self.constant("memo", Memo(self.namespace, made.name, fn.name, lists))
            arguments = f"({_FIRST}{fn.name}{_OVER}{''.join(f'{one}, ' for one in fn.parameters)})"
            identities = f"({_IDS}{fn.name}{_OVER}{''.join(f'id({one}), ' for one in fn.parameters)})"
            if by_value:
                listed = " and ".join(f"{one}.__class__ in LISTED" for one in fn.parameters)
                made.lines += [f"if not ({listed}):", [f"return {self.call(made, fn, fn.parameters)}"]]
            made.lines += [
                f"key = {arguments if by_value else identities}",
                f"known = {memo}.get(key)",
                "if known is None:",
                [f"return {memo}.add(key, {'key' if by_value else arguments})"],
                f"{memo}.hits += 1",
                "return known[0]",
            ]
        return self._remembered[fn.name]

    def discard(self, fn: Fn) -> None:
        """Drop a function that is not called after all, and those within it."""
        gone: set[str] = set()
        for name, one in self.functions.items():
            if one is fn or (one.around is not None and one.around.name in gone):
                gone.add(name)
        for name in gone:
            del self.functions[name]
        self._calls = [pair for pair in self._calls if gone.isdisjoint(one.name for one in pair)]

    def constant(self, hint: str, value: object) -> str:
        """The name of a value."""
        name = self.fresh(hint)
        self.namespace[name] = value
        return name

    def at(self, place: Place, text: str) -> str:
        """A text whose failures are at a place."""
        self._places.append(place)
        return f"{_START}{len(self._places) - 1}{_TEXT}{text}{_END}"

    def load(self) -> dict[str, Any]:
        """Compile the functions that are new; the namespace has them then."""
        changed = True
        while changed:
            changed = False
            for caller, called in self._calls:
                for variable in list(called.taken):
                    if variable not in caller.names and variable not in caller.taken:
                        caller.use(variable)
                        changed = True
        new = list(self.functions.values())[self._loaded :]
        self._loaded = len(self.functions)
        text: list[str] = ["" for _ in range(self._line)]
        for fn in new:
            head = ", ".join([*fn.taken, *fn.parameters])
            self._render([f"def {fn.name}({head}):", fn.lines], "", text)
        self._line = len(text)
        with warnings.catch_warnings():
            # Python warns of literals in odd places, such as `1 is TRUE`. They fail when they are evaluated.
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(compile(reuse(ast.parse("\n".join(text))), FILE, "exec"), self.namespace)
        return self.namespace

    _line: int = 0

    def _render(self, lines: Lines, indent: str, text: list[str]) -> None:
        for line in lines:
            if isinstance(line, list):
                self._render(line, indent + " ", text)
            else:
                text.append(self._clean(indent + _TAKEN.sub(self._taken, line), len(text) + 1))

    def _taken(self, found: re.Match[str]) -> str:
        form = {_FIRST: "{}, ", _AFTER: ", {}", _IDS: "id({}), "}[found[1]]
        return "".join(map(form.format, self.functions[found[2]].taken))

    def _clean(self, line: str, number: int) -> str:
        """The line without marks, whose places are kept."""
        parts, end, length = [], 0, 0
        open_: list[tuple[int, Place]] = []
        for mark in _MARK.finditer(line):
            parts.append(line[end : mark.start()])
            length += mark.start() - end
            end = mark.end()
            if mark[1] is not None:
                open_.append((length, self._places[int(mark[1])]))
            else:
                start, place = open_.pop()
                self._spans.setdefault(number, []).append((start, length, place))
        return "".join([*parts, line[end:]])

    def place(self, traceback: TracebackType | None) -> Place | None:
        """The innermost place in the specification at which an exception was raised, if there is one."""
        found = None
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if code.co_filename == FILE:
                positions = list(code.co_positions())[traceback.tb_lasti // 2]
                found = self._innermost(*positions) or found
            traceback = traceback.tb_next
        return found

    def _innermost(self, line: int | None, _: int | None, start: int | None, end: int | None) -> Place | None:
        spans = self._spans.get(line or 0, [])
        around = [
            (stop - begin, place)
            for begin, stop, place in spans
            if start is not None and end is not None and begin <= start and end <= stop
        ]
        return min(around, key=lambda one: one[0])[1] if around else None
