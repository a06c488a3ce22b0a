"""Types for TLA+ values: the least finite type that holds all values seen.

=====================================  ==========================================================
TLA+ values                            type
=====================================  ==========================================================
BOOLEAN; integers                      `Bool`; `Int`, from the least to the greatest
strings and model values               `Atoms`; a string's name has its quotation marks
those that are interchangeable         `Sort`: see `Sorts`
functions of a set of strings          `Record`; of a sort of strings `Map`
functions of 1..n, for one n           `Tuple`, with a type for each component
the same for several n                 `Seq`, whose capacity is the greatest n
other functions of one domain          `Map`
functions of several domains           `Map` to an `Option`: None stands for what is not in the domain; of sets of
                                       strings, if they may be empty and all values are of one kind
functions of records, in bags, say     `Graph`, until runs have shown which records (`tla.learning`)
sets                                   `Set`
values of several of these kinds       `Union`, with a tag for each kind and each set of fields
=====================================  ==========================================================

No type of this module has an `Option` anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from itertools import pairwise
from typing import Any, TypeAlias

from leadline.symbolic.lang import (
    AnyOf,
    Atoms,
    Bool,
    Graph,
    Int,
    Listed,
    Map,
    Mapped,
    Never,
    Option,
    Record,
    Seq,
    Set,
    Slots,
    Sort,
    Tuple,
    Type,
    Union,
    UserError,
    Value,
    entry_of,
    listed,
    without_places,
)

Ranks: TypeAlias = Mapping[str, int]
"""The places of names in TLC's order: see `leadline.symbolic.tla.read.names`."""
Sorts: TypeAlias = Mapping[str, Sort]
"""The sort of each model value or string that is of one, by its name, a string's in quotation marks.

The module is lowered with every set of model values that a constant has as a sort, and every set of strings that
an operator is where no formula names these. Sorts whose members the model tells apart become atoms, and it is
lowered again. A configuration's SYMMETRY is not relied on.
"""

NEVER: Type = Never()
EMPTY_FUNCTION = Tuple(())
"""The type of `<<>>`, the function without arguments."""

_REMEMBERED = 50_000
"""The joins that are remembered: while types are learned, the same ones are asked for again and again."""

MOST_KEYS = 4_096
"""The most arguments that a map has a value for each of: where there may be more, runs say which there are."""

_TAKEN = ("node", "is_in")


def atom(name: str) -> Atoms:
    """The type of one string, in quotation marks, or model value."""
    return Atoms("Atom", (name,))


def quoted(text: str) -> str:
    """The name of a string among the atoms."""
    return f'"{text}"'


def unquoted(name: str) -> str:
    """The text of a string among the atoms."""
    return name[1:-1]


def is_string(name: str) -> bool:
    """Whether an atom is a string, and no model value."""
    return name.startswith('"')


def field(name: str) -> str:
    """The name of a record's field in a type: some names are taken by the language, and `_` begins none."""
    return f"tla_{name}" if name in _TAKEN or name.startswith(("_", "tla_")) else name


def field_name(name: str) -> str:
    """The name in TLA+ of a field in a type."""
    return name.removeprefix("tla_")


def record_of(fields: dict[str, Type]) -> Record:
    """The type of functions of these strings, in alphabetical order."""
    return Record("_".join(sorted(fields)) or "empty", tuple(sorted(fields.items())), verbatim=True)


def tag_of(kind: Type) -> str:
    """The tag of a type's values in a union."""
    match kind:
        case Record():
            return "r_" + "_".join(kind.positions)
        case Slots():
            return "map" if kind.graph else "set"
        case Tuple() | Seq() | Map(key=Int()):
            return "seq"
        case Graph():
            return "map"
        case Sort():
            return f"sort_{kind.name}"
    return type(kind).__name__.lower()


def variants(kind: Type) -> dict[str, Type]:
    """The types of a type's values by tag."""
    if isinstance(kind, Union):
        return {tag: payload.fields[0][1] for tag, payload in kind.variants}
    return {tag_of(kind): kind}


