"""Expressions that need statements: loops over bound names, and bodies of functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.values.constants import as_test, as_value
from leadline.symbolic.tla.values.expressions import joined
from leadline.symbolic.tla.values.loops import Loops
from leadline.symbolic.tla.values.scopes import Kind, Local, Scope
from leadline.symbolic.tla.values.writer import Lines

_ALL = "\\A"


class Statements(Loops):
    """The translation of expressions to statements that return their value."""

    def body(self, e: s.Expression, scope: Scope, lines: Lines, truth: bool) -> Kind:
        match e:
            case s.Let():
                return self.body(e.body, self.with_let(e, scope), lines, truth)
            case s.If(condition, then, otherwise):
                return self._choice([(condition, then)], otherwise, scope, lines, truth)
            case s.Case(arms, other):
                return self._choice(arms, other, scope, lines, truth)
            case s.Quantified() if truth:
                return self._quantified(e, scope, lines)
            case s.Apply("/\\" | "\\/", items) if truth and len(items) > 1 and e.operator not in scope.names:
                return self._junction(e, scope, lines)
            case s.Choose():
                return self._choose(e, scope, lines)
            case s.Filter():
                return self._filter(e, scope, lines)
            case s.Image():
                return self._image(e, scope, lines)
            case s.Function():
                return self._function(e, scope, lines)
        scope = self.settle([e], scope, lines)
        code = self.expr(e, scope)
        lines.append(f"return {as_test(code) if truth else as_value(code)}")
        return Kind.VALUE if code.kind is Kind.TRUTH else code.kind

    def _choice(
        self,
        arms: Sequence[tuple[s.Expression, s.Expression]],
        other: s.Expression | None,
        scope: Scope,
        lines: Lines,
        truth: bool,
    ) -> Kind:
        kinds = []
        for condition, arm in arms:
            inside: Lines = []
            scope = self.settle([condition], scope, lines)
            lines.append(f"if {self.test(condition, scope)}:")
            kinds.append(self.body(arm, scope, inside, truth))
            lines.append(inside)
        if other is None:
            text = self.source.at(arms[0][0].place, 'fail("no arm of CASE holds")')
            lines.append(f"return {text}")
        else:
            kinds.append(self.body(other, scope, lines, truth))
        return joined(kinds)

    def _junction(self, e: s.Apply, scope: Scope, lines: Lines) -> Kind:
        *first, last = e.arguments
        names = scope.names
        for one in first:
            if e.operator == "/\\":
                scope = self.unless(one, scope.within(names), lines, "return False")
            else:
                scope = self.settle([one], scope, lines)
                _, inside = self.provided(one, scope, lines)
                inside.append("return True")
        return self.body(last, scope.within(names), lines, truth=True)

    def _quantified(self, e: s.Quantified, scope: Scope, lines: Lines) -> Kind:
        if e.quantifier not in ("\\A", "\\E"):
            lines.append(f"return {self.fails(f'{e.quantifier} has no value in a state or a step').text}")
            return Kind.TRUTH
        scope = self.settle([one.domain for one in e.bounds if one.domain is not None], scope, lines)
        if e.quantifier == "\\A":
            inner, inside = self.loops(e.bounds, scope, lines)
            self.unless(e.body, inner, inside, "return False")
        else:
            inner, inside = self.loops(e.bounds, scope, lines, body=e.body)
            self.provided(e.body, inner, inside)[1].append("return True")
        lines.append(f"return {e.quantifier == _ALL}")
        return Kind.TRUTH

    def _choose(self, e: s.Choose, scope: Scope, lines: Lines) -> Kind:
        loop: Lines = []
        inner, inside = self.loops((e.bound,), scope, loop, body=e.body, ordered=True, chosen=True)
        names = [inner.names[name] for name in e.bound.names]
        texts = [one.text for one in names if isinstance(one, Local)]
        result = f"sequence(({', '.join(texts)},))" if e.bound.unpacked else texts[0]
        chosen = self.provided(e.body, inner, inside)[1]
        if self.source.namespace.get("symmetry") is None:
            lines += loop
            chosen.append(f"return {result}")
        else:  # All elements count: a choice between several may tell values apart.
            out = scope.fn.new(self.source.fresh("found"))
            chosen.append(f"{out}.append({result})")
            place = self.source.constant("place", e.place)
            told = f"return symmetry.chosen({out}, {{}}, {place})"
            lines += [f"{out} = []", "try:", loop]
            lines += ["except FAILURES:", [f"if not {out}:", ["raise"], told.format(True)]]
            lines += [f"if {out}:", [told.format(False)]]
        lines.append(self.source.at(e.place, 'fail("CHOOSE: no element satisfies the formula")'))
        return Kind.VALUE

    def _filter(self, e: s.Filter, scope: Scope, lines: Lines) -> Kind:
        assert e.bound.domain is not None
        base = self.expr(e.bound.domain, scope)
        if base.kind is Kind.LAZY and not e.bound.unpacked:
            name = self.source.fresh("element")
            fn = self.source.fn("test", (name,), scope.fn)
            inner = replace(scope, fn=fn).also(**{e.bound.names[0]: Local(name)})
            self.body(e.body, inner, fn.lines, truth=True)
            lines.append(f"return Filtered({base.text}, {self.source.bound(scope.fn, fn)})")
            return Kind.LAZY
        out = scope.fn.new(self.source.fresh("found"))
        lines.append(f"{out} = []")
        inner, inside = self.loops((e.bound,), scope, lines, body=e.body)
        texts = [one.text for name in e.bound.names if isinstance(one := inner.names[name], Local)]
        element = f"sequence(({', '.join(texts)},))" if e.bound.unpacked else texts[0]
        self.provided(e.body, inner, inside)[1].append(f"{out}.append({element})")
        lines.append(f"return frozenset({out})")
        return Kind.SET

    def _image(self, e: s.Image, scope: Scope, lines: Lines, listed: bool = True) -> Kind:
        out = scope.fn.new(self.source.fresh("found"))
        lines.append(f"{out} = []")
        inner, inside = self.loops(e.bounds, scope, lines)
        inside.append(f"{out}.append({(self.stored if listed else self.value)(e.body, inner)})")
        lines.append(f"return {f'frozenset({out})' if listed else out}")
        return Kind.SET

    def listing(self, e: s.SetOf | s.Image, scope: Scope) -> str:
        if isinstance(e, s.SetOf):
            return super().listing(e, scope)
        fn = self.source.fn("listing", (), scope.fn)
        self._image(e, replace(scope, fn=fn), fn.lines, listed=False)
        return self.source.call(scope.fn, fn)

    def _function(self, e: s.Function, scope: Scope, lines: Lines) -> Kind:
        recursive = e.name is not None and e.name in self.analysis.free(e.body)
        single = len(e.bounds) == 1 and len(e.bounds[0].names) == 1 and not e.bounds[0].unpacked
        domains = [one.domain for one in e.bounds]
        if not recursive and single and domains[0] is not None:
            base = self.expr(domains[0], scope)
            if base.kind is not Kind.LAZY:
                return self._table(e, base.text, scope, lines)
        if not recursive and not single and not any(one and self.lazy(one, scope) for one in domains):
            return self._product_table(e, scope, lines)
        return self._lazy_function(e, recursive, scope, lines)

    def _table(self, e: s.Function, base: str, scope: Scope, lines: Lines) -> Kind:
        fn = scope.fn
        (name,) = e.bounds[0].names
        domain, out, x = (fn.new(self.source.fresh(hint)) for hint in ("domain", "values", name))
        value = self.stored(e.body, scope.also(**{name: Local(x, self.element(e.bounds[0].domain, scope))}))
        lines += [
            f"{domain} = domain_of(elements({base}))",
            f"{out} = [{domain}]",
            f"for {x} in {domain}.keys:",
            [f"{out}.append({value})"],
            f"return tuple({out})",
        ]
        return Kind.FUNCTION

    def _product_table(self, e: s.Function, scope: Scope, lines: Lines) -> Kind:
        out = scope.fn.new(self.source.fresh("graph"))
        lines.append(f"{out} = {{}}")
        inner, inside = self.loops(e.bounds, scope, lines)
        texts: list[str] = []
        for bound in e.bounds:
            parts = [one.text for name in bound.names if isinstance(one := inner.names[name], Local)]
            several = bound.unpacked and len(e.bounds) > 1
            texts += [f"sequence(({', '.join(parts)},))"] if several else parts
        inside.append(f"{out}[sequence(({', '.join(texts)},))] = {self.stored(e.body, inner)}")
        lines.append(f"return function({out})")
        return Kind.FUNCTION

    def _lazy_function(self, e: s.Function, recursive: bool, scope: Scope, lines: Lines) -> Kind:
        """A function whose values are computed when they are needed; it may apply itself."""
        names = [name for one in e.bounds for name in one.names]
        itself, key = self.source.fresh(e.name or "function"), self.source.fresh("key")
        fn = self.source.fn("values", (itself, key), scope.fn)
        variables = {name: fn.new(self.source.fresh(name)) for name in names}
        inner = replace(scope, fn=fn).also(**{name: Local(text) for name, text in variables.items()})
        if recursive and e.name is not None:
            inner = inner.also(**{e.name: Local(itself, Kind.LAZY)})
        targets, sets = [], []
        for bound in e.bounds:
            parts = [variables[name] for name in bound.names]
            targets += [f"(_, {', '.join(parts)})"] if bound.unpacked else parts
            if bound.domain is not None:
                sets += [self.value(bound.domain, scope)] * (1 if bound.unpacked else len(parts))
        target = targets[0] if len(targets) == 1 else f"_, {', '.join(targets)}"
        fn.lines.append(f"{target} = {key}")
        self.body(e.body, inner, fn.lines, truth=False)
        base = sets[0] if len(sets) == 1 else f"Product({', '.join(sets)})"
        lines.append(f"return recursive_function({base}, {self.source.bound(scope.fn, fn)})")
        return Kind.LAZY
