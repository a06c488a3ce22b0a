"""Traces as text: the initial state in full, then the action of each step and what it changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from leadline.symbolic.concrete import Semantics, State
from leadline.symbolic.lang import (
    AliasValue,
    Graph,
    Map,
    Mapped,
    Model,
    Option,
    PropertyKind,
    Record,
    Seq,
    Set,
    Tuple,
    Type,
    Union,
    Value,
    counted,
    in_tla,
    shown,
)
from leadline.symbolic.meaning import Step
from leadline.symbolic.meaning.trace import Cti, Trace, TraceEnd, call_of, in_steps, title
from leadline.symbolic.trace.aliases import alias_values
from leadline.symbolic.trace.explanation import explanation
from leadline.symbolic.trace.fair import Fair, assumes_fairness, fairness
from leadline.symbolic.trace.replay import end_reason
from leadline.symbolic.trace.values import field_names

_WIDTH = 96
_MOST_FAIR = 10
_MOST_PARTS = 8


class LineKind(StrEnum):
    """The part of the text that a line belongs to; terminals colour by it."""

    HEAD = "head"
    STEP = "step"
    PART = "part"
    END = "end"


@dataclass(frozen=True)
class Line:
    """One line of the text, its indentation included."""

    kind: LineKind
    text: str

    def __str__(self) -> str:
        return self.text


def lines(semantics: Semantics, trace: Trace, head: str = "", begin: str = "") -> Iterator[Line]:
    """The text of a trace, line by line: the steps, and at the end the error with its reason.

    Args:
        semantics: the concrete meaning of the model.
        trace: a run of the model.
        head: the first line, if it is not `headline`.
        begin: the first state's name, if it is no initial state.
    """
    model = semantics.model
    yield Line(LineKind.HEAD, head or headline(model, trace))
    before: State | None = None
    shown = alias_values(model, trace)
    for number, (stage, aliases) in enumerate(zip(trace.stages, shown, strict=True)):
        called = begin if begin and not number else call_of(model, stage)
        yield from step_lines(number, called, [*parts(model, before, stage), *alias_lines(aliases)])
        before = stage.state
    end, *more = ending(model, trace, end_reason(semantics, trace)).splitlines()
    yield Line(LineKind.END, f"     {end}")
    why = explanation(model, trace)
    below = [*more, *(why.lines() if why else ()), *fairness_lines(fairness(model, trace))]
    yield from (Line(LineKind.PART, f"       {text}") for text in below)


def fairness_lines(found: Sequence[Fair]) -> list[str]:
    """The fairness conditions and why the loop satisfies each, in at most ten lines and a heading."""
    if not found:
        return []
    told = [f"  {one}" for one in found[:_MOST_FAIR]]
    if len(found) > _MOST_FAIR:
        told.append(f"  ({len(found) - _MOST_FAIR} more)")
    return ["fairness:", *told]


def step_lines(number: int, call: str, texts: Iterable[str]) -> Iterator[Line]:
    """A step's number and call, and below it the texts."""
    yield Line(LineKind.STEP, f"{number:>3}  {call}")
    yield from (Line(LineKind.PART, f"       {text}") for text in texts)


def headline(model: Model, trace: Trace) -> str:
    """The protocol, its parameters and the error found, on one line."""
    return f"{title(model)}: {finding(model, trace)}"


def finding(model: Model, trace: Trace) -> str:
    """The error found, in words."""
    if trace.ends is TraceEnd.STOPS:
        return f"a run of {counted(trace.length, 'step')}"
    if trace.ends is TraceEnd.DEADLOCK:
        return f"deadlock {after(trace.length)}"
    if trace.ends is TraceEnd.OUT_OF_BOUNDS and trace.last is not None:
        return f"{trace.property} out of bounds {in_steps(trace.length)}"
    if trace.ends is TraceEnd.OUT_OF_BOUNDS:
        return f"out of bounds {in_steps(trace.length)}"
    if trace.loop is not None:
        return f"{trace.property} violated by a run that {going_on(trace)}"
    claim = model.properties.get(trace.property or "")
    word = "reached" if claim is not None and claim.kind is PropertyKind.PROBE else "violated"
    return f"{trace.property} {word} {in_steps(trace.length)}"


