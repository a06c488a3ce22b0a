"""Values that differ: where TLC refuses to compare them."""

from __future__ import annotations

from leadline.symbolic.tla.values.values import (
    SIMPLE,
    Domain,
    EvaluationError,
    LazyFunction,
    ModelValue,
    TypedModelValue,
    Unlisted,
    Value,
    ordered,
    tla_text,
)

_COMPUTED = (Unlisted, LazyFunction)


def absent(value: Value, elements: frozenset[Value]) -> bool:
    """False, for a value that is not among the elements.

    Raises:
        EvaluationError: where TLC cannot compare it with the elements.
    """
    if elements.__class__ is frozenset:
        for x in elements:
            kind = x.__class__
            if kind is tuple:
                return _unequal_known(value, x)
            if kind is not ModelValue:
                return unequal(value, x)
    return False


_told_apart: set[tuple[Value, Value]] = set()
_MOST_TOLD_APART = 100_000


def _unequal_known(a: Value, b: Value) -> bool:
    """As `unequal`. The same few tuples are looked for in a set again and again."""
    pair = (a, b)
    if pair in _told_apart:
        return False
    found = unequal(a, b)
    if not found:
        if len(_told_apart) >= _MOST_TOLD_APART:
            _told_apart.clear()
        _told_apart.add(pair)
    return found


def unequal(a: Value, b: Value) -> bool:
    """False, for values that differ.

    Raises:
        EvaluationError: where TLC cannot compare them.
    """
    kind = a.__class__
    if kind is b.__class__:
        if kind in SIMPLE:
            return False
        if kind is tuple:
            return _unequal_functions(a, b) if a[0] is b[0] else of_other_arguments(a, b[0])
        if kind is frozenset:
            return len(a) == len(b) and _unequal_sets(a, b)
        if kind is TypedModelValue and a.name[0] == b.name[0]:
            return False
    if isinstance(a, _COMPUTED) or isinstance(b, _COMPUTED):
        return unequal(_as_listed(a), _as_listed(b))
    if ModelValue in (kind, b.__class__):
        return False
    raise EvaluationError(f"{tla_text(a)} is compared with {tla_text(b)}")


def _as_listed(value: Value) -> Value:
    if isinstance(value, Unlisted):
        return frozenset(value)
    return value.table() if isinstance(value, LazyFunction) else value


def _unequal_sets(a: Value, b: Value) -> bool:
    """As `unequal`, for sets of one size: the first elements that differ are compared."""
    for x, y in zip(ordered(a), ordered(b), strict=True):
        if x != y:
            return unequal(x, y)
    return False


def of_other_arguments(f: Value, domain: Domain) -> bool:
    """False, for a function with another domain.

    Raises:
        EvaluationError: if one has numbers as arguments, such as a sequence, and one strings, such as a record.
    """
    one, other = f[0].first, domain.first
    if one is not other and ((one is int and other is str) or (one is str and other is int)):
        raise EvaluationError(f"{tla_text(f)} is compared with functions of other arguments")
    return False


def _unequal_functions(a: Value, b: Value) -> bool:
    """As `unequal`, for functions of one domain: their first values that differ are compared.

    TLC sorts a record's fields by where their names first occur, so of records it is enough that some fields can
    be told apart.
    """
    refused: EvaluationError | None = None
    for x, y in zip(a, b, strict=True):
        if x != y:
            if x.__class__ is y.__class__ and x.__class__ in SIMPLE:
                return False
            try:
                return unequal(x, y)
            except EvaluationError as error:
                if a[0].keys[0].__class__ is not str:
                    raise
                refused = refused or error
    if refused is not None:
        raise refused
    return False
