"""A run as a picture to paste: a sequence diagram of Mermaid, an SVG, a graph of Graphviz.

All three are written from one `Diagram`, which is read from the data of the run's page, so that they have its
lanes and its messages. A protocol without lanes has a single line of states with what changes.

No text of a protocol is part of a picture's language. In Mermaid, characters with a meaning are written by
their numbers; in Graphviz and SVG, they are escaped as these ask for.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from leadline.symbolic.meaning.graph import Merged
from leadline.symbolic.report.svg import figure, label, room, shortened, tidy, wrapped
from leadline.symbolic.trace.page import Data
from leadline.symbolic.trace.text import LineKind

NO_MEMBER = "\u2013"
"""The lane of the steps that no member of a lane takes."""


@dataclass(frozen=True)
class Moment:
    """A state of the run with the step that leads to it.

    Attributes:
        number: the number of steps so far.
        name: the action.
        picks: its picks, such as `leader = r1`.
        changes: the parts of the state that differ; of the first state, all of it.
        lane: the place of the lane that acts; None of the first state and where there are no lanes.
        others: the places of the lanes that it picks or changes.
        bad: whether the property is false there.
    """

    number: int
    name: str
    picks: str
    changes: tuple[str, ...]
    lane: int | None
    others: tuple[int, ...]
    bad: bool


@dataclass(frozen=True)
class Arrow:
    """A message: the numbers of the steps that send and receive it, its kind and its text."""

    sent: int
    received: int
    kind: str
    text: str


@dataclass(frozen=True)
class Diagram:
    """A run to draw.

    Attributes:
        title: the protocol with its parameters.
        finding: the error found.
        end: the reason, as a sentence.
        lanes: the names of the lanes.
        moments: the first state and the steps.
        messages: the messages between steps.
        loop: of a run that goes on for ever, the number of steps to the state to which the last leads back.
    """

    title: str
    finding: str
    end: str
    lanes: tuple[str, ...]
    moments: tuple[Moment, ...]
    messages: tuple[Arrow, ...]
    loop: int | None

    @property
    def last(self) -> int:
        """The number of steps."""
        return self.moments[-1].number

    @property
    def stutters(self) -> bool:
        """Whether the run stops in its last state for ever."""
        return self.loop == self.last

    def again(self) -> str:
        """How a run that goes on for ever does so; "" of others."""
        if self.loop is None:
            return ""
        return "Nothing happens any more" if self.stutters else f"For ever: back to state {self.loop}"

    def cut(self, most: int) -> Diagram:
        """The run with at most so many moments: its beginning and its end."""
        if len(self.moments) <= most:
            return self
        kept = (*self.moments[: most - most // 2], *self.moments[len(self.moments) - most // 2 :])
        known = {one.number for one in kept}
        messages = tuple(one for one in self.messages if {one.sent, one.received} <= known)
        return replace(self, moments=kept, messages=messages)

    def gap(self, at: int) -> str:
        """The steps left out before the moment at a place, in words; "" if there are none."""
        before, after = self.moments[max(at - 1, 0)].number, self.moments[at].number
        return f"steps {before + 1} to {after - 1} are left out" if after > before + 1 else ""


def diagram(data: Data) -> Diagram:
    """The run of which these are the page's data."""
    names, places = _lanes(data)
    texts = _texts(data)
    acting = data["lanes"]["steps"] if names else [{"acts": False, "lanes": []} for _ in data["steps"]]
    moments = []
    for number, (step, lanes) in enumerate(zip(data["steps"], acting, strict=True)):
        call, changes = texts[number] if number < len(texts) else (step["name"], ())
        main = places.get(lanes["lanes"][0]) if lanes["acts"] else None
        if number and names and main is None:
            main = len(names) - 1
        others = tuple(places[x] for x in lanes["lanes"] if x in places and places[x] != main)
        _, _, picks = call.partition("(")
        moments.append(
            Moment(number, tidy(step["name"]), picks.removesuffix(")"), changes, main, others, step["bad"])
        )
    sent = data["lanes"]["messages"] if names else []
    return Diagram(
        tidy(data["title"]),
        tidy(data["finding"]),
        tidy(data["sentence"] or data["end"]).replace("`", ""),
        tuple(map(tidy, names)),
        tuple(moments),
        tuple(Arrow(one, other, tidy(kind), tidy(text)) for one, other, text, kind in sent),
        data["loop"],
    )


