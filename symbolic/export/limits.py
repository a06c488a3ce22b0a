"""Limits of TLA+ and TLC: names that a module cannot hold, and sets that TLC cannot enumerate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadline.symbolic.lang import (
    TOO_MANY,
    Enum,
    Mistake,
    Model,
    ModelError,
    Record,
    Set,
    Sort,
    Span,
    Type,
    Union,
    UserError,
    nodes as n,
)
from leadline.symbolic.notation.names import all_types, is_name, nodes_of

_STRING = re.compile(r'[^"\\\x00-\x1f\x7f-\U0010ffff]*')

_MOST_ELEMENTS = 1_000_000  # TLC's default for -maxSetSize
_LARGEST_LIMIT = 2**31 - 1  # the greatest that -maxSetSize takes


def check_names(model: Model) -> None:
    """Check every name that the module must keep unchanged.

    Raises:
        UserError: with each name that TLA+ does not allow.
    """
    wrong = dict.fromkeys(text for kind in all_types(model) for text in _complaints(kind))
    if wrong:
        raise UserError("\n".join([f"{model.protocol} cannot be written as TLA+:", *wrong]))


_DEEPEST = 4_000
"""Levels to which an expression may be nested: text that is deeper overflows the parser of TLC, and the text
of each part is held, which is quadratic."""


def check_depths(model: Model) -> None:
    """Check that no expression is nested too deeply for a text.

    Raises:
        ModelError: with the place of each that is.
    """
    roots = [(one.span, one.roots) for one in (model.init, *model.actions)]
    roots += [(one.span, one.nodes) for one in (*model.properties.values(), *model.constraints, *model.shown)]
    told = []
    for span, own in roots:
        depths: dict[n.Node, int] = {}
        for node in n.postorder(*own):
            depths[node] = 1 + max((depths[child] for child in n.children(node)), default=0)
        deepest = max(depths.values(), default=0)
        if deepest > _DEEPEST:
            text = f"an expression here is nested {deepest} levels deep, and TLA+ text has {_DEEPEST} at most"
            told.append(Mistake(span, f"{text}: keep a part of it in a variable, or fold over a sequence"))
    if told:
        raise ModelError(told)


def _complaints(kind: Type) -> Iterator[str]:
    match kind:
        case Sort():
            wrong = [member for member in kind.members if not is_name(member)]
            yield from (f"the member {x} of {kind.name} is not a name in TLA+" for x in wrong)
        case Enum():
            wrong = [member for member in kind.members if not _STRING.fullmatch(member)]
            yield from (f"the member {x!r} of {kind.name} is not a string in TLA+" for x in wrong)
        case Union():
            wrong = [tag for tag, _ in kind.variants if not _STRING.fullmatch(tag)]
            yield from (f"the tag {x!r} of {kind.name} is not a string in TLA+" for x in wrong)
            for tag, record in kind.variants:
                if "type" in record.labels:
                    yield f"{kind.name}: {tag} has a field `type`, which is the name of the tag in TLA+"
        case Record():
            yield from _complaints_of_fields(kind)


def _complaints_of_fields(kind: Record) -> Iterator[str]:
    named: dict[str, str] = {}
    for field, name in zip(kind.positions, kind.labels, strict=True):
        if not is_name(name):
            yield f"the field {field} of {kind.name} is not a name in TLA+"
        if name in named:
            yield f"the fields {named[name]} and {field} of {kind.name} are both {name} in TLA+"
        named[name] = field


def large_sets(model: Model) -> list[str]:
    """The places where TLC enumerates a type of more than 1,000,000 values, one line each with the repair.

    TLC tests membership without enumeration, so such a test is not among them.
    """
    found = {(span, repr(kind)): _count(kind) for span, kind in _enumerated(model)}
    return [
        f"{place}: TLC has to enumerate {_repair(kind, count)}"
        for (place, kind), count in sorted(found.items())
        if count > _MOST_ELEMENTS
    ]


def _repair(kind: str, count: int) -> str:
    if count > _LARGEST_LIMIT:
        return f"more than {_LARGEST_LIMIT:,} values of {kind}, and it cannot: give smaller parameters"
    return (
        f"the {count:,} values of {kind}: give smaller parameters, or run TLC with -maxSetSize {count}, "
        f"since its limit for a set is {_MOST_ELEMENTS:,} elements"
    )


def _enumerated(model: Model) -> Iterator[tuple[Span, Type]]:
    """The types whose values TLC enumerates, with the place: types of picks, and ranges of quantifiers."""
    picks = (pick for action in (model.init, *model.actions) for pick in action.picks)
    yield from ((pick.span, pick.type) for pick in picks if pick.domain is None)
    for node in nodes_of(model):
        children = list(n.children(node))
        tested = children[-1:] if isinstance(node, (n.Member, n.Subset)) else ()
        for child in children:
            if isinstance(child, n.Universe) and child not in tested:
                yield from ((child.span, kind) for kind in child.type.parts)


def _count(kind: Type) -> int:
    """The number of values, or some number above `_LARGEST_LIMIT`, without computing a large one."""
    if kind.capped < TOO_MANY:
        return kind.capped
    largest = max(map(_count, kind.parts), default=0)
    too_large = 31 if isinstance(kind, Set) else _LARGEST_LIMIT
    if largest >= too_large:
        return _LARGEST_LIMIT + 1
    return kind.cardinality
