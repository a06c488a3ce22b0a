"""Declarations and lines of a user's file that have no effect on any model, or another than they seem to have.

Declarations: marked properties and actions that belong to no protocol. Lines: expressions whose value is not
used, such as a guard without `require`, as TLA+ would write it. Python runs such a line and drops its value,
so the model would not be the one that was meant. Nor would it with `is`, which Python decides at once, with a
guard that is never true, with a branch without `with` or with a `return` in it. Methods: those of the form of an
action that lack its mark.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

from leadline.symbolic.lang import (
    BoolExpr,
    Claim,
    Mistake,
    Protocol,
    Span,
    Type,
    declaration_log,
    hidden_by_decorator,
    namespace_of,
    shortened,
    start_if_any,
    start_of,
)

_PARSING = threading.Lock()
"""Held while Python parses: until Python 3.11.8, two threads that parse at once may fail with a SystemError."""


def unattached(
    module: ModuleType, protocols: Sequence[type[Protocol]], claims: Sequence[Claim]
) -> list[Mistake]:
    """The properties and actions that a module has marked and that are in none of its protocols.

    This looks at the module itself and, for properties that a later definition hides, at the modules that the
    claims come from. Properties that functions of an imported module mark are left to their callers.

    Args:
        module: the module, run just now.
        protocols: the protocols that it offers.
        claims: the properties that it holds.
    """
    own = vars(module)
    told = [Mistake(claim.span, claim.mistake) for claim in claims if claim.mistake]
    told += _of_no_protocol(own, protocols, claims)
    told += _unattached_actions(own)
    places = {id(names): names for names in (own, *(namespace_of(x.function) for x in claims))}
    for names in places.values():
        attached = (x for x in names.values() if isinstance(x, Claim))
        held = {id(x.function) for x in (*claims, *attached)}
        told += [
            Mistake(claim.span, f"the property {claim.name} is lost: {why}")
            for claim in declaration_log(names).claims
            if id(claim.function) not in held and (why := _why_unattached(claim, names, own))
        ]
    return told


def _why_unattached(claim: Claim, names: dict[str, Any], own: dict[str, Any]) -> str | None:
    """The reason why a module does not hold a property that it has marked; None if that is intended."""
    function = claim.function
    name, path = function.__name__, function.__code__.co_qualname
    if "<locals>" in path:
        return "it is kept under no name of the module: assign it to one" if names is own else None
    if path != name:
        return "it stands in a class: write it outside"
    if name in names and names[name] is not function:
        place = start_if_any(names[name])
        if not isinstance(names[name], Claim) and hidden_by_decorator(claim.span, names[name]):
            return f"a decorator above @{claim.kind} hides it: write @{claim.kind} above all others"
        return f"`{name}` is written again{f', at {place}' if place is not None else ''}; rename one"
    if name in names or name == "<lambda>":
        return "it is kept under no name of the module: assign it to one"
    return None  # Deleted on purpose.


def _of_no_protocol(
    own: dict[str, Any], protocols: Sequence[type[Protocol]], claims: Iterable[Claim]
) -> list[Mistake]:
    """The module's own properties that belong to none of its protocols."""
    offered = ", ".join(x.__name__ for x in protocols)
    return [
        Mistake(
            claim.span,
            f"the property {claim.name} is of no protocol that is offered here ({offered}): "
            f"write the decorator with one of them, or with a base class of one",
        )
        for claim in claims
        if not any(issubclass(x, claim.protocol) for x in protocols) and namespace_of(claim.function) is own
    ]


def _unattached_actions(own: dict[str, Any]) -> list[Mistake]:
    """The marked actions outside the classes of protocols and their base classes."""
    kinds = [x for x in own.values() if isinstance(x, type) and issubclass(x, Protocol)]
    # Actions that such a class has lost are reported when a model is built.
    told = {mistake.span for kind in kinds for mistake in kind.__leadline_lost__}
    waiting = [x for x in declaration_log(own).actions if x.span not in told]
    # A process may have many classes of protocols: they are searched only for what is not in the module's own.
    for searched in (kinds, _subclasses(Protocol)):
        if waiting:
            taken = {id(x) for kind in searched for base in kind.__mro__ for x in vars(base).values()}
            waiting = [x for x in waiting if id(x.function) not in taken]
    repair = "write it as a method of a protocol's class, under a name of its own"
    return [Mistake(x.span, f"the action {x.function.__name__} is in no protocol: {repair}") for x in waiting]


def _subclasses(kind: type[Protocol]) -> Iterator[type[Protocol]]:
    for below in kind.__subclasses__():
        yield below
        yield from _subclasses(below)