def union_of(kinds: dict[str, Type]) -> Type:
    """The type of the values of several kinds."""
    if len(kinds) == 1:
        return next(iter(kinds.values()))
    ordered = sorted(kinds.items(), key=lambda one: _kind_key(one, {}))
    boxes = ((tag, Record(tag, (("value", kind),))) for tag, kind in ordered)
    return AnyOf("Value", tuple(boxes))


def _kind_key(one: tuple[str, Type], ranks: Ranks) -> Any:
    """A key by which kinds of values are sorted: records of few fields before those of more, as in TLC."""
    tag, kind = one
    names = sorted(field_keys(kind, ranks)) if isinstance(kind, Record) else []
    return ("r_" if names else tag, len(names), names)


_NAMES = ("", 0, list[Any]())
"""The key of all kinds of names: those of one kind may lie between those of another."""


def _name_key(name: str, ranks: Ranks) -> tuple[bool, int, str]:
    """A key by which atoms are sorted as in TLC: those without a rank by their letters."""
    plain = unquoted(name) if is_string(name) else name
    return (is_string(name), ranks.get(plain, len(ranks)), plain)


def field_keys(kind: Record, ranks: Ranks) -> list[tuple[bool, int, str]]:
    """The keys by which the fields of a record are sorted as in TLC."""
    return [_name_key(quoted(field_name(name)), ranks) for name in kind.positions]


def _is_sorted(keys: Iterable[Any]) -> bool:
    return all(one <= other for one, other in pairwise(keys))


def in_order(kind: Type, ranks: Ranks) -> bool:
    """Whether the order of a type's values is that of CHOOSE, where names have these ranks."""
    match kind:
        case Listed():
            return _is_sorted(choice_key(kind.item, one, ranks) for one in kind.listed)
        case Set() | Option():
            return False
        case Atoms() | Sort():
            return _is_sorted(_name_key(name, ranks) for name in kind.members)
        case Record() if not _is_sorted(field_keys(kind, ranks)):
            return False
        case Union():
            kinds = [one for one in variants(kind).items() if rank_of(one[1]) == _FUNCTIONS]
            records = [isinstance(one, Record) for _, one in kinds]
            if any(records) and not (all(records) and _is_sorted(_kind_key(one, ranks) for one in kinds)):
                return False
            if not _has_names_in_order(kind, ranks):
                return False
    return all(in_order(part, ranks) for part in kind.parts)


def _has_names_in_order(kind: Union, ranks: Ranks) -> bool:
    """Whether CHOOSE goes through the names of one kind, model values or a sort, before those of the next."""
    named = [part for part in variants(kind).values() if isinstance(part, Atoms | Sort)]
    return len(named) < 2 or _is_sorted(_name_key(name, ranks) for part in named for name in part.members)


def kinds_in_order(kind: Union, ranks: Ranks) -> list[str] | None:
    """The tags of a union in the order in which CHOOSE goes through its kinds of values; None if sizes decide, or
    names of one kind lie between those of another.
    """
    functions = [part for part in variants(kind).values() if rank_of(part) == _FUNCTIONS]
    if len(functions) > 1 and not all(isinstance(part, Record | Tuple) for part in functions):
        return None
    if not _has_names_in_order(kind, ranks):
        return None

    def key(one: tuple[str, Type]) -> Any:
        return (rank_of(one[1]), len(one[1].parts) if len(functions) > 1 else 0, _kind_key(one, ranks))

    return [tag for tag, _ in sorted(variants(kind).items(), key=key)]


_FUNCTIONS, _SETS = 1, 2
"""The places of functions and of sets among the kinds of values, after all others."""


def rank_of(kind: Type) -> int:
    """The place of a type's values among the kinds of values: functions and sets come after all others."""
    match kind:
        case Graph() | Slots(graph=True):
            return _FUNCTIONS
        case Set() | Slots():
            return _SETS
        case Record() | Tuple() | Seq() | Map():
            return _FUNCTIONS
    return 0


