"""Logs and maps: what their fields mean, the order of nodes, and mistakes in them."""

import gzip
import json
import resource
from pathlib import Path

import pytest

from leadline.symbolic.conform import Conformance, Fits, conformance, read_map
from leadline.symbolic.conform.states import Fit, Layer
from leadline.symbolic.engines.run.limits import size_mb
from leadline.symbolic.files import read_bytes
from leadline.symbolic.lang import (
    Int,
    Map,
    Model,
    Option,
    Protocol,
    UserError,
    action,
    build,
    enum,
    map_of,
    record,
    sort,
)
from leadline.symbolic.trace.formats import itf

Event = dict[str, object]


class Lamps(Protocol):
    """Lamps are switched on and off; the first is special."""

    special = False
    picks = {"lamp": "Lamp"}

    def define(self, state):  # type: ignore[no-untyped-def]  # as users write it
        self.Lamp = sort("Lamp", 3)
        state.light = Map(self.Lamp, record("Light", on=enum("Light", "off", "on"), times=Int(0, 9)))
        state.last = Option(self.Lamp)

    def init(self, start):  # type: ignore[no-untyped-def]
        start.light = map_of(self.Lamp, lambda lamp: {"on": "off", "times": 0})
        start.last = None

    @action
    def switch_on(self, now, nxt, lamp):  # type: ignore[no-untyped-def]
        nxt.require(now.light[lamp].on == "off")
        if self.special:
            nxt.require((lamp == "l1") | (now.light["l1"].on == "on"))
        nxt.light[lamp].on = "on"
        nxt.light[lamp].times = now.light[lamp].times + 1
        nxt.last = lamp

    @action
    def switch_off(self, now, nxt, lamp):  # type: ignore[no-untyped-def]
        nxt.require(now.light[lamp].on == "on")
        nxt.light[lamp].on = "off"
        nxt.last = lamp


class SpecialLamps(Lamps):
    """No lamp but the first is switched on before the first."""

    special = True


MODEL = build(Lamps(), [])
MAP = """
[log]
action = "event"
[actions]
on = "SwitchOn"
off = "switch_off"
changed = ["SwitchOn", "SwitchOff"]
[picks]
lamp = "which"
[after]
"light[{which}].times" = "count"
"last" = "which"
"""


def asked(folder: Path, *logs: object, about: str = MAP, model: Model = MODEL, **more: object) -> Conformance:
    """The answer about logs, each the lines of a file: objects, or text."""
    files = []
    for number, lines in enumerate(logs):
        files.append(folder / f"node{number}.ndjson")
        text = lines if isinstance(lines, str) else "".join(f"{json.dumps(x)}\n" for x in lines)  # type: ignore[attr-defined]
        files[-1].write_text(text)
    (folder / "map.toml").write_text(about)
    return conformance(model, files, read_map(folder / "map.toml"), **more)  # type: ignore[arg-type]


def event(name: str, lamp: str | None = None, **more: object) -> Event:
    return {"event": name, **({} if lamp is None else {"which": lamp}), **more}


def test_a_map_says_what_fields_mean(tmp_path: Path) -> None:
    lines = [event("on", "l1", count=1), event("changed", "l1"), event("changed"), event("off", "l2")]
    found = asked(tmp_path, lines)
    assert found and found.events == 4
    assert found.run is not None
    assert [(x.action, dict(x.picks)) for x in found.run.steps] == [
        ("switch_on", {"lamp": "l1"}),
        ("switch_off", {"lamp": "l1"}),
        ("switch_on", {"lamp": "l2"}),
        ("switch_off", {"lamp": "l2"}),
    ]


def test_fields_that_no_line_has_are_told(tmp_path: Path) -> None:
    assert asked(tmp_path, [event("on", "l1")]).unread == ("count",)
    assert asked(tmp_path, [event("on", "l1", count=1)]).unread == ()


