"""Counterexamples as Python values: states with attributes, and the steps between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from leadline.symbolic.concrete import Semantics, State as Values
from leadline.symbolic.lang import (
    AliasValue,
    Map,
    Model,
    Named,
    Option,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    Union,
    UserError,
    Value,
)
from leadline.symbolic.meaning import Step as Taken
from leadline.symbolic.meaning.trace import action_named
from leadline.symbolic.trace import (
    Line,
    Trace as Run,
    TraceEnd,
    call_of,
    document,
    end_reason,
    itf,
    lines,
    tla_module,
)
from leadline.symbolic.trace.aliases import alias_values
from leadline.symbolic.trace.text import alias_lines, in_full, parts

if TYPE_CHECKING:
    from pandas import DataFrame


def frame(rows: Sequence[Mapping[str, object]], index: str) -> DataFrame:
    """Rows as a table of pandas; the index counts them.

    Args:
        rows: the rows, each by the columns' names.
        index: the name of the index.

    Raises:
        UserError: if pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise UserError(
            "a table needs pandas, which is not installed: pip install 'leadline[pandas]'"
        ) from error
    made = pandas.DataFrame(list(rows))
    made.index.name = index
    return made


Shown: TypeAlias = Any
"""A value as users see it, such as an integer or a `Fields`: its type is the protocol's."""


def value_of(kind: Type, value: Value) -> Shown:
    """A value of a type as Python shows it to users.

    Booleans, integers and members of sorts and enumerations stay as they are, and so does None. A tuple or a
    sequence is a tuple, a set a frozenset, a map a mapping; a record, also one of a union, is a `Fields`.
    """
    match kind:
        case Option():
            return None if value is None else value_of(kind.item, value)
        case Tuple():
            return tuple(value_of(part, x) for part, x in zip(kind.items, value, strict=True))
        case Seq():
            return tuple(value_of(kind.item, x) for x in value)
        case Set():
            return frozenset(value_of(kind.item, x) for x in value)
        case Record():
            return Fields(kind.name, dict(_fields(kind, value)))
        case Union():
            return Fields(value[0], dict(_fields(kind.by_tag[value[0]], value[1])))
        case Map():
            return Entries({value_of(kind.key, k): value_of(kind.value, x) for k, x in kind.pairs(value)})
    return value


def _fields(kind: Record, value: Value) -> Iterator[tuple[str, Shown]]:
    for (name, _), part, x in zip(kind.fields, kind.parts, value, strict=True):
        yield name, value_of(part, x)


def _columns(kind: Type, name: str, value: Value) -> Iterator[tuple[str, Shown]]:
    """The parts of a value in columns: those of a record, and of a map whose keys are names."""
    match kind:
        case Record():
            for (field, _), part, x in zip(kind.fields, kind.parts, value, strict=True):
                yield from _columns(part, f"{name}.{field}", x)
        case Map(key=Named()):
            for key, x in zip(kind.keys, value, strict=True):
                yield from _columns(kind.value, f"{name}[{key}]", x)
        case _:
            yield name, value_of(kind, value)


