"""Python source in the making: functions that use variables of those around them, and places."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeAlias

from leadline.symbolic.tla.read.syntax import Place

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


class Memo(dict[Hashable, Any]):
    """The results of a function. Each is kept with its arguments, so that no other object gets their identity.

    A search keeps one object for each value of a variable. So the parts of a formula that read few variables
    meet the same objects again in many states.

    Without it, exploring EWD998PCal of tlaplus/Examples takes 1.23 times the CPU (12,930 states).

    Args:
        namespace: the names that generated code uses.
        plain: the name of the function that computes.
    """

    __slots__ = ("_namespace", "_plain")

    def __init__(self, namespace: dict[str, Any], plain: str) -> None:
        self._namespace = namespace
        self._plain = plain

    def add(self, key: Hashable, arguments: tuple[Any, ...]) -> Any:
        """Compute a result and keep it."""
        symmetry, plain = self._namespace.get("symmetry"), self._namespace[self._plain]
        if symmetry is None:
            result, fixed = plain(*arguments), True
        else:
            result, fixed = symmetry.computed((self._plain, key), plain, arguments)
        if not fixed:
            return result  # It depends on a choice, or will: it is another one in the next case.
        if len(self) >= _MOST:
            self.clear()
        self[key] = (result, arguments)
        return result


class Fn:
    """A Python function in the making.

    Attributes:
        name: its name.
        parameters: its own parameters.
        around: the function in which it is called, whose variables it may use.
        names: the variables of its own.
        taken: the variables of the functions around it that it uses.
        lines: its body.
        listing: whether its value is listed: its callers do not know that it may be a set or function that is not.
    """

    def __init__(self, name: str, parameters: Sequence[str], around: Fn | None) -> None:
        self.name = name
        self.parameters = list(parameters)
        self.around = around
        self.names = set(parameters)
        self.taken: dict[str, None] = {}
        self.lines: Lines = []
        self.listing = False

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

    def remembered(self, fn: Fn, *, by_value: bool) -> Fn:
        """The function with the results of another function, each of which it computes once.

        Args:
            by_value: whether equal arguments count as the same; else only the same objects do.
        """
        if fn.name not in self._remembered:
            made = self._remembered[fn.name] = self.fn(f"{fn.name}_remembered", fn.parameters, fn.around)
            self._calls.append((made, fn))
            memo = self.constant("memo", Memo(self.namespace, fn.name))
            arguments = f"({_FIRST}{fn.name}{_OVER}{''.join(f'{one}, ' for one in fn.parameters)})"
            identities = f"({_IDS}{fn.name}{_OVER}{''.join(f'id({one}), ' for one in fn.parameters)})"
            if by_value:
                listed = " and ".join(f"{one}.__class__ in LISTED" for one in fn.parameters)
                made.lines += [f"if not ({listed}):", [f"return {self.call(made, fn, fn.parameters)}"]]
            made.lines += [
                f"key = {arguments if by_value else identities}",
                f"known = {memo}.get(key)",
                f"return {memo}.add(key, {'key' if by_value else arguments}) if known is None else known[0]",
            ]
        return self._remembered[fn.name]

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
            decorators = ["@listing"] if fn.listing else []
            self._render([*decorators, f"def {fn.name}({head}):", fn.lines], "", text)
        self._line = len(text)
        with warnings.catch_warnings():
            # Python warns of literals in odd places, such as `1 is TRUE`. They fail when they are evaluated.
            warnings.simplefilter("ignore", SyntaxWarning)
            exec(compile("\n".join(text), FILE, "exec"), self.namespace)
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

    def places(self, traceback: TracebackType | None) -> Iterator[Place]:
        """The places in the specification at which an exception was raised, the innermost first."""
        frames = list[tuple[int | None, int | None, int | None, int | None]]()
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if code.co_filename == FILE:
                frames.append(list(code.co_positions())[traceback.tb_lasti // 2])
            traceback = traceback.tb_next
        for line, _, start, end in reversed(frames):
            if line is not None and start is not None and end is not None:
                spans = [one for one in self._spans.get(line, []) if one[0] <= start and end <= one[1]]
                yield from (place for _, _, place in sorted(spans, key=lambda one: one[1] - one[0]))
