"""Lines that compute a value and leave it: a guard without `require`, say, which TLA+ would take for one.

Python runs such a line and drops what it says. The model would be another than the one that was meant, and
nothing would tell of it.
"""

from __future__ import annotations

import ast
import linecache
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from leadline.symbolic.lang import Claim, Mistake, Protocol, Span

_LONGEST = 60
"""Characters of a line that are quoted."""

_OURS = __name__.partition(".")[0]


def idle_lines(protocols: Sequence[type[Protocol]], claims: Iterable[Claim]) -> list[Mistake]:
    """The lines without effect in the methods of protocols, in properties, and in what helps them.

    What helps them are the functions of the same files with an argument that is called as a state is there.
    What comes with Leadline is not looked at, nor what has no text that can be read.
    """
    methods = [x for kind in protocols for x in _functions_of(kind) if not _is_ours(x)]
    stated = [x.function for x in claims if isinstance(x.function, FunctionType) and not _is_ours(x.function)]
    actions = [x for x in methods if hasattr(x, "__leadline_action__")]
    now = {name for x in (*actions, *stated) for name in _argument(x, 1)}
    following = {name for x in actions for name in _argument(x, 2)}
    lines: dict[str, set[int]] = defaultdict(set)
    spaces: dict[str, Mapping[str, Any]] = {}
    for function in (*methods, *stated):
        code = function.__code__
        lines[code.co_filename].add(code.co_firstlineno)
        spaces[code.co_filename] = function.__globals__
    return [
        Mistake(Span(file, node.lineno), _says_nothing(node, following.intersection(_arguments(function))))
        for file, own in lines.items()
        for function in _functions_in(file)
        if _first_line(function) in own or (now | following).intersection(_arguments(function))
        for node in _idle(function, _Names(now.intersection(_arguments(function)), spaces[file]))
    ]


def _functions_of(kind: type[Protocol]) -> Iterator[FunctionType]:
    for base in kind.__mro__:
        yield from (x for x in vars(base).values() if isinstance(x, FunctionType))


def _is_ours(function: FunctionType) -> bool:
    return function.__module__.partition(".")[0] == _OURS


def _argument(function: FunctionType, position: int) -> tuple[str, ...]:
    """The name of an argument, if there are so many."""
    code = function.__code__
    return code.co_varnames[position : min(position + 1, code.co_argcount)]


def _functions_in(file: str) -> Iterator[ast.FunctionDef]:
    """The functions and methods of a file, without those inside functions."""
    linecache.checkcache(file)
    try:
        waiting: list[ast.stmt] = ast.parse("".join(linecache.getlines(file))).body
    except SyntaxError:
        return  # It has been changed since it ran.
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            yield node
        else:
            waiting += [x for x in ast.iter_child_nodes(node) if isinstance(x, ast.stmt)]


def _first_line(function: ast.FunctionDef) -> int:
    """As Python counts: decorators are part of it."""
    return min((function.lineno, *(x.lineno for x in function.decorator_list)))


def _arguments(function: ast.FunctionDef) -> list[str]:
    return [x.arg for x in (*function.args.posonlyargs, *function.args.args)]


@dataclass(frozen=True)
class _Names:
    """What the names in a function stand for.

    Attributes:
        state: those that are the current state or a part of it.
        space: the names of its module.
    """

    state: set[str]
    space: Mapping[str, Any]

    def is_language(self, name: str) -> bool:
        """Whether it is a function of the language: they make expressions, and do nothing by themselves."""
        thing = self.space.get(name)
        return isinstance(thing, FunctionType) and _is_ours(thing)


def _idle(function: ast.FunctionDef, names: _Names) -> Iterator[ast.Expr]:
    state = names.state
    while more := _parts(function, state) - state:
        state = state | more
    names = _Names(state, names.space)
    for node in ast.walk(function):
        if isinstance(node, ast.Expr) and _does_nothing(node.value, names):
            yield node


def _parts(function: ast.FunctionDef, state: set[str]) -> set[str]:
    """The variables of a function that are parts of the state, whichever line they are assigned on."""
    stored: Counter[str] = Counter()
    assigned: dict[str, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored[node.id] += 1
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    assigned[target.id].append(node.value)
    return {
        name
        for name, values in assigned.items()
        # What is also a loop's variable, or one of several that are assigned at once, may be anything.
        if len(values) == stored[name] and all(_root(x) in state for x in values)
    }


def _root(value: ast.expr) -> str | None:
    """The name that a path of attributes and indices begins with."""
    while isinstance(value, (ast.Attribute, ast.Subscript)):
        value = value.value
    return value.id if isinstance(value, ast.Name) else None


def _does_nothing(value: ast.expr, names: _Names) -> bool:
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return names.is_language(name)
        case ast.Call(func=ast.Attribute() as method):
            return _root(method) in names.state
        case ast.BoolOp():  # `debug and print(x)` does something.
            return _does_nothing(value.values[-1], names)
        case ast.Compare() | ast.BinOp() | ast.UnaryOp() | ast.Attribute() | ast.Subscript() | ast.Name():
            return True
    return False


def _says_nothing(node: ast.Expr, following: Iterable[str]) -> str:
    text = ast.unparse(node.value)
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    nxt = next(iter(following), None)
    repair = f"a guard is {nxt}.require(...), a change is {nxt}.x = ..." if nxt else "return it, or use it"
    return f"`{shown}` says nothing on a line of its own: {repair}"