def _lanes(data: Data) -> tuple[list[str], dict[int, int]]:
    """The names of the lanes that the page shows at first, and their places by those among all lanes."""
    names: list[str] = []
    places: dict[int, int] = {}
    lanes = data["lanes"]
    every = [(group["on"], name) for group in (lanes["groups"] if lanes else ()) for name in group["lanes"]]
    for number, (on, name) in enumerate(every):
        if on:
            places[number] = len(names)
            names.append(name)
    alone = (step for step in (lanes["steps"][1:] if lanes else ()))
    if names and any(not step["acts"] or step["lanes"][0] not in places for step in alone):
        names.append(NO_MEMBER)
    return names, places


def _texts(data: Data) -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    for kind, text in data["text"]:
        if kind == LineKind.STEP:
            _, _, call = text.strip().partition(" ")
            found.append((tidy(call), ()))
        elif kind == LineKind.END:
            break
        elif kind == LineKind.PART and found:
            call, changes = found[-1]
            # A value that is written on several lines has the later ones indented.
            whole = f"{changes[-1]} {tidy(text)}" if changes and text.startswith(" " * 8) else ""
            found[-1] = (call, (*changes[:-1], whole) if whole else (*changes, tidy(text)))
    return found


# -- Mermaid ---------------------------------------------------------------------------------------------

LONGEST = 45_000
"""The most characters of a diagram of Mermaid, which takes 50,000 where nobody has raised that."""

_NOTE = 44