def going_on(trace: Trace) -> str:
    """The end of a run that violates a claim, in words: it stops, or goes on in a loop."""
    if trace.stutters:
        return f"stops {after(trace.length)}"
    return f"goes on in a loop of {counted(trace.loop_length or 0, 'step')} {after(trace.loop or 0)}"


def after(length: int) -> str:
    """`after 3 steps`; `in the initial state` for 0."""
    return in_steps(length).replace("in ", "after ", 1) if length else in_steps(0)


def parts(model: Model, before: State | None, stage: Step) -> list[str]:
    """The lines below a step: the changes from the state before, or all of its state if there is none."""
    if stage.state is None:
        return []
    if before is None:
        pairs = zip(model.variables, stage.state, strict=True)
        return [text for variable, value in pairs for text in in_full(variable.type, variable.tla, value)]
    triples = zip(model.variables, before, stage.state, strict=True)
    told = [text for variable, old, new in triples for text in changes(variable.type, variable.tla, old, new)]
    return told or ["(nothing changes)"]


def alias_lines(aliases: Iterable[AliasValue]) -> list[str]:
    """The lines of the aliases at a state, such as `Waiting == {c1}`."""
    found = []
    for one in aliases:
        if one.why is not None:
            found.append(f"{one.tla} has no value: {one.why}")
        else:
            first, *rest = in_full(one.type, one.tla, one.value)
            found += [first.replace(f"{one.tla} =", f"{one.tla} ==", 1), *rest]
    return found


def ending(model: Model, trace: Trace, reason: str | None) -> str:
    """The error at the end of a trace, as a sentence; `reason` is why it is out of bounds."""
    why = f": {reason}" if reason else ""
    if trace.ends is TraceEnd.STOPS:
        return trace.why or "The run is shown up to here."
    if trace.ends is TraceEnd.DEADLOCK:
        return "Deadlock: no action is enabled."
    if trace.ends is TraceEnd.OUT_OF_BOUNDS and trace.last is None:
        which = f"Step {trace.length}" if trace.steps else "The initial state"
        return f"{which} goes out of bounds{why}."
    if trace.ends is TraceEnd.OUT_OF_BOUNDS:
        return f"The evaluation of {trace.property} goes out of bounds{why}."
    claim = model.properties[trace.property or ""]
    if trace.stutters and not assumes_fairness(model, trace):
        return f"Nothing happens any more: {claim.tla} is false of this run. No fairness is assumed."
    if trace.stutters:
        return f"Nothing happens any more: {claim.tla} is false of this run, which is fair."
    if trace.loop is not None:
        return f"Back to state {trace.loop}, for ever: {claim.tla} is false of this run, which is fair."
    return f"{claim.tla} is false{', as a probe should be' if claim.kind is PropertyKind.PROBE else ''}."


def cti_begin(model: Model, cti: Cti) -> str:
    """The kind of the first state of a counterexample to induction, in words."""
    satisfied = "A state that satisfies every conjunct (it need not be reachable)"
    return satisfied if cti.conjuncts else call_of(model, cti.fragment.stages[0])


def cti_lines(semantics: Semantics, cti: Cti) -> Iterator[Line]:
    """The text of a counterexample to induction: the first state in full, the action, and what it changes."""
    head = f"{title(semantics.model)}: {cti.obligation} fails"
    return lines(semantics, cti.fragment, head, cti_begin(semantics.model, cti))


# -- changes ---------------------------------------------------------------------------------------------


