"""Updates of variables whose sets of records have a key.

A union with one more record is made in place, at the record's key; it is out of bounds where another record
has that key. Whatever else is assigned is made from the whole set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leadline.symbolic.encode.circuit import FALSE, TRUE
from leadline.symbolic.encode.expressions import Expressions
from leadline.symbolic.encode.keyed import Entries, Keyed, variable_of, widens
from leadline.symbolic.lang import KeyedSet, Set, nodes as n


class KeyedUpdates:
    """Evaluates the next values of variables of a keyed type.

    Args:
        expressions: evaluates the operands, over the same state.
        wrong: is told of the literal that a part is reached, and of the literal that it is out of bounds.
    """

    def __init__(self, expressions: Expressions, wrong: Callable[[int, int], None]) -> None:
        self._expressions = expressions
        self._circuit = expressions.circuit
        self._wrong = wrong

    def made(self, variable: n.StateVar, value: n.Node, here: int, reached: int, orelse: Entries) -> Entries:
        """The next state where `here` holds, `orelse` elsewhere."""
        if value == variable or here == FALSE:
            return orelse
        if isinstance(value, n.Ite):
            condition, error = self._expressions.evaluate(value.condition)
            self._wrong(reached, error)
            for literal, branch in ((condition, value.then), (-condition, value.orelse)):
                now, there = self._circuit.conj((here, literal)), self._circuit.conj((reached, literal))
                orelse = self.made(variable, branch, now, there, orelse)
            return orelse
        records = _added(variable, value.item) if isinstance(value, n.Coerce) else None
        if records is not None and len(records) == 1:
            return self._with(variable, records[0], here, reached, orelse)
        members, error = self._expressions.evaluate(value)
        self._wrong(reached, error)
        kind = variable.type
        assert isinstance(kind, KeyedSet)
        made = Keyed(self._expressions.values, kind).entries(members)
        found: Entries = self._expressions.values.ite(here, made, orelse, kind.table)
        return found

    def _with(
        self, variable: n.StateVar, record: n.Node, here: int, reached: int, orelse: Entries
    ) -> Entries:
        kind = variable.type
        assert isinstance(kind, KeyedSet)
        shape, error = self._expressions.evaluate(record)
        shape, outside = self._expressions.collections.coerce(shape, record.type, kind.item)
        self._wrong(reached, error)
        self._wrong(reached, outside)
        keyed = Keyed(self._expressions.values, kind)
        old = self._expressions.state[variable.name]
        self._wrong(self._circuit.conj((reached, -outside)), keyed.inserted(old, shape, TRUE)[1])
        return keyed.inserted(orelse, shape, here)[0]


def _added(variable: n.StateVar, value: n.Node) -> Sequence[n.Node] | None:
    """The records that a union adds to a variable; None if the value is no such union."""
    while isinstance(value, n.Coerce) and isinstance(value.item.type, Set) and widens(value):
        value = value.item
    if not isinstance(value, n.SetUnion):
        return None
    for old, new in ((value.left, value.right), (value.right, value.left)):
        if variable_of(old) == variable:
            while isinstance(new, n.Coerce) and widens(new):
                new = new.item
            return new.items if isinstance(new, n.SetOf) else None
    return None
