"""Actions in stages, each of which keeps its results for states that agree on the variables that it reads.

The first loop of an action begins the first stage, and a conjunct that reads one more variable begins another. A
stage is a function of the stage before it and of some variables. It gives a list: the ways on from there, with the
values of local names, and the steps that are complete, with the values that change. None at the end tells that an
expression has no value.

Without it, exploring ReadersWriters of tlaplus/Examples takes 1.20 times the CPU (MC.cfg), and 0.90 to 1.00 times
that of five others.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.values.scopes import (
    Binding,
    ByName,
    Callable,
    Local,
    Names,
    Operator,
    Pending,
    Scope,
)
from leadline.symbolic.tla.values.search import Every, Search, Todo
from leadline.symbolic.tla.values.statements import Statements
from leadline.symbolic.tla.values.writer import Fn, Lines

_LOOPS = 2
"""The loops from which on stages are worth their calls."""
_STAGES = 4
"""The most stages of an action."""


@dataclass(frozen=True)
class _Step:
    """A step that is complete.

    Attributes:
        changes: for each variable that got its value in the stages, whether it is a new one.
    """

    changes: dict[str, bool]


@dataclass(frozen=True)
class _Way:
    """Conjuncts left for the next stage, with the Python variables that they use."""

    todo: Todo
    scope: Scope
    texts: tuple[str, ...]


_Kinds: TypeAlias = "list[_Step | _Way]"
"""The entries of the stages' lists; each entry begins with its kind's place."""


@dataclass
class Remembering(Search):
    """A search of the steps of an action, in stages from the first loop on."""

    _remembers: bool = True

    def _go(self, todo: Todo | None, scope: Scope, lines: Lines, depth: int) -> None:
        here = depth == 0 and scope.fn.around is None and self._remembers
        if not here or todo is None or not self._loops(todo, scope):
            super()._go(todo, scope, lines, depth)
        elif not self._staged(todo, scope, lines):
            self._remembers = False
            super()._go(todo, scope, lines, depth)
            self._remembers = True

    def _loops(self, todo: Todo, scope: Scope) -> bool:
        """Whether the next conjunct is the first that goes through sets, in some loops."""
        e, inner = todo.first, scope.within(todo.names)
        if isinstance(e, Every) or (todo.path and not isinstance(e, s.Quantified)):
            return False
        parts: tuple[s.Expression, ...] = (e,)
        if not isinstance(e, s.Quantified) and self._assigns(e, inner):
            match e:
                case s.Apply("=" | "\\in" | "\\/") if e.operator not in inner.names:
                    pass
                case s.If(condition):
                    parts = (condition,)
                case s.Case(arms):
                    parts = tuple(condition for condition, _ in arms)
                case _:
                    return False
        return sum(self._count(part, inner.names, todo.path) for part in parts) >= _LOOPS

    def _count(self, e: s.Expression, names: Names, path: tuple[int, ...]) -> int:
        """The loops in an expression, of which a path takes one disjunct."""
        definitions = self.translation.definitions
        match e:
            case _ if not path:
                pass
            case s.Quantified(_, bounds, body):
                return sum(len(bound.names) for bound in bounds) + self._count(body, names, path)
            case s.Let(_, body):
                return self._count(body, names, path)
            case s.Apply("\\/", items):
                return self._count(items[path[0]], names, path[1:])
            case s.Apply(key) if key in definitions and key not in names:
                return self._count(definitions[key].body, {}, path)
        return self.translation.loops_in(e, names)

    def _staged(self, todo: Todo, scope: Scope, lines: Lines) -> bool:
        """Write the stages and a loop over the steps that they find, unless the first reads all variables."""
        kinds: _Kinds = []
        stage = _Stage.begun(self.translation, scope, kinds)
        stage._go(todo, replace(scope, fn=stage.fn), stage.lines, 0)
        source, everything = self.translation.source, set(scope.now.values())
        if stage.fn.taken.keys() >= everything:
            source.discard(stage.fn)
            return False
        found = scope.fn.new(source.fresh("found"))
        lines.append(f"{found} = {stage.call([])}")
        while any(isinstance(kind, _Way) for kind in kinds[stage.first :]):
            stage = stage.following()
            lines.append(f"if {found}:")
            lines.append([f"{found} = {stage.call([found])}"])
        one = scope.fn.new(source.fresh("one"))
        branches: Lines = []
        lines += [f"for {one} in {found}:", branches]
        for place, kind in enumerate(kinds):
            if isinstance(kind, _Step):
                inside = _branch(one, place, branches)
                texts = {x: scope.fn.new(self.translation.next[x]) for x, new in kind.changes.items() if new}
                same = {x: scope.now[x] for x, new in kind.changes.items() if not new}
                inside.append(f"_, {''.join(f'{text}, ' for text in texts.values())} = {one}")
                self.end(replace(scope, next={**scope.next, **same, **texts}), inside)
        if not branches:
            branches.append(f"{one}[0]")
        return True


def _branch(one: str, place: int, lines: Lines) -> Lines:
    """The lines for the entries of one kind, after those of others. For None, the test itself fails."""
    inside: Lines = []
    lines += [f"{'elif' if lines else 'if'} {one}[0] == {place}:", inside]
    return inside


@dataclass
class _Stage(Search):
    """A stage.

    Attributes:
        around: the scope in which the stages are called.
        fn: its function.
        lines: the body of that.
        kinds: the kinds of entries of all stages so far.
        first: the place of its own first kind.
        out: the Python variable of its list.
        more: how many stages may follow.
    """

    around: Scope = field(kw_only=True)
    fn: Fn = field(kw_only=True)
    lines: Lines = field(kw_only=True)
    kinds: _Kinds = field(kw_only=True)
    first: int = field(kw_only=True)
    out: str = field(kw_only=True)
    more: int = _STAGES - 1

    @staticmethod
    def begun(translation: Statements, around: Scope, kinds: _Kinds, *parameters: str) -> _Stage:
        """A stage without conjuncts yet."""
        fn = translation.source.fn("stage", parameters, around.fn)
        out = fn.new(translation.source.fresh("out"))
        body: Lines = []
        fn.lines = [f"{out} = []", "try:", body, "except FAILURES:", [f"{out}.append(None)"], f"return {out}"]
        stage = _Stage(
            translation,
            lambda *_: None,
            around=around,
            fn=fn,
            lines=body,
            kinds=kinds,
            first=len(kinds),
            out=out,
        )
        stage.end = stage._step_found
        return stage

    def call(self, arguments: list[str]) -> str:
        """The call of its function."""
        source = self.translation.source
        everything = self.fn.taken.keys() >= set(self.around.now.values())
        return source.call(
            self.around.fn, self.fn if everything else source.remembered(self.fn, lists=True), arguments
        )

    def following(self) -> _Stage:
        """The next stage: all ways on from this one."""
        source = self.translation.source
        found = source.fresh("found")
        stage = _Stage.begun(self.translation, self.around, self.kinds, found)
        stage.more = self.more - 1
        one = stage.fn.new(source.fresh("one"))
        branches: Lines = []
        for place, kind in list(enumerate(self.kinds))[self.first :]:
            if isinstance(kind, _Way):
                inside = _branch(one, place, branches)
                inside.append(f"_, {''.join(f'{stage.fn.new(text)}, ' for text in kind.texts)} = {one}")
                stage._go(kind.todo, replace(kind.scope, fn=stage.fn), inside, 1)
        stage.lines += [f"for {one} in {found}:", [*branches, "else:", [f"{stage.out}.append({one})"]]]
        return stage

    def _step_found(self, scope: Scope, lines: Lines) -> None:
        # In one order: two ways may give the variables their values in different ones, and share a kind.
        given = {x: scope.next[x] for x in sorted(scope.next.keys() - self.around.next.keys())}
        changes = {x: text != scope.now[x] for x, text in given.items()}
        self._entry(_Step(changes), [given[x] for x, new in changes.items() if new], scope, lines)

    def _entry(
        self, kind: _Step | _Way, texts: list[str] | tuple[str, ...], scope: Scope, lines: Lines
    ) -> None:
        """The statement that adds an entry of a kind."""
        if kind not in self.kinds:
            self.kinds.append(kind)
        values = "".join(f"{scope.fn.use(text)}, " for text in texts)
        lines.append(f"{scope.fn.use(self.out)}.append(({self.kinds.index(kind)}, {values}))")

    def _go(self, todo: Todo | None, scope: Scope, lines: Lines, depth: int) -> None:
        texts = self._texts(todo, scope) if todo is not None and self._reads_more(todo, scope) else None
        if todo is None or texts is None:
            super()._go(todo, scope, lines, depth)
        else:
            self._entry(_Way(replace(todo, shared=False), scope, texts), texts, scope, lines)

    def _reads_more(self, todo: Todo, scope: Scope) -> bool:
        """Whether the next conjunct reads a variable that the stage has not read, but has read others."""
        now = set(scope.now.values())
        read = now & self.fn.taken.keys()
        e = todo.first
        if not (read and self.more) or isinstance(e, Every) or todo.path:
            return False
        inner = scope.within(todo.names)
        match e:
            case s.Quantified("\\E", bounds) if self._assigns(e, inner):
                parts = [bound.domain for bound in bounds if bound.domain is not None]
            case s.Apply("=" | "\\in", (_, right)) if e.operator not in inner.names and self._assigns(
                e, inner
            ):
                parts = [right]
            case s.If(condition) if self._assigns(e, inner):
                parts = [condition]
            case _ if self._assigns(e, inner):
                return False
            case _:
                parts = [e]
        reads = {scope.now[x] for part in parts for x in self._reads(part, inner)}
        return not reads <= read

    def _reads(self, e: s.Expression, scope: Scope) -> set[str]:
        """The variables of the state that an expression reads, unless a name has its value already."""
        found = set(self.translation.analysis.reads(e).now)
        for name in self.translation.analysis.free(e):
            match scope.names.get(name):
                case Pending() as binding if binding in scope.known:
                    pass
                case ByName(body, names) | Pending(body, names) | Operator(_, body, names):
                    found |= self._reads(body, scope.within(names))
        return found

    def _texts(self, todo: Todo, scope: Scope) -> tuple[str, ...] | None:
        """The Python variables that conjuncts use; None if they cannot become a function of these."""
        now = set(scope.now.values())
        found = dict.fromkeys(text for text in scope.next.values() if text not in now)
        one: Todo | None = todo
        while one is not None:
            if isinstance(one.first, Every):
                return None
            for name in sorted(self.translation.analysis.free(one.first)):
                if not self._collect(one.names.get(name), scope, found):
                    return None
            one = one.rest
        return tuple(found)

    def _collect(self, binding: Binding | None, scope: Scope, found: dict[str, None]) -> bool:
        if isinstance(binding, Pending) and binding in scope.known:
            binding = scope.known[binding]
        match binding:
            case Local(text):
                found[text] = None
            case ByName(body, names) | Pending(body, names) | Operator(_, body, names):
                inside = sorted(self.translation.analysis.free(body))
                return all(self._collect(names.get(name), scope, found) for name in inside)
            case Callable():
                return False
        return True