def changes(kind: Type, path: str, old: Value, new: Value) -> list[str]:
    """A line for each part of a value that differs, nothing if the values are equal.

    The new value as a whole if many parts differ and that is shorter.

    >>> from leadline.symbolic.lang import Int, Set, Tuple
    >>> changes(Tuple((Int(0, 3), Set(Int(0, 3)))), "pair", (0, frozenset({1})), (2, frozenset({1, 3})))
    ['pair[1] = 2', 'pair[2]: added {3}']

    A function whose domain changes:

    >>> kind = Graph(Tuple((Int(0, 9), Int(0, 9))))
    >>> changes(kind, "f", frozenset({(1, 5), (2, 6)}), frozenset({(1, 4), (3, 6)}))
    ['f[1] = 4', 'f: added (3 :> 6)', 'f: removed (2 :> 6)']
    """
    told = list(_changes(kind, path, old, new))
    if len(told) <= _MOST_PARTS:
        return told
    whole = f"{path} = {in_tla(kind, new)}"
    return [whole] if len(whole) < sum(map(len, told)) else told


def _changes(kind: Type, path: str, old: Value, new: Value) -> Iterator[str]:
    if old == new:
        return
    match kind:
        case Mapped() if new is None:
            yield f"{path} is no more"
        case Option() if old is not None and new is not None:
            yield from changes(kind.item, path, old, new)
        case Record():
            yield from _components([f"{path}.{name}" for name in field_names(kind)], kind.parts, old, new)
        case Tuple():
            yield from _components(_numbered(path, new), kind.items, old, new)
        case Map():
            paths = [f"{path}[{in_tla(kind.key, key)}]" for key in kind.keys]
            yield from _components(paths, (kind.value,) * len(paths), old, new)
        case Union() if old[0] == new[0]:
            inner, now = shown(kind, new)
            yield from changes(inner, path, shown(kind, old)[1], now)
        case Graph(item=Tuple(items=(key, value))):
            was, now = dict(old), dict(new)
            both = sorted(was.keys() & now.keys(), key=key.order)
            for one in both:
                yield from changes(value, f"{path}[{in_tla(key, one)}]", was[one], now[one])
            gone, more = (frozenset(x for x in pairs if x[0] not in both) for pairs in (old, new))
            yield from _members(kind, path, gone, more)
        case Set():
            yield from _members(kind, path, old, new)
        case Seq() if len(old) == len(new):
            yield from _components(_numbered(path, new), (kind.item,) * len(new), old, new)
        case Seq() if old and new[: len(old)] == old:
            yield f"{path}: appended {', '.join(in_tla(kind.item, x) for x in new[len(old) :])}"
        case _:
            yield f"{path} = {in_tla(kind, new)}"


def _members(kind: Type, path: str, old: Value, new: Value) -> Iterator[str]:
    for word, difference in (("added", new - old), ("removed", old - new)):
        if difference:
            yield f"{path}: {word} {in_tla(kind, difference)}"


def _numbered(path: str, items: tuple[Value, ...]) -> list[str]:
    return [f"{path}[{number}]" for number in range(1, len(items) + 1)]


def _components(paths: list[str], kinds: tuple[Type, ...], old: Value, new: Value) -> Iterator[str]:
    for path, kind, one, other in zip(paths, kinds, old, new, strict=True):
        yield from changes(kind, path, one, other)


def in_full(kind: Type, name: str, value: Value) -> list[str]:
    """`name = value` on one line if it fits, else one line for each entry of a map or element of a set."""
    whole = f"{name} = {in_tla(kind, value)}"
    if len(whole) <= _WIDTH or not value:
        return [whole]
    if isinstance(kind, Map):
        entries = [f"{in_tla(kind.key, k)} :> {in_tla(kind.value, v)}" for k, v in kind.pairs(value)]
        return [f"{name} =", *_bracketed("(", entries, " @@", ")")]
    if isinstance(kind, Set):
        members = [in_tla(kind.item, x) for x in sorted(value, key=kind.item.order)]
        return [f"{name} =", *_bracketed("{", members, ",", "}")]
    return [whole]


def _bracketed(opening: str, items: list[str], separator: str, closing: str) -> list[str]:
    last = len(items) - 1
    return [
        f"  {' ' if number else opening} {item}{f' {closing}' if number == last else separator}"
        for number, item in enumerate(items)
    ]