def choice_key(kind: Type, value: Value, ranks: Ranks) -> Any:
    """A key by which CHOOSE goes through the values of a type: small sets and functions before large ones."""
    match kind:
        case Atoms() | Sort():
            return _name_key(value, ranks)
        case Listed():
            return choice_key(kind.item, kind.value_of(value), ranks)
        case Slots():
            members = frozenset(one for one in value if one is not None)
            return choice_key(without_places(kind), members, ranks)
        case Graph(item=Tuple(items=(key, one))):
            return _function_key((choice_key(key, x, ranks), choice_key(one, y, ranks)) for x, y in value)
        case Set(item=item):
            return (len(value), sorted(choice_key(item, x, ranks) for x in value))
        case Union():
            tag, (inner,) = value
            part = variants(kind)[tag]
            rank, key = rank_of(part), choice_key(part, inner, ranks)
            named = isinstance(part, Atoms | Sort)
            return (rank, key[0] if rank else 0, _NAMES if named else _kind_key((tag, part), ranks), key)
        case Record():
            keys = (choice_key(part, x, ranks) for part, x in zip(kind.parts, value, strict=True))
            return _function_key(zip(field_keys(kind, ranks), keys, strict=True))
        case Map(key=key, value=item):
            given = item.item if isinstance(item, Option) else item
            there = ((x, y) for x, y in zip(kind.keys, value, strict=True) if y is not None)
            return _function_key((choice_key(key, x, ranks), choice_key(given, y, ranks)) for x, y in there)
        case Tuple(items=items):
            return (len(value), [choice_key(x, y, ranks) for x, y in zip(items, value, strict=True)])
        case Seq(item=item):
            return (len(value), [choice_key(item, x, ranks) for x in value])
    return kind.order(value)


def _function_key(pairs: Iterable[tuple[Any, Any]]) -> Any:
    """The key of a function, from those of its arguments and values: domains are compared before values."""
    ordered = sorted(pairs, key=lambda pair: pair[0])
    return (len(ordered), [x for x, _ in ordered], [y for _, y in ordered])


def table_of(item: Type, values: Iterable[Value]) -> Listed:
    """The type of some values, in the order of CHOOSE if names are sorted by their letters."""
    return listed(item, values, lambda one: choice_key(item, one, {}))


@lru_cache(maxsize=_REMEMBERED)
def join(a: Type, b: Type) -> Type:
    """The least type that holds the values of both."""
    if a == b or isinstance(b, Never):
        return a
    if isinstance(a, Never):
        return b
    if isinstance(a, Listed) or isinstance(b, Listed):
        return join(unlisted(a), unlisted(b))
    alike = _alike(a, b)
    if alike is not None:
        return alike
    kinds = variants(a)
    for tag, kind in variants(b).items():
        kinds[tag] = join(kinds[tag], kind) if tag in kinds else kind
    kinds = _by_domain(kinds)
    if "map" in kinds and "seq" in kinds:
        # The empty function is told as a sequence then.
        kinds["seq"] = join(kinds["seq"], EMPTY_FUNCTION)
    return union_of(kinds)


def is_keyed(kind: Type | None) -> bool:
    """Whether a type has functions of changing sets of strings and model values; records have fixed fields."""
    names = variants(kind.key).get("atoms") if isinstance(kind, Map) else None
    return isinstance(names, Atoms) and any(map(is_string, names.members))


def has_keyed(kind: Type) -> bool:
    """Whether a type, or one of the kinds of its values, is keyed."""
    return is_keyed(variants(kind).get("map"))


def has_functions_of_two_kinds(kind: Type) -> bool:
    """Whether the join of two types may have equal values of theirs that have another tag in each."""
    return has_keyed(kind) or {"map", "seq"} <= variants(kind).keys()


