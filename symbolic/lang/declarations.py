"""Where a protocol declares its state, and the state as its methods read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.errors import Mistake, ModelError
from leadline.symbolic.lang.expr import unknown_name, wrap
from leadline.symbolic.lang.gate import invalid
from leadline.symbolic.lang.model import Variable
from leadline.symbolic.lang.names import camel
from leadline.symbolic.lang.next_state import Next
from leadline.symbolic.lang.span import caller_span
from leadline.symbolic.lang.structures import Record
from leadline.symbolic.lang.tla_names import all_types
from leadline.symbolic.lang.types import MOST_PARTS, TOO_MANY, Type


class Declarations:
    """Where `define` declares the state: `state.name = type`, or `declare` for another TLA+ name."""

    def __init__(self) -> None:
        object.__setattr__(self, "variables", {})
        object.__setattr__(self, "mistakes", [])

    def __setattr__(self, name: str, kind: Type) -> None:
        self.declare(name, kind)

    def declare(self, name: str, kind: Type, tla: str | None = None) -> None:
        """Declare a state variable.

        Args:
            name: its name in the protocol, in snake_case.
            kind: its type.
            tla: its name in the TLA+ module; by default the name in lowerCamelCase.
        """
        variables: dict[str, Variable] = self.__dict__["variables"]
        mistakes: list[Mistake] = self.__dict__["mistakes"]
        span = caller_span()
        if name in variables:
            mistakes.append(Mistake(span, f"{name} is declared twice, first at {variables[name].span}"))
        elif hasattr(Next, name) or name.startswith("_"):
            mistakes.append(
                Mistake(span, f"a variable cannot be called `{name}`: nxt.{name} means something else")
            )
        elif not isinstance(kind, Type):
            mistakes.append(Mistake(span, f"{name} needs a type, such as Bool() or Int(0, 3), not {kind!r}"))
        else:
            made = Variable(name, tla or camel(name), kind, span)
            mistakes += _complaints(made, variables)
            variables[name] = made


def _complaints(made: Variable, earlier: dict[str, Variable]) -> list[Mistake]:
    told = []
    for other in earlier.values():
        if other.tla == made.tla:
            text = (
                f"the variables `{other.name}` (at {other.span}) and `{made.name}` are both `{made.tla}` in "
                "TLA+ and in counterexamples: rename one, or write "
                f'state.declare("{made.name}", its_type, tla="another name")'
            )
            told.append(Mistake(made.span, text))
    records = [kind for kind in all_types({made.type}) if isinstance(kind, Record)]
    for kind, first, second in ((record, *pair) for record in records for pair in _alike_fields(record)):
        text = (
            f"the fields `{first}` and `{second}` of {kind.name}, in {made.name}, are both `{camel(first)}` "
            "in TLA+ and in counterexamples: rename one"
        )
        told.append(Mistake(made.span, text))
    if made.type.width == TOO_MANY:
        text = (
            f"{made.name} has more than {MOST_PARTS:,} parts, one for each key of a map, possible member of "
            "a set and place of a sequence: narrow its type, or give smaller parameters"
        )
        told.append(Mistake(made.span, text))
    return told


def _alike_fields(kind: Record) -> Iterator[tuple[str, str]]:
    spelled: dict[str, str] = {}
    for name, _ in kind.fields:
        first = spelled.setdefault(camel(name), name)
        if first != name:
            yield first, name


class State:
    """The current state: the variables as attributes."""

    def __init__(self, variables: dict[str, Variable]) -> None:
        object.__setattr__(self, "_variables", variables)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        variables: dict[str, Variable] = self.__dict__["_variables"]
        if name not in variables:
            return wrap(invalid(unknown_name("there is no variable", name, list(variables))))
        variable = variables[name]
        return wrap(n.make(n.StateVar, variable.type, variable.span, name))

    def __setattr__(self, name: str, value: Any) -> None:
        raise ModelError(
            [Mistake(caller_span(), f"`{name}` of the current state cannot be assigned: use nxt.{name}")]
        )