def test_what_does_not_fit_is_told_with_its_place_and_reason(tmp_path: Path) -> None:
    lines = [event("on", "l1"), event("on", "l2", count=2), event("off", "l3")]
    found = asked(tmp_path, lines)
    assert (found.verdict, found.explained) == (Fits.DIFFERS, 1)
    assert found.place == f"{tmp_path / 'node0.ndjson'}:2"
    assert list(found.why.lines()) == [
        "SwitchOn(lamp = l2): light[l2].times would be 1, and the log says 2",
        "nearest: SwitchOn(lamp = l2) is possible, but light[l2].times would be 1, and the log says 2",
    ]
    found = asked(tmp_path, [event("off", "l1")])
    assert next(found.why.lines()) == (
        'SwitchOff(lamp = l1): its guard `light[l1].on = "on"` is false (`"off" = "on"`)'
    )


@pytest.mark.parametrize("by", ["values", "solver"])
def test_hidden_steps_are_found(tmp_path: Path, by: str) -> None:
    lines = [event("off", "l1"), event("on", "l2", count=3)]
    assert not asked(tmp_path, lines, by=by, hidden=2)
    found = asked(tmp_path, lines, by=by, hidden=3)
    assert found.run is not None
    assert found.run.length - found.events == 5
    about = MAP.replace("[actions]", 'hidden = ["SwitchOff"]\n[actions]', 1)
    assert not asked(tmp_path, lines, about=about, by=by, hidden=4), "only switching off may be hidden"


def test_looks_and_lines_to_skip(tmp_path: Path) -> None:
    more = "observe = [\"event == 'status'\"]\nskip = [\"level == 'debug'\"]\n[actions]"
    about = MAP.replace("[actions]", more, 1)
    lines = [event("on", "l1"), event("status", "l1", count=1), event("nonsense", level="debug")]
    for by in ("values", "solver"):
        found = asked(tmp_path, lines, about=about, by=by)
        assert found and found.run is not None and found.run.length == 1, by
        wrong = asked(tmp_path, [*lines, event("status", "l1", count=2)], about=about, by=by)
        assert (wrong.verdict, wrong.explained) == (Fits.DIFFERS, 2), by


def test_names_are_matched(tmp_path: Path) -> None:
    lines = [event("on", "kitchen"), event("on", "hall"), event("off", "kitchen")]
    found = asked(tmp_path, lines)
    assert found and found.names == {"kitchen": "l1", "hall": "l2"}
    about = MAP + '[names]\nkitchen = "l3"\n'
    assert asked(tmp_path, lines, about=about).names == {"hall": "l1"}
    with pytest.raises(
        UserError, match=r"attic is none of Lamp .* kitchen, hall, cellar: give the model more"
    ):
        asked(tmp_path, [*lines, event("on", "cellar"), event("on", "attic")])


def test_no_name_stands_for_a_member_that_the_log_names(tmp_path: Path) -> None:
    assert asked(tmp_path, [event("on", "l1"), event("on", "hall")]).names == {"hall": "l2"}
    with pytest.raises(
        UserError, match=r"2: l1 is one of Lamp, and hall in the log was taken for it: say under"
    ):
        asked(tmp_path, [event("on", "hall"), event("on", "l1")])
    lines = [event("on", "l1"), event("off", "hall")]
    assert not asked(tmp_path, lines, model=build(SpecialLamps(), []))


def test_names_of_members_that_differ_are_tried(tmp_path: Path) -> None:
    model = build(SpecialLamps(), [])
    lines = [event("changed", which="kitchen"), event("on", "hall"), event("off", "kitchen")]
    assert asked(tmp_path, lines, model=model).names["kitchen"] == "l1"
    found = asked(
        tmp_path, [event("changed"), event("on", "kitchen", count=1), event("on", "hall")], model=model
    )
    assert found and found.names["kitchen"] != "l1", "the first that is switched on is not told"