_LONGEST = 60
"""Characters of a line to quote at most."""

_OURS = __name__.partition(".")[0]


def ineffective_lines(protocols: Sequence[type[Protocol]], claims: Iterable[Claim]) -> list[Mistake]:
    """The lines without the effect that they seem to have, in methods of protocols, properties and their helpers.

    These are lines without effect, comparisons of expressions by `is`, guards that are always false, branches
    without `with` or with a `return`, and methods that look like actions and are none.
    Helpers are the functions of the same files with an argument that has the name of a state there. Functions
    that come with Leadline are left out, and those whose text cannot be read.
    """
    held = (x for kind in protocols for base in kind.__mro__ for x in vars(base).values())
    methods = [x for x in held if isinstance(x, FunctionType) and not _is_ours(x)]
    stated = [x.function for x in claims if isinstance(x.function, FunctionType) and not _is_ours(x.function)]
    marked = [x for x in methods if hasattr(x, "__leadline_action__")]
    told, actions = _in_order(marked)
    now = {name for x in (*actions, *stated) for name in _argument(x, 1)}
    following = {name for x in actions for name in _argument(x, 2)}
    lines: dict[str, set[int]] = defaultdict(set)
    picking: dict[str, set[int]] = defaultdict(set)
    spaces: dict[str, Mapping[str, Any]] = {}
    for function in (*methods, *stated):
        code = function.__code__
        lines[code.co_filename].add(code.co_firstlineno)
        if hasattr(function, "__leadline_action__"):
            picking[code.co_filename].add(code.co_firstlineno)
        spaces[code.co_filename] = function.__globals__
    functions = {file: [*_functions_in(file)] for file in lines}
    told += _unmarked(methods, functions)
    for file, own in lines.items():
        for written in functions[file]:
            arguments = _arguments(written)
            if _first_line(written) in own or (now | following).intersection(arguments):
                names = _Names(now.intersection(arguments), spaces[file], following.intersection(arguments))
                picks = arguments[3:] if _first_line(written) in picking[file] else []
                found = (*_unused(written, names), *_senseless(written, names, {*picks}))
                told += [Mistake(_span(file, node), text) for node, text in found]
    return told


def _in_order(actions: Sequence[FunctionType]) -> tuple[list[Mistake], list[FunctionType]]:
    """The actions with the two states in the order of most others, and the mistakes of the others."""
    pairs = Counter(x.__code__.co_varnames[1:3] for x in actions)
    told, right = [], []
    for one in actions:
        code = one.__code__
        pair = code.co_varnames[1:3]
        if code.co_argcount < 3:  # Building the model tells this mistake.
            continue
        if pairs[pair] < pairs[pair[::-1]]:
            text = f"the action {one.__name__} takes {', '.join(pair)}, and others {', '.join(pair[::-1])}"
            told.append(Mistake(start_of(one), f"{text}: the current state comes first"))
        else:
            right.append(one)
    return told, right


def _unmarked(
    methods: Sequence[FunctionType], functions: Mapping[str, Sequence[ast.FunctionDef]]
) -> Iterator[Mistake]:
    """The methods that have the arguments of an action, return nothing and have neither mark nor use here."""
    nodes = [x for written in functions.values() for one in written for x in ast.walk(one)]
    used = {x.attr for x in nodes if isinstance(x, ast.Attribute)} | {
        x.id for x in nodes if isinstance(x, ast.Name)
    }
    places = {(file, _first_line(one)): one for file, written in functions.items() for one in written}
    for method in dict.fromkeys(methods):
        code, name = method.__code__, method.__name__
        written = places.get((code.co_filename, code.co_firstlineno))
        if hasattr(method, "__leadline_action__") or name[0] == "_" or name in used or written is None:
            continue
        gives = any(isinstance(x, ast.Return) and x.value is not None for x in ast.walk(written))
        if _arguments(written)[1:3] == ["now", "nxt"] and not gives:
            text = f"nothing calls the method {name}, which looks like an action: write @action above it"
            repair = "or, where other files call it, begin its name with _"
            yield Mistake(start_of(method), f"{text}, {repair}")


def _span(file: str, node: ast.expr | ast.stmt) -> Span:
    last = node.end_col_offset if node.end_lineno == node.lineno else None
    return Span(file, node.lineno, columns=(node.col_offset, sys.maxsize if last is None else last))


def _is_ours(function: FunctionType) -> bool:
    # Code run by `exec` in a bare namespace has no module.
    return (function.__module__ or "").partition(".")[0] == _OURS