class Entries(Mapping[Shown, Shown]):
    """A map: a mapping that can be part of a set, equal to a dict with the same items."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Shown, Shown]) -> None:
        self._items = items

    def __getitem__(self, key: Shown) -> Shown:
        return self._items[key]

    def __iter__(self) -> Iterator[Shown]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(dict(self._items))


class Fields(Entries):
    """A record: its fields are attributes, and items by their names. A record of a union has a `tag`.

    Attributes:
        tag: the name of the record's type or, of a union, that of its variant.
    """

    __slots__ = ("tag",)

    def __init__(self, tag: str, items: Mapping[str, Shown]) -> None:
        super().__init__(items)
        self.tag = tag

    def __getattr__(self, name: str) -> Shown:
        try:
            return self._items[name]
        except KeyError:
            known = ", ".join(self._items)
            raise AttributeError(f"{self.tag} has no field `{name}`: it has {known}") from None

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.tag, self._items)

    def __repr__(self) -> str:
        return f"{self.tag}({', '.join(f'{name}={value!r}' for name, value in self.items())})"


class State(Mapping[str, Shown]):
    """A state: its variables are attributes, and items by their names, in the protocol's spelling.

    Printed, it is the state's TLA+ text.

    Attributes:
        alias: the values of the protocol's aliases in the state, as attributes and items by their names; one
            that goes out of bounds is missing.
    """

    def __init__(self, model: Model, values: Values, aliases: Sequence[AliasValue] = ()) -> None:
        self._model = model
        self._values = values
        self._aliases = [one for one in aliases if one.why is None]
        self.alias = Fields("alias", {one.name: value_of(one.type, one.value) for one in self._aliases})

    @cached_property
    def _shown(self) -> dict[str, Shown]:
        pairs = zip(self._model.variables, self._values, strict=True)
        return {variable.name: value_of(variable.type, x) for variable, x in pairs}

    def __getattr__(self, name: str) -> Shown:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._shown[name]
        except KeyError:
            known = ", ".join(self._shown)
            raise AttributeError(f"there is no variable `{name}`: there are {known}") from None

    def __getitem__(self, name: str) -> Shown:
        return self._shown[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __hash__(self) -> int:
        return hash(self._values)

    def columns(self) -> dict[str, Shown]:
        """The parts of the state, such as `place[w1]` and `log[r1].end_offset`, in the variables' order.

        Aliases follow, such as `alias.waiting`.
        """
        pairs = zip(self._model.variables, self._values, strict=True)
        found = dict(part for one, value in pairs for part in _columns(one.type, one.name, value))
        shown = (part for one in self._aliases for part in _columns(one.type, one.name, one.value))
        return found | {f"alias.{name}": x for name, x in shown}

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={value!r}' for name, value in self.items())})"

    def __str__(self) -> str:
        pairs = zip(self._model.variables, self._values, strict=True)
        told = [text for one, value in pairs for text in in_full(one.type, one.tla, value)]
        return "\n".join([*told, *alias_lines(self._aliases)])


class Step:
    """A step of a run, or its beginning.

    Attributes:
        action: the name of the action, "init" for the initial state.
        picks: the values picked, by name.
        state: the state after it; None if it goes out of bounds.
        changes: TLA+ text of what it changes, or of all of an initial state, a line each.
    """

    def __init__(
        self, model: Model, before: Values | None, taken: Taken, aliases: Sequence[AliasValue] = ()
    ) -> None:
        self._call = call_of(model, taken)
        kinds = {pick.name: pick.type for pick in action_named(model, taken.action).picks}
        self.action = taken.action
        self.picks: Mapping[str, Shown] = {name: value_of(kinds[name], x) for name, x in taken.picks.items()}
        self.state = None if taken.state is None else State(model, taken.state, aliases)
        self.changes = tuple(parts(model, before, taken))

    def __repr__(self) -> str:
        return f"Step({self})"

    def __str__(self) -> str:
        return self._call


class Trace(Sequence[State]):
    """A run to an error: `trace[0]` is the initial state, `trace[k]` the state after k steps.

    Printed, it is the text that `leadline check` shows. A step that goes out of bounds has no state.

    Attributes:
        model: the model that it is a run of.
        property: the name of the property violated, or whose evaluation goes out of bounds; or None.
        ends: the error at its end: "violates", "out-of-bounds" or "deadlock".
        steps: the steps, of which `steps[k]` leads from `trace[k]` to `trace[k + 1]`.
        loop: of a run that goes on for ever, the place of the state to which the last step leads back: then
            `trace[-1] == trace[loop]`; None for a run that ends.
    """

    def __init__(self, model: Model, run: Run, source: str) -> None:
        self.model = model
        self.property = run.property
        self.loop = run.loop
        self.ends = str(run.ends)
        self.run = run
        self._source = source
        before = [None, *(stage.state for stage in run.stages)]
        stages = zip(before, run.stages, alias_values(model, run), strict=False)
        self._stages = [Step(model, x, taken, aliases) for x, taken, aliases in stages]
        self.steps: tuple[Step, ...] = tuple(self._stages[1:])
        self._states = [step.state for step in self._stages if step.state is not None]

    @overload
    def __getitem__(self, place: int) -> State: ...

    @overload
    def __getitem__(self, place: slice) -> list[State]: ...

    def __getitem__(self, place: int | slice) -> State | list[State]:
        return self._states[place]

    def __len__(self) -> int:
        return len(self._states)

    @cached_property
    def reason(self) -> str | None:
        """The reason why the last step is out of bounds; None if the run ends otherwise."""
        if self.ends != TraceEnd.OUT_OF_BOUNDS:
            return None
        return end_reason(Semantics(self.model), self.run)

    def to_json(self) -> dict[str, Any]:
        """The trace as a JSON object, which `leadline trace` reads once it is in a file."""
        return document(self.model, self.run, self._source)

    def to_itf(self) -> dict[str, Any]:
        """The trace in the Informal Trace Format of Apalache, a JSON object."""
        return itf(self.model, self.run, self.reason)

    def to_tla(self, name: str = "counterexample") -> str:
        """The trace as the text of a TLA+ module.

        Args:
            name: the module's name.
        """
        return tla_module(self.model, self.run, name, self.reason)

    def to_html(self) -> str:
        """The trace as a page to walk through, as `leadline trace --html` writes it."""
        # Here, since scripts need no HTML.
        from leadline.symbolic.report.trace_page import trace_page

        return trace_page(Semantics(self.model), self.run)

    def to_picture(self, form: str = "svg") -> str:
        """The trace as the text of a picture.

        Args:
            form: mermaid, svg or dot (for Graphviz).

        Raises:
            UserError: if there is no such form.
        """
        # Here, since scripts need no pictures.
        from leadline.symbolic.report.diagram import PICTURES, diagram
        from leadline.symbolic.trace.page import page_data

        if form not in PICTURES:
            raise UserError(f"form={form!r}: one of {', '.join(PICTURES)} is needed")
        return PICTURES[form](diagram(page_data(Semantics(self.model), self.run)))

    def to_pandas(self) -> DataFrame:
        """A row for each state: the step's number and action, and the state's parts.

        A map with named keys has a column for each key, such as `place[w1]`, and a record one for each field,
        such as `log[r1].end_offset`.

        Raises:
            UserError: if pandas is not installed.
        """
        rows = [
            {"action": str(stage), **stage.state.columns()}
            for stage in self._stages
            if stage.state is not None
        ]
        return frame(rows, "step")

    def __repr__(self) -> str:
        return f"<Trace of {len(self.steps)} steps: {self.property or self.ends}>"

    def __str__(self) -> str:
        return "\n".join(map(str, self.lines()))

    def lines(self) -> Iterator[Line]:
        """The lines of its text, each with the part of the text that it belongs to."""
        return lines(Semantics(self.model), self.run)

    def _repr_html_(self) -> str:
        # Here, since scripts need no HTML.
        from leadline.symbolic.api.html import framed
        from leadline.symbolic.report.findings import steps_html

        return framed(steps_html(self.lines()))