def test_nodes_are_ordered_by_clocks_and_messages(tmp_path: Path) -> None:
    one, two = [event("off", "l1", at=2.0)], [event("on", "l1", at=1.0)]
    assert asked(tmp_path, one, two), "any order goes"
    clock = MAP.replace("[actions]", 'clock = "at"\n[actions]', 1)
    late = [event("off", "l1", at=0.5)]
    for by in ("values", "solver"):
        assert asked(tmp_path, one, two, about=clock, by=by)
        assert not asked(tmp_path, late, two, about=clock, by=by)
        unsure = clock.replace("[actions]", "clock_error = 0.6\n[actions]", 1)
        assert asked(tmp_path, late, two, about=unsure, by=by)
        messages = MAP.replace("[actions]", 'sent = "sends"\nreceived = "gets"\n[actions]', 1)
        sending, getting = [event("off", "l1", sends=7)], [event("on", "l1", gets=7)]
        assert not asked(tmp_path, sending, getting, about=messages, by=by)
        assert asked(
            tmp_path, [event("off", "l1", gets=7)], [event("on", "l1", sends=7)], about=messages, by=by
        )
    circle = [event("on", "l1", gets=1, sends=2)], [event("on", "l2"), event("off", "l2", gets=2, sends=1)]
    for time in ("NaN", "1e999", "9" * 400):
        lines = [event("off", "l1", at=json.loads(time))]
        with pytest.raises(UserError, match=r"node0.ndjson:1: the field at, the map's clock, is no number"):
            asked(tmp_path, lines, two, about=clock)
    with pytest.raises(
        UserError,
        match=r"node0.ndjson:1, .*node1.ndjson:2: each of these events waits for another one, by the messages",
    ):
        asked(tmp_path, *circle, about=messages)


def test_one_file_may_hold_several_nodes(tmp_path: Path) -> None:
    lines = [event("off", "l1", host="a"), event("on", "l1", host="b")]
    assert not asked(tmp_path, lines)
    assert asked(tmp_path, lines, about=MAP.replace("[actions]", 'node = "host"\n[actions]', 1))