def _argument(function: FunctionType, position: int) -> tuple[str, ...]:
    """The name of the argument at a position, or nothing."""
    code = function.__code__
    return code.co_varnames[position : min(position + 1, code.co_argcount)]


def _functions_in(file: str) -> Iterator[ast.FunctionDef]:
    """The functions and methods of a file, except those inside functions."""
    linecache.checkcache(file)
    try:
        with _PARSING:
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
    """The first line of a function as Python counts it, decorators included."""
    return min((function.lineno, *(x.lineno for x in function.decorator_list)))


def _arguments(function: ast.FunctionDef) -> list[str]:
    return [x.arg for x in (*function.args.posonlyargs, *function.args.args)]


@dataclass(frozen=True)
class _Names:
    """The meaning of the names in a function.

    Attributes:
        state: the names of the current state and of parts of it.
        space: the names of its module.
        following: the names of the next state.
    """

    state: set[str]
    space: Mapping[str, Any]
    following: set[str]

    def is_language(self, name: str) -> bool:
        """Whether it is a function of the language: those make expressions and have no other effect."""
        thing = self.space.get(name)
        return isinstance(thing, FunctionType) and _is_ours(thing)


_Wrong: TypeAlias = tuple[ast.expr | ast.stmt, str]
"""An expression or a statement of a file, and the complaint about it."""


def _unused(function: ast.FunctionDef, names: _Names) -> Iterator[_Wrong]:
    """The lines without effect."""
    parts = _closed(function, names.state, lambda value, state: _root(value) in state)
    names = replace(names, state=parts)
    nxt = next(iter(names.following), None)
    repair = f"a guard is {nxt}.require(...), a change is {nxt}.x = ..." if nxt else "return it, or use it"
    for node in ast.walk(function):
        if isinstance(node, ast.Expr) and _does_nothing(node.value, names):
            yield node.value, f"`{_shown(node.value)}` has no effect: {repair}"
        elif isinstance(node, ast.Expr) and _opens_branch(node.value, names):
            yield (
                node.value,
                f"`{_shown(node.value)}` opens no branch: write `with` before it, and `:` after it",
            )
        elif isinstance(node, ast.With) and _opens_branch(node.items[0].context_expr, names):
            for one in node.body:
                if isinstance(one, ast.Return):
                    text = "this ends the action whether the branch is taken or not: leave it out, and write"
                    yield one, f"{text} the rest in another branch ({nxt}.otherwise)"


def _opens_branch(value: ast.expr, names: _Names) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="when" | "elsewhen" | "otherwise")):
            return name in names.following
    return False


def _closed(
    function: ast.FunctionDef, known: set[str], belongs: Callable[[ast.expr, set[str]], bool]
) -> set[str]:
    """The names, and the variables of a function that belong to them wherever they are assigned."""
    assigned = _assigned(function)
    while more := {x for x, own in assigned.items() if all(belongs(value, known) for value in own)} - known:
        known = known | more
    return known


def _stored(function: ast.FunctionDef) -> Counter[str]:
    """How often each name of a function is given a value: in an assignment, a loop or a comprehension."""
    names = (x for x in ast.walk(function) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store))
    return Counter(x.id for x in names)