def _by_domain(kinds: dict[str, Type]) -> dict[str, Type]:
    """Kinds of values, in which a map of strings takes the place of records if their domain may change.

    Their domain may change if there is such a map already, or if there is the empty function too, perhaps among
    functions of model values, and all their fields have values of one kind.
    """
    records, functions = [one for one in kinds.values() if isinstance(one, Record)], kinds.get("map")
    partial = isinstance(functions, Map) and isinstance(functions.value, Option)
    empty = kinds.get("seq") == EMPTY_FUNCTION or partial
    if not is_keyed(functions) and not (empty and records and all(map(_is_even, records))):
        return kinds
    absorbed = [*map(_keyed, records), *([EMPTY_FUNCTION] if kinds.get("seq") == EMPTY_FUNCTION else [])]
    others = {tag: one for tag, one in kinds.items() if not isinstance(one, Record) and one != EMPTY_FUNCTION}
    whole = reduce(join, absorbed, kinds.get("map", NEVER))
    return others | variants(whole)


def _is_even(kind: Record) -> bool:
    """Whether the fields of records have values of one kind."""
    return isinstance(joined(kind.parts), Union) is any(isinstance(x, Union) for x in kind.parts)


def _keyed(kind: Record) -> Map:
    """A record's type as one of functions of some of its fields."""
    keys = joined(atom(quoted(field_name(name))) for name in kind.positions)
    return Map(keys, Mapped(joined(kind.parts)))


def joined(kinds: Iterable[Type]) -> Type:
    """The least type that holds the values of all."""
    return reduce(join, kinds, NEVER)


def _alike(a: Type, b: Type) -> Type | None:
    """The join of two types of one kind; None if they are of two."""
    match a, b:
        case (Slots(), _) | (_, Slots()):
            return _join_slots(a, b)
        case (Int(), Int()) | (Atoms(), Atoms()):
            return a.join(b)
        case ((Graph() | Map()), (Graph() | Map())) if isinstance(a, Graph) or isinstance(b, Graph):
            (key, value), (other, item) = argument_and_value(a), argument_and_value(b)
            return graph_of(join(key, other), join(given(value), given(item)))
        case (Graph(), Tuple(items=())) | (Tuple(items=()), Graph()):
            return a if isinstance(a, Graph) else b
        case (Record(), (Map() | Graph())) if is_keyed(mapped := partial_map(b)):
            return join(_keyed(a), mapped)
        case ((Map() | Graph()), Record()) if is_keyed(mapped := partial_map(a)):
            return join(mapped, _keyed(b))
        case (Graph(), _) | (_, Graph()):
            return None
        case Set(item=x), Set(item=y):
            return Set(join(x, y))
        case Record(), Record() if list(a.positions) == list(b.positions):
            return record_of({name: join(x, y) for (name, x), y in zip(a.fields, b.parts, strict=True)})
        case Tuple(items=xs), Tuple(items=ys) if len(xs) == len(ys):
            return Tuple(tuple(map(join, xs, ys)))
        case (Record(), Tuple(items=())) if _is_even(a):
            return partial_map(_keyed(a))
        case (Tuple(items=()), Record()) if _is_even(b):
            return partial_map(_keyed(b))
        case (Map(), Tuple(items=())) | (Tuple(items=()), Map()):
            return partial_map(a if isinstance(a, Map) else b)
        case ((Seq() | Tuple()), (Seq() | Tuple())):
            x, y = sequence_of(a), sequence_of(b)
            return Seq(join(x.item, y.item), max(x.capacity, y.capacity))
        case (Map(key=Int()), (Seq() | Tuple())) | ((Seq() | Tuple()), Map(key=Int())):
            return join(_as_map(a), _as_map(b))
        case Map(), Map():
            key, value = join(a.key, b.key), join(given(a.value), given(b.value))
            if a.key == b.key and isinstance(a.value, Option) == isinstance(b.value, Option):
                return Map(key, Mapped(value) if isinstance(a.value, Option) else value)
            return graph_of(key, value) if key.capped > MOST_KEYS else Map(key, Mapped(value))
    return None


