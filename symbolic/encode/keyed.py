"""Variables whose sets of records have a key: their state holds a `Maybe` for each key (`KeyedSet.table`).

Expressions see such a variable as any other set, but whether a record is a member is looked up at its key.
"""

from __future__ import annotations

from leadline.symbolic.encode.circuit import FALSE, TRUE, Circuit
from leadline.symbolic.encode.values import Maybe, Shape, Values
from leadline.symbolic.lang import KeyedSet, Option, Set, Type, Value, nodes as n

Entries = tuple[Maybe, ...]
"""The state of a variable of a keyed type: what it has for each key."""


class Keyed:
    """Operations on the state of a variable of a keyed type."""

    def __init__(self, values: Values, kind: KeyedSet) -> None:
        assert isinstance(kind.table.value, Option)
        self.values = values
        self.circuit: Circuit = values.circuit
        self.kind = kind
        self.rest: Type = kind.table.value.item
        self.positions = {key: place for place, key in enumerate(kind.table.keys)}

    def members(self, entries: Entries) -> dict[Value, int]:
        """The set, with the literal of each record that may be in it."""
        found = {}
        for key, entry in zip(self.positions, entries, strict=True):
            for rest, literal in self.values.cases(entry.item, self.rest) if entry.present != FALSE else ():
                found[self.kind.whole(key, rest)] = self.circuit.conj((entry.present, literal))
        return found

    def entries(self, members: dict[Value, int]) -> Entries:
        """The state of a set that is of the type."""
        rows: list[list[tuple[Value, int]]] = [[] for _ in self.positions]
        for record, literal in members.items():
            key, rest = self.kind.split(record)
            rows[self.positions[key]].append((rest, literal))
        made = []
        for row in rows:
            arms = [(literal, self.values.constant(self.rest, rest)) for rest, literal in row]
            present = self.circuit.disj([literal for _, literal in row])
            made.append(Maybe(present, self.values.mux(arms, self.rest) if arms else None))
        return tuple(made)

    def has(self, entries: Entries, record: Shape) -> int:
        """The literal that a record of the item's type is a member."""
        key, rest = self.kind.split(record)
        rows = [(entries[self.positions[x]], here) for x, here in self.values.cases(key, self.kind.table.key)]
        return self.circuit.disj([self._is_entry(entry, rest, here) for entry, here in rows])

    def _is_entry(self, entry: Maybe, rest: Shape, here: int) -> int:
        if entry.present == FALSE:
            return FALSE
        return self.circuit.conj((here, entry.present, self.values.equal(entry.item, rest, self.rest)))

    def inserted(self, entries: Entries, record: Shape, here: int) -> tuple[Entries, int]:
        """The set with one more record where `here` holds, and the literal that another one has its key."""
        key, rest = self.kind.split(record)
        made, errors = list(entries), []
        for value, literal in self.values.cases(key, self.kind.table.key):
            place = self.positions[value]
            old = made[place]
            same = self._is_entry(old, rest, literal)
            errors.append(self.circuit.conj((literal, old.present, -same)))
            now = self.circuit.conj((here, literal))
            made[place] = self.values.ite(now, Maybe(TRUE, rest), old, self.kind.table.value)
        return tuple(made), self.circuit.disj(errors)


def several(circuit: Circuit, kind: KeyedSet, members: dict[Value, int]) -> int:
    """The literal that two members of a set have the same key."""
    seen: dict[Value, int] = {}
    errors = []
    for record, literal in members.items():
        key, _ = kind.split(record)
        before = seen.get(key, FALSE)
        errors.append(circuit.both(before, literal))
        seen[key] = circuit.disj((before, literal))
    return circuit.disj(errors)


def variable_of(node: n.Node) -> n.StateVar | None:
    """The variable of a keyed type that an expression reads as a set, perhaps of a wider type; else None."""
    while isinstance(node, n.Coerce) and widens(node):
        node = node.item
    return node if isinstance(node, n.StateVar) and isinstance(node.type, KeyedSet) else None


def widens(node: n.Coerce) -> bool:
    """Whether a conversion gives each set as one of a wider type."""
    source, target = node.item.type, node.type
    return isinstance(source, Set) and type(target) is Set and target.item.includes(source.item)


def kept(values: Values, kind: Type, shape: Shape) -> Shape:
    """The value of a variable as its state holds it."""
    return Keyed(values, kind).entries(shape) if isinstance(kind, KeyedSet) else shape
