"""The part of an action that goes through sets: its results are kept for states that agree on what it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from leadline.symbolic.tla import syntax as s
from leadline.symbolic.tla.scopes import Scope
from leadline.symbolic.tla.search import Every, Search, Todo
from leadline.symbolic.tla.writer import Lines

_Changes = dict[str, bool]
"""For each variable that gets its value, whether it is a new one."""


@dataclass
class Remembering(Search):
    """A search of the steps of an action that keeps what it finds, but for conjuncts before the first loop.

    That becomes a function of the variables that it reads. It gives a list: for each step that it finds the values
    of the variables that change, and None at the end if an expression has no value.
    """

    _remembers: bool = True

    def _go(self, todo: Todo | None, scope: Scope, lines: Lines, depth: int) -> None:
        here = depth == 0 and scope.fn.around is None and self._remembers
        if not here or todo is None or not self._loops(todo, scope):
            super()._go(todo, scope, lines, depth)
        elif not self._remembered(todo, scope, lines):
            self._remembers = False
            super()._go(todo, scope, lines, depth)
            self._remembers = True

    def _loops(self, todo: Todo, scope: Scope) -> bool:
        """Whether the next conjunct is the first that goes through a set."""
        e, inner = todo.first, scope.within(todo.names)
        if isinstance(e, s.Quantified):
            return True
        if todo.path or isinstance(e, Every):
            return False
        loops = self.translation.iterates
        match e:
            case _ if not self._assigns(e, inner):
                return loops(e, inner.names)
            case s.Apply("\\in") if "\\in" not in inner.names:
                return True
            case s.Apply("=" | "\\/") if e.operator not in inner.names:
                return loops(e, inner.names)
            case s.If(condition):
                return loops(condition, inner.names)
            case s.Case(arms):
                return any(loops(condition, inner.names) for condition, _ in arms)
        return False

    def _remembered(self, todo: Todo, scope: Scope, lines: Lines) -> bool:
        """Write the function and a loop over its list, unless it reads all variables."""
        source = self.translation.source
        fn = source.fn("found", (), scope.fn)
        notes = _Notes(fn.new(source.fresh("out")), scope)
        body: Lines = []
        Search(self.translation, notes.note)._go(todo, replace(scope, fn=fn), body, 0)
        if fn.taken.keys() >= set(scope.now.values()):
            source.discard(fn)
            return False
        fn.lines += [f"{notes.out} = []", "try:", body or ["pass"], "except FAILURES:", [f"{notes.out}.append(None)"]]
        fn.lines.append(f"return {notes.out}")
        one = scope.fn.new(source.fresh("one"))
        each: Lines = [f"if {one} is None:", ['fail("an expression has no value")']]
        for place, changes in enumerate(notes.kinds):
            inside: Lines = []
            each += [f"elif {one}[0] == {place}:" if len(notes.kinds) > 1 else "else:", inside]
            self._end(changes, one, scope, inside)
        lines += [f"for {one} in {source.call(scope.fn, source.remembered(fn))}:", each]
        return True

    def _end(self, changes: _Changes, one: str, scope: Scope, lines: Lines) -> None:
        """The statements for a step of the list."""
        python = {x: scope.fn.new(self.translation.next[x]) for x, new in changes.items() if new}
        if python:
            lines.append(f"_, {', '.join(python.values())} = {one}")
        same = {x: scope.now[x] for x, new in changes.items() if not new}
        self.end(replace(scope, next={**scope.next, **same, **python}), lines)


@dataclass
class _Notes:
    """The steps that a function finds, as entries of its list.

    Attributes:
        out: the Python variable of the list.
        around: the scope in which the function is called.
        kinds: the kinds of entries.
    """

    out: str
    around: Scope
    kinds: list[_Changes] = field(default_factory=list)

    def note(self, scope: Scope, lines: Lines) -> None:
        """The statement that adds an entry."""
        given: Mapping[str, str] = {x: text for x, text in scope.next.items() if x not in self.around.next}
        changes = {x: text != scope.now[x] for x, text in given.items()}
        if changes not in self.kinds:
            self.kinds.append(changes)
        values = "".join(f"{scope.fn.use(given[x])}, " for x, new in changes.items() if new)
        lines.append(f"{scope.fn.use(self.out)}.append(({self.kinds.index(changes)}, {values}))")
