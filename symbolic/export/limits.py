"""What the module cannot say: names that TLA+ has no way to write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadline.symbolic.export.kinds import all_types
from leadline.symbolic.export.names import is_name
from leadline.symbolic.lang import Enum, Model, Record, Sort, Type, Union, UserError
from leadline.symbolic.lang.names import camel

_STRING = re.compile(r'[^"\\\x00-\x1f\x7f-\U0010ffff]*')


def check_sayable(model: Model) -> None:
    """Look at every name that the module has to keep as it is.

    Raises:
        UserError: with each one that TLA+ does not allow.
    """
    wrong = dict.fromkeys(text for kind in all_types(model) for text in _complaints(kind))
    if wrong:
        raise UserError("\n".join([f"{model.protocol} cannot be written as TLA+:", *wrong]))


def _complaints(kind: Type) -> Iterator[str]:
    match kind:
        case Sort():
            wrong = [member for member in kind.members if not is_name(member)]
            yield from (f"the member {x} of {kind.name} is no name there" for x in wrong)
        case Enum():
            wrong = [member for member in kind.members if not _STRING.fullmatch(member)]
            yield from (f"the member {x!r} of {kind.name} is no string there" for x in wrong)
        case Union():
            wrong = [tag for tag, _ in kind.variants if not _STRING.fullmatch(tag)]
            yield from (f"the tag {x!r} of {kind.name} is no string there" for x in wrong)
            for tag, record in kind.variants:
                if "type" in map(camel, record.positions):
                    yield f"{kind.name}: {tag} has a field `type`, which is the name of the tag there"
        case Record():
            yield from _complaints_of_fields(kind)


def _complaints_of_fields(kind: Record) -> Iterator[str]:
    named: dict[str, str] = {}
    for field in kind.positions:
        name = camel(field)
        if not is_name(name):
            yield f"the field {field} of {kind.name} is no name there"
        if name in named:
            yield f"the fields {named[name]} and {field} of {kind.name} are both {name} there"
        named[name] = field