def test_csv_and_itf(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("event,which,count\non,l1,1\non,l2,\noff,l1,\n")
    about = read_map(_written(tmp_path / "map.toml", MAP))
    found = conformance(MODEL, [path], about)
    assert found and found.run is not None
    path.write_text("event,which\non,a\u2028b\n")
    assert conformance(MODEL, [path], about).names == {"a\u2028b": "l1"}
    path.write_text("event,which,event\non,l1,off\n")
    with pytest.raises(UserError, match=r"log.csv:1: the header has event twice"):
        conformance(MODEL, [path], about)
    path.write_text("action,lamp,last\nswitch_on,l1,no part of the state\nswitch_off,l2,\n")
    assert conformance(MODEL, [path]).explained == 1, "without a map, columns of picks are read"
    sent = read_map(_written(tmp_path / "sent.toml", '[log]\nsent = "lamp"\n'))
    assert conformance(MODEL, [path], sent).explained == 2, "but none that a map has another use for"
    path = tmp_path / "run.itf.json"
    path.write_text(json.dumps(itf(MODEL, found.run)))
    again = conformance(MODEL, [path])
    assert again and again.run == found.run
    data = json.loads(path.read_text())
    del data["states"][2]
    data["#meta"] = {"aliases": 5}
    path.write_text(json.dumps(data))
    assert conformance(MODEL, [path]).explained == 1
    assert conformance(MODEL, [path], hidden=1)


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_values_beyond_the_model_are_out_of_bounds(tmp_path: Path) -> None:
    lines = [event(x, "l1") for _ in range(10) for x in ("on", "off")]
    found = asked(tmp_path, lines)
    assert (found.verdict, found.explained) == (Fits.OUT_OF_BOUNDS, 18)
    assert "goes out of the model's bounds" in next(found.why.lines())


def test_sets_of_many_states_go_to_circuits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.symbolic.conform.states._WIDE", 20)
    monkeypatch.setattr("leadline.symbolic.conform.states._NARROW", 10)
    anything: list[Event] = [{} for _ in range(9)]
    for last, fits in ((event("on", "l1", count=6), True), (event("on", "l1", count=9), False)):
        lines = [*anything, event("off", "l1", count=5), last]
        found = asked(tmp_path, lines, hidden=1)
        assert (bool(found), found.by) == (fits, "circuits")
        for by in ("values", "circuits"):
            other = asked(tmp_path, lines, hidden=1, by=by)
            assert (other.verdict, other.explained, other.by) == (found.verdict, found.explained, by)
            assert list(other.why.lines()) == list(found.why.lines())


def test_the_way_back_ends_at_an_event_that_tells_the_whole_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    light = {x: {"on": "off", "times": 4 * (x == "l1")} for x in ("l1", "l2", "l3")}
    whole: Event = {"action": "SwitchOff", "after": {"light": light, "last": "l1"}}
    some: list[Event] = [{"action": x} for _ in range(4) for x in ("SwitchOn", "SwitchOff")]
    told: list[Event] = [
        *some[:7],
        whole,
        *some,
        {"action": "SwitchOff", "after": {"last": None}},
    ]
    layers = []
    layer = Fit._layer

    def seen(self: Fit, place: int) -> Layer:
        layers.append(place)
        return layer(self, place)

    monkeypatch.setattr(Fit, "_layer", seen)
    found = asked(tmp_path, told, about="", hidden=1, longest=0)
    assert (found.verdict, found.explained) == (Fits.DIFFERS, 16)
    assert min(layers) == 8, "what comes before that event needs no second look"
    del told[7]
    assert asked(tmp_path, told, about="", hidden=1, longest=0).explained == 15
    assert min(layers) == 0


@pytest.mark.parametrize("by", ["values", "circuits", "solver"])
def test_the_run_of_the_longest_prefix_ends_with_the_objections(tmp_path: Path, by: str) -> None:
    """Two nodes: the second one of `b` comes too early whatever the interleaving."""
    lines = [event("changed", "l1"), event("off", "l1"), event("off", "l1")]
    found = asked(tmp_path, lines, [event("on", "l2")], by=by, hidden=1)
    assert (found.verdict, found.events, found.explained) == (Fits.CONFORMS, 4, 4)
    found = asked(tmp_path, lines, [event("on", "l2")], by=by)
    assert (found.verdict, found.events, found.explained) == (Fits.DIFFERS, 4, 3)
    assert found.run is not None
    assert (found.run.length, found.run.why) == (3, found.objection())
    first, *objections = found.objection().splitlines()
    assert first == f"{tmp_path / 'node0.ndjson'}:3: no step explains this, after 3 of 4 events"
    assert objections[:2] == [
        '{"event": "off", "which": "l1"}',
        'SwitchOff(lamp = l1): its guard `light[l1].on = "on"` is false (`"off" = "on"`)',
    ]


def test_forms_of_files(tmp_path: Path) -> None:
    text = '{"action": "SwitchOn", "picks": {"lamp": "l1"}}\r\n\r\n{"action": "SwitchOff"}\r\n'
    path = tmp_path / "marked.ndjson"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert conformance(MODEL, [path])
    packed = tmp_path / "run.ndjson.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert conformance(MODEL, [packed]).events == 2
    packed.write_bytes(gzip.compress(text.encode().replace(b'Off"', b'On", "picks": {"lamp": "l1"}')))
    found = conformance(MODEL, [packed])
    assert (found.place, found.event) == (
        f"{packed}:3",
        '{"action": "SwitchOn", "picks": {"lamp": "l1"}}',
    )
    packed.write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(UserError, match=r"run\.ndjson\.gz is not gzip, or is cut off"):
        conformance(MODEL, [packed])
    packed.write_bytes(text.encode())
    with pytest.raises(UserError, match=r"run\.ndjson\.gz is not gzip, or is cut off"):
        conformance(MODEL, [packed])
    table = tmp_path / "run.csv"
    table.write_bytes("\ufeffaction,lamp\r\nSwitchOn,l1\r\nSwitchOff,l1\r\n".encode())
    assert conformance(MODEL, [table]).events == 2
    for nothing in (b"", b"\n\n"):
        path.write_bytes(nothing)
        with pytest.raises(UserError, match=r"marked\.ndjson: there is no event in the log"):
            conformance(MODEL, [path])


def test_a_log_is_read_within_little_memory(tmp_path: Path) -> None:
    """Reading takes the memory of the file, and not that of the largest file that may be read."""
    path = tmp_path / "run.ndjson"
    path.write_text('{"action": "SwitchOn"}\n')
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int((size_mb() or 0) + 1024) << 20, limits[1]))
    try:
        assert read_bytes(path, most=1 << 40) == path.read_bytes()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def test_limits(tmp_path: Path) -> None:
    lines = [{"event": "changed"} for _ in range(12)]
    found = asked(tmp_path, lines, by="values", hidden=3, most_states=1)
    assert (found.verdict, found.reason) == (Fits.UNKNOWN, "over 1 states fit after 0 events")
    assert asked(tmp_path, lines[:3], hidden=1, most_states=1).by == "solver", "the solver takes over"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", r"node0.ndjson:1: the last line is cut off or no JSON"),
        ("[1]\n", r"node0.ndjson:1: an object is needed"),
        ('{"event": "on", "event": "off"}\n', r"node0.ndjson:1 .*an object has the key 'event' twice"),
        ('{"event": "of"}\n', "lamps has no action `of`.*a map says under"),
        (
            '{"step": "on"}\n',
            r"no line of the log has a field that is read \(.*event.*\), but step: give a map",
        ),
        ('{"which": "l1", "step": "on"}\n', "has the field `event`, the map's action: there are step, which"),
        ('{"event": ["on", "off"]}\n', r"lamps has no action `\['on', 'off'\]`"),
        ('{"event": "on", "which": 3}\n', r"lamp: a value of Lamp \(l1, l2, l3\) is needed, not 3"),
        (
            '{"event": "on", "which": "l1", "count": "x"}\n',
            r"light\[l1\].times: a value of Int\(0, 9\) is needed",
        ),
    ],
)
def test_mistakes_in_logs_are_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        asked(tmp_path, text)


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ("[lgo]\n", "there is no table `lgo`: did you mean `log`?"),
        ('[log]\nactoin = "x"\n', "did you mean `action`?"),
        ('[actions]\non = "Switch"\n', "the map: lamps has no action `Switch`"),
        ('[picks]\nlump = "x"\n', "there is no pick `lump`"),
        ('[log]\nclock_error = "x"\n', "a number from 0 on is needed"),
        ("[log]\nskip = [\"event = 'x'\"]\n", "write == to compare"),
        ("x", "is not TOML"),
        ('log = "x"', r"log is a table: write \[log\]"),
        ('[after]\n"lihgt" = "event"\n', "lamps has no variable `lihgt`"),
        ('[after]\n"light[l1].tmes" = "event"\n', r"light\[l1\] has no part .tmes"),
        ('[after]\n"light[" = "event"\n', r"light\[ is no part of a state"),
    ],
)
def test_mistakes_in_maps_are_told(tmp_path: Path, about: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        asked(tmp_path, [{"event": 1, "action": "SwitchOn"}], about=about)


@pytest.mark.parametrize("by", ["values", pytest.param("solver", marks=pytest.mark.slow)])
def test_steps_out_of_bounds_on_the_way_are_told(tmp_path: Path, by: str) -> None:
    """The tenth switching on is hidden, and the model counts up to nine."""
    lines = [event(x, "l1") for _ in range(9) for x in ("on", "off")]
    found = asked(tmp_path, [*lines, event("off", "l1")], hidden=1, by=by)
    assert (found.verdict, found.explained) == (Fits.OUT_OF_BOUNDS, 18)
    assert "larger parameters may explain it" in found.headline()