def _join_slots(a: Type, b: Type) -> Type | None:
    """The join of a type of sets or functions in slots with another one."""
    slots, other = (a, b) if isinstance(a, Slots) else (b, a)
    assert isinstance(slots, Slots)
    if other == EMPTY_FUNCTION:
        return slots if slots.graph else None
    if isinstance(other, Map) and slots.graph and not isinstance(other.key, Int):
        other = graph_of(other.key, given(other.value))
    if isinstance(other, Slots) and other.graph is slots.graph:
        key = Int(1, max(slots.key.cardinality, other.key.cardinality))
        return Slots(key, Mapped(join(entry_of(slots), entry_of(other))), slots.graph)
    if isinstance(other, Set) and isinstance(other, Graph) is slots.graph:
        return Slots(slots.key, Mapped(join(entry_of(slots), unlisted(other.item))), slots.graph)
    return None


def given(kind: Type) -> Type:
    """The type of the values of an option, or the type itself."""
    return kind.item if isinstance(kind, Option) else kind


def result_of(kind: Type) -> Type:
    """The type of the values of functions that are sequences, maps or sets of pairs; of others, that of none."""
    match kind:
        case Seq(item=result) | Map(value=result) | Graph(item=Tuple(items=(_, result))):
            return given(result)
    return NEVER


def _as_map(kind: Type) -> Map:
    """A type of functions of integers as one of maps."""
    if isinstance(kind, Map):
        return partial_map(kind)
    sequence = sequence_of(kind)
    return Map(Int(1, max(1, sequence.capacity)), Mapped(sequence.item))


def partial_map(kind: Type) -> Map:
    """The type of maps, or of sets of pairs, as one of maps with keys that may be missing."""
    assert isinstance(kind, Map | Graph)
    key, value = argument_and_value(kind)
    return Map(key, value if isinstance(value, Option) else Mapped(value))


def sequence_of(kind: Type) -> Seq:
    """The type of the sequences among functions of numbers."""
    if isinstance(kind, Seq):
        return kind
    if isinstance(kind, Map):
        assert isinstance(kind.key, Int)
        return Seq(given(kind.value), max(0, kind.key.high))
    assert isinstance(kind, Tuple)
    return Seq(reduce(join, kind.items, NEVER), len(kind.items))


def function_type(pairs: list[tuple[Type, Any, Type]]) -> Type:
    """The type of a function from its arguments, each with its type and value, and the types of its values."""
    if all(isinstance(kind, Atoms) and is_string(str(value)) for kind, value, _ in pairs) and pairs:
        return record_of({field(str(value)[1:-1]): result for _, value, result in pairs})
    numbers = [value for kind, value, _ in pairs if isinstance(kind, Int)]  # Python takes TRUE for 1
    if set(numbers) == set(range(1, len(pairs) + 1)):
        return Tuple(tuple(result for _, _, result in sorted(pairs, key=lambda pair: pair[1])))
    key = reduce(join, (kind for kind, _, _ in pairs), NEVER)
    value = reduce(join, (result for _, _, result in pairs), NEVER)
    if is_message(key) or key.capped > MOST_KEYS:
        return graph_of(key, value)
    return Map(key, value if key.cardinality == len(pairs) else Mapped(value))


def argument_and_value(kind: Map | Graph) -> tuple[Type, ...]:
    """The types of a function's arguments and of its values."""
    return kind.item.parts if isinstance(kind, Graph) else kind.parts


def graph_of(key: Type, value: Type) -> Graph:
    """The type of functions as sets of pairs."""
    return Graph(Tuple((key, value)))


def is_message(kind: Type) -> bool:
    """Whether some values of a type are records, which are messages more often than not."""
    return any(isinstance(one, Record) for one in variants(kind).values())


def unlisted(kind: Type) -> Type:
    """The type of which a type lists values; the type itself if it lists none."""
    return kind.item if isinstance(kind, Listed) else kind


