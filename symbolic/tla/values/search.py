"""Actions and initial states as Python source: loops over all ways to give each variable a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from leadline.symbolic.lang import Mistake, ModelError
from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.read.analysis import narrowed, size, unsubscripted
from leadline.symbolic.tla.read.guards import FullGuards
from leadline.symbolic.tla.values.expressions import (
    NODES,
    OPERATORS,
    STATEMENTS,
    loops,
    named,
    returned,
    settle,
    with_let,
)
from leadline.symbolic.tla.values.scopes import (
    ByName,
    Code,
    Kind,
    Local,
    Names,
    Operator,
    Pending,
    Reference,
    Scope,
)
from leadline.symbolic.tla.values.translation import Rules, Translation, as_value
from leadline.symbolic.tla.values.writer import Fn, Lines

End: TypeAlias = Callable[[Scope, Lines], None]

_DEEPEST = 84  # Python has at most 100 levels of indentation
_LOOP = 6  # a loop or attempt counts as so many levels: Python nests at most 20
_SMALL = 12


@dataclass(frozen=True, eq=False)
class Todo:
    """A conjunct that is still to be satisfied.

    Attributes:
        rest: those after it.
        path: what is left of the path to a part: see `Part`.
        seen: the recursive operators that it is within, each as often as it is, and "\\A" for elements after the
            first of a conjunction over elements.
        shared: whether it is the same for several disjuncts, and long: it becomes a function of its own.
    """

    first: s.Expression | Every | Passage
    names: Names
    rest: Todo | None
    path: tuple[int, ...] = ()
    seen: tuple[str, ...] = ()
    shared: bool = False


@dataclass(frozen=True, eq=False)
class Every:
    """The rest of a conjunction over elements.

    Attributes:
        todo: the conjunct.
        items: the Python variable of the elements.
        place: that of the place of the element before; None at the beginning.
    """

    e: s.Quantified
    todo: Todo
    items: str
    place: str | None


@dataclass(frozen=True, eq=False)
class Passage:
    """The state between the two steps of `A \\cdot B`, or the state after both.

    Attributes:
        now: the Python variables of the state that it goes on from; None to go on from the state that A has found.
        next: those of the next state that are determined.
    """

    now: Mapping[str, str] | None
    next: Mapping[str, str]


@dataclass
class Search:
    """Statements that find all states that satisfy an action, or all initial states.

    A conjunct `x' = e` or `x' \\in S` assigns where x' has no value yet, from left to right, as in TLC; so
    does UNCHANGED. Elsewhere it is a test. Initial states are found in the same way, with x in place of x'.

    Attributes:
        end: writes the statements for a state that was found; the scope has its variables.
        initial: whether initial states are looked for.
        counted: gives the Python name of the list in which a conjunct counts how often it is evaluated and
            true; None to count nothing.
        guards: guards as TLC evaluates them until all variables have values; None: as everywhere.
        attempted: makes statements for one of several choices those that tell an error in it, and go on with
            the other choices; as they are, an error ends the search.
    """

    translation: Translation
    end: End
    initial: bool = False
    counted: Callable[[s.Expression], str] | None = None
    guards: FullGuards | None = None
    attempted: Callable[[Scope, Lines], Lines] = field(default=lambda _, lines: lines)
    _functions: dict[tuple[object, ...], tuple[Todo, Fn]] = field(default_factory=dict)
    _abouts: dict[tuple[int, int], tuple[frozenset[str], s.Expression, Names]] = field(default_factory=dict)
    _composed: bool = False

    def run(self, e: s.Expression, scope: Scope, lines: Lines, path: tuple[int, ...] = ()) -> None:
        """Write the statements.

        Args:
            path: what is left of the path to a part: see `Part`.
        """
        self._go(Todo(e, scope.names, None, path), scope, lines, 0)

    def _go(self, todo: Todo | None, scope: Scope, lines: Lines, depth: int) -> None:
        if todo is None:
            self.end(scope, lines)
        elif isinstance(todo.first, Every):
            self._every(todo.first, scope, lines)
        elif isinstance(todo.first, Passage):
            self._pass(todo.first, todo.rest, scope, lines, depth)
        elif todo.shared or depth > _DEEPEST:
            # Written in place, the conjuncts behind a disjunction would stand there once for each disjunct, and
            # Python has a limit on nested blocks.
            self._apart(todo, scope, lines)
        elif todo.path or self._assigns(todo.first, scope.within(todo.names)):
            self._step(todo.first, todo, scope.within(todo.names), lines, depth)
        elif self.guards is not None and not self._complete(scope):
            self._guard(todo.first, self.guards, todo, scope.within(todo.names), lines, depth)
        else:
            self._test(todo.first, todo, scope.within(todo.names), lines, depth)

    def _every(self, each: Every, scope: Scope, lines: Lines) -> None:
        """A conjunction over elements, the first of which may give variables their values."""
        # The number of elements is only known when the code runs, so a function handles one element and calls
        # itself for the next. Its statements depend on which variables have values by then, and so does its key.
        source = self.translation.source
        key = ("every", id(each.todo), *self._state(scope))
        if key not in self._functions:
            place = source.fresh("place")
            fn = source.fn("every", (place,), scope.fn)
            self._functions[key] = (each.todo, fn)
            inner = replace(scope, fn=fn)
            last: Lines = []
            self._go(each.todo.rest, inner, last, 0)
            names = [name for bound in each.e.bounds for name in bound.names]
            variables = {name: fn.new(source.fresh(name)) for name in names}
            inner = inner.within({**each.todo.names, **{x: Local(text) for x, text in variables.items()}})
            following = Todo(replace(each, place=place), inner.names, None)
            inside: Lines = [f"{', '.join(variables.values())}, = {fn.use(each.items)}[{place}]"]
            # After the first element there may be any number, whose choices are not told.
            seen = each.todo.seen if each.place is None else (*each.todo.seen, "\\A")
            self._go(Todo(each.e.body, inner.names, following, (), seen), inner, inside, 0)
            fn.lines += [f"if {place} == len({fn.use(each.items)}):", last, "else:", inside]
        place = "0" if each.place is None else f"{scope.fn.use(each.place)} + 1"
        call = source.call(scope.fn, self._functions[key][1], [place])
        lines += [f"if {call}:", ["return True"]]

    def _state(self, scope: Scope) -> tuple[object, ...]:
        """The facts that determine the statements for a conjunct."""
        known = sorted(local.text for local in scope.known.values())
        return (*sorted(scope.next.items()), *sorted(scope.now.items()), *known, *scope.picks)

    def _pass(self, passage: Passage, rest: Todo | None, scope: Scope, lines: Lines, depth: int) -> None:
        """Go on from the state between two steps, or from the state before both."""
        now, following = passage.now, {**passage.next, **scope.next}
        if now is None:
            missing = sorted(self.translation.own - scope.next.keys())
            if missing:
                lines.append(f"incomplete({missing!r}, False)")
                return
            now, following = {**scope.now, **scope.next}, dict(passage.next)
        # Values of names that are known are those in the state before the first step.
        self._go(rest, replace(scope, now=now, next=following, known={}), lines, depth)

    def _apart(self, todo: Todo, scope: Scope, lines: Lines) -> None:
        """Go on in a function of its own."""
        source = self.translation.source
        key = (id(todo), *self._state(scope))
        if key not in self._functions:
            fn = source.fn("rest", (), scope.fn)
            self._functions[key] = (todo, fn)
            self._go(replace(todo, shared=False), replace(scope, fn=fn), fn.lines, 0)
        call = source.call(scope.fn, self._functions[key][1])
        # Only ENABLED returns something: whether a step was found.
        lines += [f"if {call}:", ["return True"]]

    def _complete(self, scope: Scope) -> bool:
        """Whether all variables of the module have values."""
        return self.translation.own <= (scope.now if self.initial else scope.next).keys()

    def _guard(
        self, e: s.Expression, guards: FullGuards, todo: Todo, scope: Scope, lines: Lines, depth: int
    ) -> None:
        if isinstance(e, s.Apply) and e.operator not in scope.names and guards.opens(e):
            self._apply(e, todo, scope, lines, depth)
        else:
            self._test(guards.each(e), todo, scope, lines, depth)

    def _test(self, e: s.Expression, todo: Todo, scope: Scope, lines: Lines, depth: int) -> None:
        # Each conjunct is counted by itself.
        if self.counted is not None and isinstance(e, s.Apply) and e.operator == "/\\":
            return self._apply(e, todo, scope, lines, depth)
        inside: Lines = []
        if self.counted is not None:
            counts = self.counted(e)
            lines.append(f"{counts}[0] += 1")
            inside.append(f"{counts}[1] += 1")
        scope = settle(self.translation, [e], scope, lines)
        lines += [f"if {self.translation.test(e, scope)}:", inside]
        return self._go(todo.rest, scope, inside, depth + 1)

    def _assigns(self, e: s.Expression, scope: Scope) -> bool:
        """Whether an expression is about a variable that has no value yet."""
        about = self._about(e, scope.names)
        return not about <= (scope.now if self.initial else scope.next).keys()

    def _about(self, e: s.Expression, names: Names) -> frozenset[str]:
        """The variables that an expression may assign."""
        # The names are kept with what was found, so that no other ones get their number.
        key = id(e), id(names)
        known = self._abouts.get(key)
        if known is None:
            known = self._abouts[key] = (self._find_about(e, names), e, names)
        return known[0]

    def _find_about(self, e: s.Expression, names: Names) -> frozenset[str]:
        analysis = self.translation.analysis
        found = analysis.reads(e).now if self.initial else analysis.reads(e).next
        # A name may stand for an expression that is not evaluated yet, such as an argument: `Set(x', 1)` assigns.
        for name in analysis.free(e):
            match names.get(name):
                case ByName(body, inner) | Pending(body, inner):
                    found |= self._about(body, inner)
                    # `Inc(v) == v' = v + 1` primes its parameter, and so assigns the variable that it is given.
                    if not self.initial and analysis.primes(e, name):
                        found |= self._now(body, inner)
                case Operator(parameters, body, inner):
                    found |= self._about(body, inner)
                    found |= self._given_to(s.Lambda(tuple(parameters), body), name, e, names)
                case Reference(key) if key in self.translation.definitions:
                    found |= analysis.reads_of(key).now if self.initial else analysis.reads_of(key).next
                    found |= self._given_to(s.Apply(key), name, e, names)
        return found

    def _given_to(self, operator: s.Expression, name: str, e: s.Expression, names: Names) -> frozenset[str]:
        """The variables whose next values an operator that has a name in an expression is about there."""
        given = () if self.initial else self.translation.analysis.primed_by(operator, name, e)
        return frozenset[str]().union(*(self._now(one, names) for one in given))

    def _now(self, e: s.Expression, names: Names) -> frozenset[str]:
        """The variables that an expression reads, through the names in it too: `LET v == x IN Inc(v)`."""
        found = self.translation.analysis.reads(e).now
        for name in self.translation.analysis.free(e):
            match names.get(name):
                case ByName(body, inner) | Pending(body, inner):
                    found |= self._now(body, inner)
        return found

    def _step(self, e: s.Expression, todo: Todo, scope: Scope, lines: Lines, depth: int) -> None:
        """A conjunct that gives variables their values."""
        match e:
            case s.Apply(operator, (left, right)) if operator in ("=", "\\in", "\\subseteq"):
                variable = self._target(left, scope)
                if variable is None:
                    self._test(e, todo, scope, lines, depth)
                elif operator == "=":
                    self._assign(variable, right, todo, scope, lines, depth)
                else:
                    self._pick(variable, s.choices(e), todo, scope, lines, depth)
            case s.Apply("=>", (premise, conclusion)):
                chosen = s.Case(((premise, conclusion),), s.Apply("TRUE"))
                self._choose(chosen, todo, scope, lines, depth)
            case s.Apply():
                self._apply(e, todo, scope, lines, depth)
            case s.Quantified("\\E"):
                self._some(e, todo, scope, lines, depth)
            case s.Quantified("\\A"):
                domains = [one.domain for one in e.bounds for _ in one.names if one.domain is not None]
                scope = settle(self.translation, domains, scope, lines)
                items = scope.fn.new(self.translation.source.fresh("items"))
                sets = ", ".join(self.translation.value(one, scope) for one in domains)
                lines.append(f"{items} = combinations({sets})")
                self._every(Every(e, todo, items, None), scope, lines)
            case s.Case():
                self._choose(e, todo, scope, lines, depth)
            case s.Let(_, body):
                scope = with_let(self.translation, e, scope, lambda _, *of: self._named(*of))
                self._go(replace(todo, first=body, names=scope.names), scope, lines, depth)
            case s.Subscripted("[]_" | "<<>>_"):
                self._go(replace(todo, first=unsubscripted(e)), scope, lines, depth)
            case _:
                self._test(e, todo, scope, lines, depth)

    def _some(self, e: s.Quantified, todo: Todo, scope: Scope, lines: Lines, depth: int) -> None:
        """A conjunct at each choice of some elements."""
        nested = _LOOP * sum(1 if bound.unpacked else len(bound.names) for bound in e.bounds)
        if depth and depth + nested > _DEEPEST:  # Only a function of its own has room for that many names.
            self._apart(todo, scope, lines)
            return
        bounds = narrowed(e.bounds, e.body) if self.counted is None else e.bounds
        domains = [bound.domain for bound in bounds if bound.domain is not None]
        scope = settle(self.translation, domains, scope, lines)
        inner, inside = loops(self.translation, bounds, scope, lines)
        chosen = [(name, inner.names[name]) for bound in bounds for name in bound.names]
        # A recursive operator, or a conjunction over elements, may choose any number of times.
        picks = [(name, one.text) for name, one in chosen if isinstance(one, Local) and not todo.seen]
        inner = replace(inner, picks=(*scope.picks, *picks))
        self._attempt(replace(todo, first=e.body, names=inner.names), inner, inside, depth + nested)

    def _attempt(self, todo: Todo | None, scope: Scope, lines: Lines, depth: int) -> None:
        """Go on at one of several choices."""
        inside: Lines = []
        self._go(todo, scope, inside, depth + _LOOP)
        lines += self.attempted(scope, inside)

    def _apply(self, e: s.Apply, todo: Todo, scope: Scope, lines: Lines, depth: int) -> None:
        """A junction, UNCHANGED, or an operator, whose body is gone on with."""
        definitions = self.translation.definitions
        binding = scope.names.get(e.operator)
        match binding, e.operator:
            case None, "/\\":
                # The first conjunct in front: assignments come before the conjuncts that read them.
                rest, path = todo.rest, todo.path
                for place, item in reversed([*enumerate(e.arguments)]):
                    inside = path[1:] if path and path[0] == place else ()
                    rest = Todo(item, todo.names, rest, inside, todo.seen)
                self._go(rest, scope, lines, depth)
            case None, "\\/":
                items, path = e.arguments, todo.path
                if path:
                    items, path = (items[path[0]],), path[1:]
                rest = self._shared(todo.rest, len(items))
                for item in items:
                    chosen = Todo(item, todo.names, rest, path, todo.seen)
                    (self._attempt if len(items) > 1 else self._go)(chosen, scope, lines, depth)
            case None, "\\cdot":
                self._compose(e, todo, scope, lines, depth)
            case None, "UNCHANGED":
                self._unchanged(e.arguments[0], todo, scope, lines, depth)
            case ((ByName(body, names) | Pending(body, names)), _):
                self._go(replace(todo, first=body, names=names), scope, lines, depth)
            case Operator() as one, _:
                self._expand(one, e, todo, scope, lines, depth)
            case None, key if key in definitions and self.translation.recursive(key):
                self._recur(definitions[key], e, todo, scope, lines)
            case (Reference(key), _) | (None, key) if key in definitions:
                one = Operator(definitions[key].parameters, definitions[key].body, {})
                self._expand(one, e, todo, scope, lines, depth)
            case _:
                self._test(e, todo, scope, lines, depth)

    def _compose(self, e: s.Apply, todo: Todo, scope: Scope, lines: Lines, depth: int) -> None:
        """`A \\cdot B`."""
        # Both steps in turn: A finds the next state, which B then has as its current one (`Passage`).
        self._composed = True
        last = Todo(Passage(scope.now, {}), todo.names, todo.rest, (), todo.seen)
        second = Todo(e.arguments[1], todo.names, last, (), todo.seen)
        middle = Todo(Passage(None, scope.next), todo.names, second, (), todo.seen)
        first = Todo(e.arguments[0], todo.names, middle, (), todo.seen)
        self._go(first, replace(scope, next={}), lines, depth)

    def _expand(self, one: Operator, e: s.Apply, todo: Todo, scope: Scope, lines: Lines, depth: int) -> None:
        """Go on with an operator's body."""
        inner = dict(one.names)
        for parameter, argument in zip(one.parameters, e.arguments, strict=True):
            if parameter.arity:
                inner[parameter.name] = self.translation.operator(argument, scope)
            else:
                inner[parameter.name] = self._named(parameter.name, argument, one.body, scope)
        self._go(replace(todo, first=one.body, names=inner), scope, lines, depth)

    def _recur(self, one: s.Definition, e: s.Apply, todo: Todo, scope: Scope, lines: Lines) -> None:
        """Go on with a recursive operator: a function of its parameters, as how often it is called is not known.

        The function goes on with the conjuncts behind the operator too. Where it applies the operator again, these
        are the same, and so it calls itself, unless more variables have values by then.
        """
        primed = self.translation.analysis.primed_parameters(one.name)
        by_name = any(
            p.arity
            or self._assigns(a, scope)
            or (p.name in primed and self.translation.reads_state(a, scope))
            for p, a in zip(one.parameters, e.arguments, strict=True)
        )
        if by_name or todo.seen.count(one.name) > len(self.translation.now) + 1:
            text = f"the action {one.name} is recursive: expected parameters that are values"
            text += ", and no step behind it that its own application is a part of"
            raise ModelError([Mistake(e.place, text)])
        source = self.translation.source
        arguments, bindings, scope = self._given_values(one, e, scope, lines)
        inner = replace(scope, known={})
        kinds = [(local.kind, local.called) for local in bindings]
        key = ("recursive", one.name, id(todo.rest), todo.path, *kinds, *self._state(inner))
        if key not in self._functions:
            fn = source.fn(one.name, [local.text for local in bindings], scope.fn)
            self._functions[key] = (todo, fn)
            names = {p.name: local for p, local in zip(one.parameters, bindings, strict=True)}
            body = replace(todo, first=one.body, names=names, seen=(*todo.seen, one.name))
            self._go(body, replace(inner, fn=fn), fn.lines, 0)
        call = source.call(scope.fn, self._functions[key][1], arguments)
        lines += [f"if {call}:", ["return True"]]

    def _given_values(
        self, one: s.Definition, e: s.Apply, scope: Scope, lines: Lines
    ) -> tuple[list[str], list[Local], Scope]:
        """The arguments of an operator, each computed at most once, and the names that it has for them."""
        translation = self.translation
        strict = translation.analysis.strict_parameters(one.name)
        pairs = list(zip(one.parameters, e.arguments, strict=True))
        scope = settle(translation, [a for p, a in pairs if p.name in strict], scope, lines)
        scope = settle(translation, [a for p, a in pairs if p.name not in strict], scope, lines, sure=False)
        arguments, names = list[str](), list[Local]()
        for parameter, argument in pairs:
            lazy = parameter.name not in strict and not translation.safe(argument, scope)
            code = (translation.later if lazy else translation.expr)(argument, scope)
            kind = Kind.LAZY if code.kind is Kind.LAZY else Kind.VALUE
            arguments.append(as_value(code))
            names.append(Local(translation.source.fresh(parameter.name), kind, called=lazy))
        return arguments, names, scope

    def _named(self, name: str, e: s.Expression, rest: s.Expression, scope: Scope) -> ByName | Pending:
        if self._assigns(e, scope):
            return ByName(e, scope.names)
        return named(self.translation, name, e, rest, scope)

    def _target(self, e: s.Expression, scope: Scope) -> str | None:
        """The variable on the left side of an equation, if it has no value yet; None otherwise."""
        translation = self.translation
        if not self.initial:
            while (alias := translation.alias(e, scope)) is not None:
                e, scope = alias[0], scope.within(alias[1])
            if not isinstance(e, s.Apply) or e.operator != "'":
                return None
            (e,) = e.arguments
        while (alias := translation.alias(e, scope)) is not None:
            e, scope = alias[0], scope.within(alias[1])
        if not isinstance(e, s.Apply) or e.operator in scope.names or e.operator not in translation.now:
            return None
        return None if e.operator in (scope.now if self.initial else scope.next) else e.operator

    def _given(self, variable: str, name: str, scope: Scope) -> Scope:
        if self.initial:
            return replace(scope, now={**scope.now, variable: name})
        return replace(scope, next={**scope.next, variable: name})

    def _python(self, variable: str, scope: Scope) -> str:
        names = self.translation.now if self.initial else self.translation.next
        name = names[variable]
        # Of several steps in one, each has variables of its own: loops of the first go around the second.
        return scope.fn.new(self.translation.source.fresh(name) if self._composed else name)

    def _assign(
        self, variable: str, e: s.Expression, todo: Todo, scope: Scope, lines: Lines, depth: int
    ) -> None:
        scope = settle(self.translation, [e], scope, lines)
        text = self.translation.stored(e, scope)
        name = self._python(variable, scope)
        lines.append(f"{name} = {text}")
        self._go(todo.rest, self._given(variable, name, scope), lines, depth)

    def _pick(
        self, variable: str, e: s.Expression, todo: Todo, scope: Scope, lines: Lines, depth: int
    ) -> None:
        scope = settle(self.translation, [e], scope, lines)
        text = as_value(self.translation.expr(e, scope))
        name = self._python(variable, scope)
        inside: Lines = []
        elements = self.translation.source.at(e.place, f"in_order({text})")
        elements = f"candidates({elements})" if self.initial else elements
        lines += [f"for {name} in {elements}:", inside]
        self._attempt(todo.rest, self._given(variable, name, scope), inside, depth + _LOOP)

    def _unchanged(self, e: s.Expression, todo: Todo, scope: Scope, lines: Lines, depth: int) -> None:
        """UNCHANGED: variables without a value keep theirs, and the others are compared."""
        translation = self.translation
        left = [(e, scope.names)]
        while left:
            one, names = left.pop()
            inner = scope.within(names)
            if isinstance(one, s.TupleOf):
                left += [(item, names) for item in reversed(one.items)]
            elif (alias := translation.alias(one, inner)) is not None:
                left.append(alias)
            elif (variable := self._target(s.Apply("'", (one,)), inner)) is not None:
                scope = self._given(variable, scope.now[variable], scope)
            else:
                # The others come after the test, in front of which what it needs is computed.
                for other, where in left:
                    unchanged = s.Apply("UNCHANGED", (other,), place=e.place)
                    todo = replace(todo, rest=Todo(unchanged, where, todo.rest, (), todo.seen))
                self._test(s.Apply("UNCHANGED", (one,), place=e.place), todo, inner, lines, depth)
                return
        self._go(todo.rest, scope, lines, depth)

    def _choose(self, e: s.Case, todo: Todo, scope: Scope, lines: Lines, depth: int) -> None:
        rest = self._shared(todo.rest, len(e.arms) + (e.other is not None))
        for place, (condition, arm) in enumerate(e.arms):
            scope = settle(self.translation, [condition], scope, lines) if place == 0 else scope
            inside: Lines = []
            word = "if" if place == 0 else "elif"
            lines += [f"{word} {self.translation.test(condition, scope)}:", inside]
            self._go(Todo(arm, todo.names, rest, (), todo.seen), scope, inside, depth + 1)
        last: Lines = ['fail("no arm of CASE holds")']
        if e.other is not None:
            last = []
            self._go(Todo(e.other, todo.names, rest, (), todo.seen), scope, last, depth + 1)
        lines += ["else:", last]

    def _shared(self, rest: Todo | None, times: int) -> Todo | None:
        """The conjuncts after each of several disjuncts."""
        weight, one = 0, rest
        while one is not None and not one.shared:
            weight += 0 if isinstance(one.first, Every | Passage) else size(one.first)
            one = one.rest
        if rest is None or times == 1 or weight <= _SMALL:
            return rest
        return replace(rest, shared=True)


def enabled(t: Translation, e: s.Apply, scope: Scope) -> Code:
    """ENABLED: whether a step of the action exists."""
    fn = t.source.fn("enabled", (), scope.fn)
    now = scope.next if scope.primed else scope.now
    inner = replace(scope, fn=fn, now=now, next={}, primed=False)
    Search(t, lambda _, lines: lines.append("return True")).run(e.arguments[0], inner, fn.lines)
    fn.lines.append("return False")
    return Code(t.source.call(scope.fn, fn), Kind.TRUTH)


RULES = Rules(NODES, {**OPERATORS, "ENABLED": enabled}, STATEMENTS, returned)
"""The rules of all expressions."""
