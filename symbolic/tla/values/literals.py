"""Constant expressions whose values are plain to see, and which need no code that evaluates them when needed."""

from __future__ import annotations

from collections.abc import Mapping

from leadline.symbolic.tla.read import syntax as s
from leadline.symbolic.tla.values.scopes import Code, Kind
from leadline.symbolic.tla.values.sets import BOOLEAN
from leadline.symbolic.tla.values.values import FALSE, TRUE, ModelValue, Truth, Value, model_value
from leadline.symbolic.tla.values.writer import Source

_LARGEST = 1_000
"""Elements at most of an interval."""


class Literals:
    """The values of truth values, numbers, strings, model values, and intervals and sets of these.

    Args:
        definitions: the definitions by key.
        source: the Python source so far.
    """

    def __init__(self, definitions: Mapping[str, s.Definition], source: Source) -> None:
        self.definitions = definitions
        self.source = source
        self._known: dict[int, tuple[s.Expression, Value]] = {}
        self._names: dict[Value, str] = {}

    def value(self, e: s.Expression) -> Value:
        """The value of a closed expression; None if it is not one of these."""
        if id(e) not in self._known:
            self._known[id(e)] = (e, None)  # for what is defined by itself
            self._known[id(e)] = (e, self._find(e))
        return self._known[id(e)][1]

    def _find(self, e: s.Expression) -> Value:
        match e:
            case s.Number(value) | s.String(value):
                return value
            case s.ModelValue(name):
                return model_value(name)
            case s.SetOf(items):
                values = [self.value(item) for item in items]
                simple = not any(value is None or isinstance(value, frozenset) for value in values)
                return frozenset(values) if simple else None
            case s.Apply(key, ()) if key in self.definitions:
                one = self.definitions[key]
                return self.value(one.body) if not one.parameters else None
            case s.Apply("BOOLEAN" | "TRUE" | "FALSE" as name, ()):
                return {"BOOLEAN": BOOLEAN, "TRUE": TRUE, "FALSE": FALSE}[name]
            case s.Apply(".." | "+" | "-" as operator, (a, b)) if operator not in self.definitions:
                low, high = self.value(a), self.value(b)
                if low.__class__ is not int or high.__class__ is not int:
                    return None
                if operator == "..":
                    return frozenset(range(low, high + 1)) if high - low < _LARGEST else None
                return low + high if operator == "+" else low - high
        return None

    def code(self, e: s.Expression) -> Code | None:
        """The Python of a closed expression; None if it is not one of these."""
        value = self.value(e)
        match value:
            case None:
                return None
            case int():
                return Code(str(value) if value >= 0 else f"({value})", Kind.INT)
            case Truth():
                return Code(str(value is TRUE), Kind.TRUTH)
            case str():
                return Code(ascii(value), Kind.STRING)
            case ModelValue():
                self.source.namespace[(text := f"model_{value.name}")] = value
                return Code(text, Kind.MODEL if value.__class__ is ModelValue else Kind.VALUE)
        return Code(self.named("set", value), Kind.SET)

    def named(self, hint: str, value: Value) -> str:
        """The name of a value in the source, one for each."""
        if (hint, value) not in self._names:
            self._names[hint, value] = self.source.constant(hint, value)
        return self._names[hint, value]

    def kind(self, e: s.Expression) -> Kind:
        """The kind of the elements of a closed expression, as far as it is known."""
        value = self.value(e)
        kinds = {x.__class__ for x in value} if isinstance(value, frozenset) else set()
        return _KINDS.get(kinds.pop(), Kind.VALUE) if len(kinds) == 1 else Kind.VALUE


_KINDS = {int: Kind.INT, str: Kind.STRING, ModelValue: Kind.MODEL}