def mermaid(shown: Diagram, longest: int = LONGEST) -> str:
    """The run as a sequence diagram of Mermaid. Steps in the middle are left out where it would be too long."""
    while len(text := "".join(f"{line}\n" for line in _sequence(shown))) > longest and len(shown.moments) > 4:
        shown = shown.cut(max(4, len(shown.moments) * 3 // 4))
    return text


def _sequence(shown: Diagram) -> Iterator[str]:
    lanes = shown.lanes or ("state",)
    over = f"Note over L0,L{len(lanes) - 1}: " if len(lanes) > 1 else "Note over L0: "
    yield "sequenceDiagram"
    yield f"    accTitle: {_spelled(shown.title)}"
    yield from (f"    participant L{i} as {_spelled(shortened(name, 24))}" for i, name in enumerate(lanes))
    # A title would be cut at the picture's edge where it is the widest of all.
    yield f"    {over}{_broken(wrapped(shown.finding, 60, 3))}"
    lane = {one.number: one.lane for one in shown.moments}
    looping = False
    for place, one in enumerate(shown.moments):
        if gap := shown.gap(place):
            yield f"    {over}{gap}"
        if shown.loop is not None and one.number > shown.loop and not looping:
            looping = True
            yield f"    loop {shown.again()}"
        for sent in (x for x in shown.messages if x.received == one.number):
            when = "" if sent.sent == one.number - 1 else f" (of step {sent.sent})"
            kind = shortened(sent.kind or sent.text, 32)
            yield f"    L{lane[sent.sent]}-)L{one.lane}: {_spelled(kind + when)}"
        where = over if one.lane is None else f"Note over L{one.lane}: "
        yield f"    {where}{_note(one, bool(shown.lanes))}"
    if looping:
        yield "    end"
    elif shown.loop is not None:
        yield f"    {over}{shown.again()}"
    if shown.end:
        yield f"    {over}{_broken(wrapped(shown.end, 60, 10))}"


def _note(one: Moment, in_lane: bool) -> str:
    """A step's number, its action, and its picks; without lanes also the first of its changes."""
    first = f"{one.number} {one.name}" if one.number else one.name
    lines = [shortened(first + (" \u2717" if one.bad else ""), _NOTE)]
    lines += wrapped(one.picks, _NOTE, 2)
    return _broken(lines if in_lane or not one.changes else [*lines, *_first(one.changes, 3, _NOTE)])


def _first(changes: Sequence[str], most: int, width: int) -> list[str]:
    """The first changes, each cut to a width, and how many more there are."""
    shown = [shortened(one, width) for one in changes[:most]]
    return [*shown, f"\u2026 {len(changes) - most} more"] if len(changes) > most else shown


def _broken(lines: Iterable[str]) -> str:
    return "<br/>".join(map(_spelled, lines))


# Mermaid reserves the room of a character's number for it, so no more of them are written so than have to be.
_MEANT = re.compile(r"[#;<&%`$]|^\W|\bend\b|^(?:no)?wrap(?=:)", re.IGNORECASE)


def _spelled(text: str) -> str:
    """A text for Mermaid: characters that mean something to it by their numbers."""
    return _MEANT.sub(lambda found: "".join(f"#{ord(x)};" for x in found[0]), text)


# -- Graphviz --------------------------------------------------------------------------------------------


def dot(shown: Diagram) -> str:
    """The run as a graph of Graphviz: a column for each lane, or one of the states without lanes."""
    return digraph(f"{shown.finding}\n{shown.title}", _columns(shown) if shown.lanes else _states(shown))


def _states(shown: Diagram) -> Iterator[str]:
    for one in shown.moments:
        text = "\n".join([f"state {one.number}", *_first(one.changes, 6, 60)])
        yield node(f"s{one.number}", text, "bad" if one.bad else "first" if not one.number else "")
    for one, after in itertools.pairwise(shown.moments):
        call = "\n".join([after.name, *wrapped(after.picks, 40, 3)])
        yield edge(f"s{one.number}", f"s{after.number}", call)
    yield from _back(shown)


def _columns(shown: Diagram) -> Iterator[str]:
    """Nodes of a lane share a group, which Graphviz draws as a straight line; invisible edges keep the order."""
    for place, name in enumerate(shown.lanes):
        yield node(f"l{place}", name, "lane", group=f"l{place}")
    yield f"{{rank=same; {'; '.join(f'l{place}' for place in range(len(shown.lanes)))}}}"
    ends = [f"l{place}" for place in range(len(shown.lanes))]
    yield from (edge(one, other, kind="order") for one, other in itertools.pairwise(ends))
    before = ""
    for one in shown.moments[1:]:
        text = "\n".join([f"{one.number} {one.name}", *wrapped(one.picks, 40, 3)])
        assert one.lane is not None
        yield node(f"s{one.number}", text, "bad" if one.bad else "", group=f"l{one.lane}")
        yield edge(ends[one.lane], f"s{one.number}", kind="lane")
        if before:
            yield edge(before, f"s{one.number}", kind="order")
        ends[one.lane] = before = f"s{one.number}"
    for sent in shown.messages:
        yield edge(f"s{sent.sent}", f"s{sent.received}", sent.kind, "message")
    yield from _back(shown)


def _back(shown: Diagram) -> Iterator[str]:
    """The step back of a run that goes on for ever. With lanes the first state is not drawn: its first step stands
    for it."""
    if shown.loop is not None:
        target = shown.loop if shown.loop or not shown.lanes else min(1, shown.last)
        yield edge(f"s{shown.last}", f"s{target}", shown.again(), "loop")


_NODES = {
    "": "",
    "first": "peripheries=2",
    "bad": 'color="#d55e00", penwidth=2',
    "lane": "shape=plaintext, style=solid",
}
_EDGES = {
    "": "",
    "lane": 'arrowhead=none, color="#8a8f98", weight=8',
    "order": "style=invis",
    "message": 'color="#0072b2", fontcolor="#0072b2", constraint=false',
    "loop": 'color="#a8447f", fontcolor="#a8447f", penwidth=2, constraint=false',
    "path": 'color="#d55e00", fontcolor="#d55e00", penwidth=2',
}


def quoted(text: str) -> str:
    """A text of one or more lines in quotes; Graphviz would read `&lt;` as one character.

    >>> quoted('a "b"')
    '"a \\\\"b\\\\""'
    """
    lines = (tidy(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    return '"' + "\\n".join(lines).replace("&", "&amp;") + '"'


def node(name: str, text: str, kind: str = "", group: str = "") -> str:
    """A node: its name, its text, its kind (first, bad, lane), and the nodes that it stands in one line with."""
    more = [x for x in (_NODES[kind], f"group={group}" if group else "") if x]
    return f"{name} [{', '.join([f'label={quoted(text)}', *more])}]"


def edge(one: str, other: str, text: str = "", kind: str = "") -> str:
    """An edge: the names of its ends, its text, its kind (lane, order, message, loop, path)."""
    more = [x for x in (f"label={quoted(text)}" if text else "", _EDGES[kind]) if x]
    return f"{one} -> {other} [{', '.join(more)}]" if more else f"{one} -> {other}"


def states_graph(
    graph: Merged, actions: Sequence[str], title: str, path: Sequence[int], *, whole: bool
) -> str:
    """The graph of states for Graphviz, initial states with two borders, the path of a run in colour.

    Args:
        graph: the graph; the label of a node is its lines.
        actions: the names of the actions.
        title: the title.
        path: the nodes of a run, in order; its last one is where the error is.
        whole: whether a node is one state, so that a step that leads back to it is drawn.
    """
    marked = {*itertools.pairwise(path)}
    lines = []
    for place, label_of in enumerate(graph.nodes):
        assert isinstance(label_of, tuple)
        kind = "bad" if path and place == path[-1] else "first" if place in graph.first else ""
        rest = [f"\u2026 {len(label_of) - _LINES} more"] if len(label_of) > _LINES else []
        text = "\n".join(shortened(line, _LINE) for line in (*label_of[:_LINES], *rest))
        lines.append(node(f"n{place}", text, kind))
    for (one, other), taken in graph.edges.items():
        if one != other or whole:
            names = "\n".join(dict.fromkeys(actions[number] for number in sorted(taken)))
            lines.append(edge(f"n{one}", f"n{other}", names, "path" if (one, other) in marked else ""))
    for place, taken in graph.outside.items():
        names = "\n".join(dict.fromkeys(actions[number] for number in sorted(taken)))
        lines += [node(f"o{place}", "out of bounds", "lane"), edge(f"n{place}", f"o{place}", names, "path")]
    return digraph(title, lines)


_LINE, _LINES = 60, 14


def digraph(title: str, lines: Iterable[str]) -> str:
    """The document."""
    head = [
        f'graph [label={quoted(title)}, labelloc=t, fontname="sans-serif"]',
        'node [shape=box, style=rounded, fontname="sans-serif", fontsize=11]',
        'edge [fontname="sans-serif", fontsize=10]',
    ]
    return "\n".join(["digraph leadline {", *(f"  {line}" for line in [*head, *lines]), "}", ""])


# -- SVG -------------------------------------------------------------------------------------------------

_SVG_STYLE = (
    ".lane{stroke:$line;stroke-width:1.5}.tie{stroke:$faint;stroke-width:1.5}.dot{fill:$ink}.bad{fill:$violated}"
    ".ring{fill:$paper;stroke:$faint;stroke-width:1.5}.message{fill:none;stroke:$series-2;stroke-width:1.6}"
    ".tip{fill:$series-2}.loop{fill:none;stroke:$series-4;stroke-width:2}.back{fill:$series-4}"
    ".kind{font-size:10.5px;fill:$faint;stroke:$paper;stroke-width:3px;stroke-linejoin:round;paint-order:stroke;"
    "text-anchor:middle}"
)
_TEXT, _MARGIN, _MOST_SVG, _CHANGES = 50, 14, 400, 4
_MONO_WIDTH = 7.1
"""Pixels of a character of the small monospaced font."""


def svg(shown: Diagram) -> str:
    """The run as an SVG that stands alone: the lanes with their dots and arrows, and beside them the steps."""
    return _Drawing(shown.cut(_MOST_SVG)).document()


@dataclass(frozen=True)
class _Row:
    """A step as it is written: its place, its lines, and the text that a mouse over it shows."""

    y: float
    call: tuple[str, ...]
    changes: tuple[str, ...]
    told: str


class _Drawing:
    """The SVG of a run: rows from top to bottom, lanes from left to right."""

    def __init__(self, shown: Diagram) -> None:
        self.shown = shown
        many = len(shown.lanes) > 7
        self.wide = max([34 if many else 52, *(16 + 7 * min(room(name), 12) for name in shown.lanes)])
        self.edge = _MARGIN + (22 if shown.loop is not None else 0)
        self.left = self.edge + (self.wide * len(shown.lanes) if shown.lanes else 24) + 12
        self.width = max(self.left + 26 + _TEXT * _MONO_WIDTH + _MARGIN, 520.0)
        inside = self.width - 2 * _MARGIN
        self.head = [(line, "title") for line in wrapped(shown.finding, int(inside / 9.2))]
        self.head += [(line, "small faint") for line in wrapped(shown.title, int(inside / 6.6))]
        self.top = 16 + 17 * len(self.head)
        self.end = wrapped(shown.end, int(inside / 7.8), 12)
        self.rows: dict[int, _Row] = {}
        self.gaps: list[tuple[float, str]] = []
        y = self.top + (34 if shown.lanes else 16)
        for place, one in enumerate(shown.moments):
            if gap := shown.gap(place):
                self.gaps.append((y, gap))
                y += 26
            row = self._row(one, y)
            self.rows[one.number] = row
            y += 18 * len(row.call) + 15 * len(row.changes) + 9
        self.bottom = y - 6

    def _row(self, one: Moment, y: float) -> _Row:
        whole = f"{one.name}({one.picks})" if one.picks else one.name
        call = wrapped(whole + (" \u2717" if one.bad else ""), _TEXT - 4, 3)
        told = "\n".join([whole, *one.changes])
        most = _CHANGES if one.number else 2 * _CHANGES
        return _Row(y, tuple(call), tuple(_first(one.changes, most, _TEXT)), told)

    def x(self, lane: int | None) -> float:
        """The middle of a lane; where there are none, of the line of states."""
        return self.edge + (self.wide * ((lane or 0) + 0.5) if self.shown.lanes else 12)

    def document(self) -> str:
        shown, height = self.shown, self.bottom + 8 + 17 * len(self.end) + 12
        drawn = [label(_MARGIN, 22 + 17 * i, text, names) for i, (text, names) in enumerate(self.head)]
        drawn += [*self._lines(), *self._messages(), *self._loop()]
        drawn += [part for one in shown.moments for part in self._moment(one)]
        drawn += self._kinds()
        drawn += [label(self.left, y, f"\u2026 {gap}", "faint") for y, gap in self.gaps]
        drawn += [label(_MARGIN, self.bottom + 20 + 17 * i, text, "head") for i, text in enumerate(self.end)]
        return figure(self.width, height, f"{shown.finding}: {shown.title}", _SVG_STYLE, drawn)

    def _lines(self) -> Iterator[str]:
        first = self.rows[0].y - (18 if self.shown.lanes else 4)
        for place, name in enumerate(self.shown.lanes):
            told = "no member" if name == NO_MEMBER else name
            yield label(self.x(place), self.top + 12, shortened(name, 12), "head faint middle", told)
        for place in range(max(1, len(self.shown.lanes))):
            x = f"{self.x(place):.1f}"
            yield f'<line class="lane" x1="{x}" x2="{x}" y1="{first:.1f}" y2="{self.bottom:.1f}"/>'

    def _moment(self, one: Moment) -> Iterator[str]:
        row, y = self.rows[one.number], self.rows[one.number].y - 4.5
        if one.lane is not None or not self.shown.lanes:
            ends = [self.x(one.lane), *map(self.x, one.others)]
            yield f'<line class="tie" x1="{min(ends):.1f}" x2="{max(ends):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield from (f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x in ends[1:])
            kind = "bad" if one.bad else "dot"
            yield f'<circle class="{kind}" cx="{ends[0]:.1f}" cy="{y:.1f}" r="5.5"/>'
        yield label(self.left + 18, row.y, str(one.number), "faint end")
        for place, text in enumerate(row.call):
            yield label(self.left + 26, row.y + 18 * place, text, "head", row.told)
        below = row.y + 18 * (len(row.call) - 1)
        for place, text in enumerate(row.changes, start=1):
            yield label(self.left + 26, below + 15 * place + 1, text, "mono faint", row.told)

    def _curve(self, one: Arrow) -> list[tuple[float, float]]:
        """The four points of a message's arrow, a Bezier curve, as on the page."""
        lanes = {moment.number: moment.lane for moment in self.shown.moments}
        x1, x2 = self.x(lanes[one.sent]), self.x(lanes[one.received])
        y1, y2 = self.rows[one.sent].y - 4.5, self.rows[one.received].y - 4.5
        bend = 16 if x1 == x2 else 0
        return [(x1, y1), (x1 + bend, y1 + 14), (x2 + bend, y2 - 16), (x2 + (4 if bend else 0), y2 - 6)]

    def _messages(self) -> Iterator[str]:
        for one in self.shown.messages:
            points = self._curve(one)
            begin, *rest = (f"{x:.1f} {y:.1f}" for x, y in points)
            told = escape(f"step {one.sent} to step {one.received}: {one.text}")
            yield f'<path class="message" d="M{begin} C{" ".join(rest)}"><title>{told}</title></path>'
            yield _tip(points[-2], points[-1], "tip")

    def _kinds(self) -> Iterator[str]:
        """The kinds of messages on their arrows, each at a place where no other is, and no dot or ring."""
        taken = [
            (self.x(lane), self.rows[one.number].y - 4.5, 5.5)
            for one in self.shown.moments[1:]
            for lane in (one.lane, *one.others)
        ]
        for one in self.shown.messages:
            name, points = shortened(one.kind, 18), self._curve(one)
            half = room(name) * 3.1 + 2
            for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8):
                x, y = _along(points, part)
                x = max(half + 2, min(self.left - half, x))
                if all(abs(x - x0) >= half + w or abs(y - y0) >= 12 for x0, y0, w in taken):
                    taken.append((x, y, half))
                    yield label(x, y + 4, name, "kind", one.text)
                    break

    def _loop(self) -> Iterator[str]:
        loop, last = self.shown.loop, self.shown.last
        if loop is None:
            return
        stops = 6 if loop == last else 0
        begin = loop if loop in self.rows else min(x for x in self.rows if x >= loop)
        y1, y2 = self.rows[last].y - 4.5 + stops, self.rows[begin].y - 4.5 - stops
        right = self.edge - 2
        yield (
            f'<path class="loop" d="M{right} {y1:.1f}H{_MARGIN}V{y2:.1f}H{right - 5}">'
            f"<title>{self.shown.again()}</title></path>"
        )
        yield _tip((right - 9, y2), (right, y2), "back")


def _along(points: Sequence[tuple[float, float]], part: float) -> tuple[float, float]:
    """The point of a Bezier curve after a part of it."""
    rest = 1 - part
    shares = (rest**3, 3 * part * rest**2, 3 * part**2 * rest, part**3)
    x, y = (sum(share * one[axis] for share, one in zip(shares, points, strict=True)) for axis in (0, 1))
    return x, y


def _tip(before: tuple[float, float], at: tuple[float, float], name: str) -> str:
    across, down = at[0] - before[0], at[1] - before[1]
    length = (across**2 + down**2) ** 0.5 or 1.0
    across, down = across / length, down / length
    back = (at[0] - 7 * across, at[1] - 7 * down)
    corners = [
        at,
        (back[0] - 3.5 * down, back[1] + 3.5 * across),
        (back[0] + 3.5 * down, back[1] - 3.5 * across),
    ]
    shape = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
    return f'<path class="{name}" d="M{shape}z"/>'


PICTURES = {"mermaid": mermaid, "svg": svg, "dot": dot}
"""The writers of pictures, by the name of the format."""