def is_longer(kind: Type, than: Type) -> bool:
    """Whether a type has larger or smaller numbers, or longer sequences, than another, in any part."""
    lows, highs, lengths = _extent(kind)
    before = _extent(than)
    return lows < before[0] or highs > before[1] or lengths > before[2]


def _extent(kind: Type) -> tuple[int, int, int]:
    """The least and the greatest number in a type, and the most items of a sequence in it."""
    parts = [_extent(part) for part in kind.parts]
    match kind:
        case Int():
            parts.append((kind.low, kind.high, 0))
        case Seq():
            parts.append((0, 0, kind.capacity))
    return (
        min((low for low, _, _ in parts), default=0),
        max((high for _, high, _ in parts), default=0),
        max((length for _, _, length in parts), default=0),
    )


def as_data(kind: Type) -> Any:
    """A type of this module as JSON: the name of its class, then its parts. `of_data` reads it."""
    name = type(kind).__name__
    match kind:
        case Int():
            return [name, kind.low, kind.high]
        case Listed():
            return [name, as_data(kind.item), [_plain(one) for one in kind.listed]]
        case Atoms():
            return [name, *kind.members]
        case Record():
            return [name, {field: as_data(part) for field, part in kind.fields}]
        case Slots():
            return [name, kind.key.cardinality, as_data(entry_of(kind)), kind.graph]
        case Map(value=Option(item=item)):
            return [name, as_data(kind.key), as_data(item), True]
        case Map():
            return [name, as_data(kind.key), as_data(kind.value), False]
        case Seq():
            return [name, as_data(kind.item), kind.capacity]
        case Union():
            return [name, *map(as_data, variants(kind).values())]
    return [name, *map(as_data, kind.parts)]


def of_data(data: Any, place: str) -> Type:
    """The type that JSON tells, made as types that are learned are made: of data alone, nothing of which is run.

    Args:
        data: the JSON.
        place: where it is, for errors.

    Raises:
        UserError: if it tells none.
    """
    try:
        return _of_data(data)
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        why = f" ({error})" if isinstance(error, UserError) else ""
        raise UserError(f"{place}: this is no type of a variable{why}") from error


def _of_data(data: Any) -> Type:
    match data:
        case ["Never"]:
            return NEVER
        case ["Bool"]:
            return Bool()
        case ["Int", low, high] if low <= high:
            return Int(low, high)
        case ["Atoms", str(), *_]:
            return joined(map(atom, data[1:]))
        case ["Listed", item, [_, *_] as values]:
            kind, found = _of_data(item), list(map(_of_plain, values))
            if all(map(kind.contains, found)):
                return table_of(kind, found)
        case ["Tuple", *items]:
            return Tuple(tuple(map(_of_data, items)))
        case ["Record", dict() as fields]:
            return record_of({str(name): _of_data(part) for name, part in fields.items()})
        case ["AnyOf", _, _, *_]:
            kinds = [_of_data(part) for part in data[1:]]
            return union_of({tag_of(kind): kind for kind in kinds})
        case ["Set", item]:
            return Set(_of_data(item))
        case ["Graph", ["Tuple", key, value]]:
            return graph_of(_of_data(key), _of_data(value))
        case ["Slots", int() as places, item, bool() as graph] if places > 0:
            return Slots(Int(1, places), Mapped(_of_data(item)), graph)
        case ["Map", key, value, bool() as partial]:
            result = _of_data(value)
            return Map(_of_data(key), Mapped(result) if partial else result)
        case ["Seq", item, int() as capacity] if capacity >= 0:
            return Seq(_of_data(item), capacity)
    raise ValueError


def _plain(value: Value) -> Any:
    """A value of a type as JSON: a set as an object, whatever is ordered as an array."""
    if isinstance(value, frozenset):
        return {"set": sorted(map(_plain, value), key=repr)}
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def _of_plain(data: Any) -> Value:
    match data:
        case {"set": list() as members}:
            return frozenset(map(_of_plain, members))
        case list():
            return tuple(map(_of_plain, data))
    return data