def _assigned(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """The values of the variables of a function that are assigned one at a time, wherever they are."""
    stored = _stored(function)
    assigned: dict[str, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    assigned[target.id].append(node.value)
    # A name that is also a loop's variable, or one of several assigned at once, may be anything.
    return {name: values for name, values in assigned.items() if len(values) == stored[name]}


# -- lines that mean another thing than they say ----------------------------------------------------------


def _senseless(function: ast.FunctionDef, names: _Names, picks: set[str]) -> Iterator[_Wrong]:
    """Comparisons of expressions by `is`, and guards that are false in every state and at all parameters."""
    given = function.args
    optional = {*_arguments(function)[len(_arguments(function)) - len(given.defaults) :]}
    elsewhere = {*_stored(function)} | {x.arg for x in _lambda_arguments(ast.walk(function))}
    roots = (names.state | names.following | picks) - (optional - picks) - elsewhere
    roots = _closed(function, roots, lambda value, known: _is_expression(value, names, known))
    roots = roots | _bound(function, names, roots)
    constants = _constants(function, names)
    for node in ast.walk(function):
        match node:
            case ast.Compare() if _by_identity(node, names, roots):
                yield node, _identity(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="require")) if (
                name in names.following
            ):
                for guard in node.args:
                    if _is_false(guard, constants):
                        text = f"the guard `{_shown(guard)}` is always false, so the action is never taken"
                        repair = "write what it shall depend on, make it a parameter, or leave the action out"
                        yield guard, f"{text}: {repair}"


def _is_expression(value: ast.expr, names: _Names, known: set[str]) -> bool:
    """Whether a value is an expression of the language for sure, and so never None, True or False itself."""

    def inside(one: ast.expr) -> bool:
        return _is_expression(one, names, known)

    match value:
        case ast.Name(id=name):
            return name in known
        case ast.Attribute() | ast.Subscript() | ast.NamedExpr():
            return inside(value.value)
        case ast.Call(func=ast.Attribute(value=whole)):
            return inside(whole)
        case ast.Call(func=ast.Name(id=name)):
            return names.is_language(name) and any(map(inside, value.args))
        case ast.BinOp():
            return inside(value.left) or inside(value.right)
        case ast.UnaryOp(op=ast.Invert() | ast.USub(), operand=operand):
            return inside(operand)
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
            return inside(value.left) or inside(value.comparators[0])
        case ast.IfExp():
            return inside(value.body) and inside(value.orelse)
    return False


def _bound(function: ast.FunctionDef, names: _Names, known: set[str]) -> set[str]:
    """The arguments of the functions that quantifiers, filters and maps are given, and no other function's."""
    found: list[ast.arg] = []
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name)) if names.is_language(name):
                found += _lambda_arguments(node.args)
            case ast.Call(func=ast.Attribute(value=whole)) if _is_expression(whole, names, known):
                found += _lambda_arguments(node.args)
    others = {x.arg for x in _lambda_arguments(ast.walk(function)) if x not in found}
    return {x.arg for x in found} - others


def _lambda_arguments(nodes: Iterable[ast.AST]) -> list[ast.arg]:
    """The arguments without a default of the lambdas among some nodes."""
    given = [x.args for x in nodes if isinstance(x, ast.Lambda)]
    return [x for one in given for x in one.args[: len(one.args) - len(one.defaults)]]


def _by_identity(node: ast.Compare, names: _Names, known: set[str]) -> bool:
    pairs = itertools.pairwise((node.left, *node.comparators))
    return any(
        isinstance(op, ast.Is | ast.IsNot) and any(_is_expression(x, names, known) for x in pair)
        for op, pair in zip(node.ops, pairs, strict=True)
    )


def _identity(node: ast.Compare) -> str:
    word, value, mend = ("is not", True, "!=") if isinstance(node.ops[0], ast.IsNot) else ("is", False, "==")
    told = (
        f"`{_shown(node)}` is Python's {value} in every state, since `{word}` compares the expression itself"
    )
    return f"{told}: write {_shown(node.left)} {mend} {_shown(node.comparators[0])}"


_PLAIN = (bool, int, str, float, type(None))


def _is_type(value: object) -> bool:
    """Whether it is one of the language's kinds of types, such as `Int`."""
    return isinstance(value, type) and issubclass(value, Type) and value.__module__.partition(".")[0] == _OURS


def _constants(function: ast.FunctionDef, names: _Names) -> dict[str, Any]:
    """The names that stand for one value at all parameters: of the module, of the language, and variables."""
    # Names of the function hide those of the module.
    hidden = {*_stored(function)} | {x.arg for x in ast.walk(function) if isinstance(x, ast.arg)}
    known: dict[str, Any] = {
        x: value
        for x, value in names.space.items()
        if x not in hidden and (isinstance(value, _PLAIN) or names.is_language(x) or _is_type(value))
    }
    for name, values in _assigned(function).items():
        if len(values) == 1 and isinstance(values[0], ast.Constant):
            known[name] = values[0].value
    return known


def _is_false(guard: ast.expr, constants: Mapping[str, Any]) -> bool:
    """Whether a guard has a value in which no state and no parameter has a part, and it is false."""
    allowed = (ast.Constant, ast.Name, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Call, ast.keyword)
    helpers = (ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop, ast.operator)
    for node in ast.walk(guard):
        if not isinstance(node, allowed + helpers) or (
            isinstance(node, ast.Name) and node.id not in constants
        ):
            return False
    try:
        code = compile(ast.Expression(guard), "<guard>", "eval")
        value = eval(code, {"__builtins__": {}}, dict(constants))
        if isinstance(value, BoolExpr):
            # Here, since hardly any guard is an expression without a state.
            from leadline.symbolic.concrete.expressions import function_of

            value = function_of(value.node, {})((), {})
    except Exception:  # It is reported when the model is built.
        return False
    return value is False


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


def _shown(node: ast.expr) -> str:
    return shortened(ast.unparse(node), _LONGEST)
