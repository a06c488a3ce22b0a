"""Pictures of runs: Mermaid, SVG and Graphviz from one model, with names that mean something to each of them."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.report.diagram import Diagram, diagram, dot, mermaid, svg
from leadline.symbolic.trace import Trace, TraceEnd
from leadline.symbolic.trace.page import page_data
from tests.report.browser import Browser, luminance, needs_chromium
from tests.report.runs import kip_320, ring
from tests.report.store import EVIL
from tests.trace.swinging import swinging

SVG = "{http://www.w3.org/2000/svg}"
NAMES = (
    EVIL,
    "end",
    "end note over",
    'a;b #35; #quot; "x" <b>',
    "%% wrap:\nloop\r\n  end\u2028x",
    "\u202ereversed \x1b[31m `code` $$x^2$$ \\n {a}",
    "\u00e9\u8349\U0001f600",
    "wrap: x",
    "%%{init: {}}%%",
)
needs_graphviz = pytest.mark.skipif(
    shutil.which("dot") is None, reason="needs Graphviz: apt-get install graphviz"
)
needs_npm = pytest.mark.skipif(
    shutil.which("npm") is None, reason="Mermaid comes from npm, which is not there"
)


def of_ring() -> Diagram:
    return diagram(page_data(*ring()))


def of_doors() -> Diagram:
    model, trace = swinging()
    return diagram(page_data(Semantics(model), trace))


def hostile(name: str) -> Diagram:
    """The run of the ring with one text in every place that has one."""
    data = page_data(*ring())
    lanes = data["lanes"]
    groups = [{**group, "lanes": [name] * len(group["lanes"])} for group in lanes["groups"]]
    sent = [(one, other, name, name) for one, other, *_ in lanes["messages"]]
    text = [
        [kind, f"  1  {name}({name})" if kind == "step" else f"       {name}"] for kind, _ in data["text"]
    ]
    steps = [{**step, "name": name} for step in data["steps"]]
    more = {"title": name, "finding": name, "sentence": name, "text": text, "steps": steps}
    return diagram({**data, **more, "lanes": {**lanes, "groups": groups, "messages": sent}})


def long_run(steps: int) -> Diagram:
    shown = of_ring()
    moments = [replace(shown.moments[1 + k % 4], number=k + 1) for k in range(steps)]
    return replace(shown, moments=(shown.moments[0], *moments), messages=())


def texts(drawn: str) -> list[str]:
    """The texts of an SVG, without what a mouse over them shows."""
    found = Xml.fromstring(drawn).iter(f"{SVG}text")
    return ["".join([one.text or "", *(child.tail or "" for child in one)]) for one in found]


def test_mermaid() -> None:
    assert mermaid(of_ring()).splitlines() == [
        "sequenceDiagram",
        "    accTitle: ring",
        "    participant L0 as n1",
        "    participant L1 as n2",
        "    participant L2 as n3",
        "    Note over L0,L2: in-the-mail violated in 4 steps",
        "    Note over L0,L2: Init \u2717",
        "    Note over L0: 1 Send<br/>node = n1, other = n3",
        "    L0-)L2: Token",
        "    Note over L2: 2 Receive \u2717<br/>token = [source |-> n1, target |-> n3]",
        "    Note over L2: 3 Send<br/>node = n3, other = n1",
        "    L2-)L0: Token",
        "    Note over L0: 4 Receive \u2717<br/>token = [source |-> n3, target |-> n1]",
        "    Note over L0,L2: InTheMail is false in state 4: for node = n1, ~has[n1] is<br/>false.",
    ]


def test_a_message_that_waits_names_its_step() -> None:
    text = mermaid(diagram(page_data(*kip_320())))
    assert "    L1-)L2: Request\n    Note over L2: 5 BecomeFollower" in text
    assert "    L1-)L1: Request (of step 4)\n    Note over L1: 6 BecomeLeader" in text


def test_loops_are_marked() -> None:
    shown = of_doors()
    lines = mermaid(shown).splitlines()
    begin = lines.index("    loop For ever: back to state 0")
    assert lines[begin - 1].endswith("Init") and lines[begin + 7] == "    end"
    assert "For ever: back to state 0" in [x.text for x in Xml.fromstring(svg(shown)).iter(f"{SVG}title")]
    assert 's6 -> s1 [label="For ever: back to state 0"' in dot(shown)
    stopped = replace(shown, loop=shown.last)
    assert "Nothing happens any more" in mermaid(stopped) and "    loop" not in mermaid(stopped)
    assert "Nothing happens any more" in svg(stopped)


def test_without_lanes_the_states_stand_in_one_line() -> None:
    shown = diagram({**page_data(*ring()), "lanes": None})
    assert not shown.lanes and not shown.messages
    text = mermaid(shown)
    assert "participant L0 as state\n" in text
    assert "1 Send<br/>node = n1, other = n3<br/>has[n1] = FALSE<br/>" in text
    assert 's0 -> s1 [label="Send\\nnode = n1, other = n3"]' in dot(shown)
    assert 's1 [label="state 1\\nhas[n1] = FALSE\\n' in dot(shown)
    assert "has[n1] = FALSE" in texts(svg(shown))


def test_a_deadlock_with_a_name_is_drawn() -> None:
    semantics, trace = ring()
    named = Trace({}, trace.initial, trace.steps, TraceEnd.DEADLOCK, "deadlock")
    assert "Deadlock: no action is enabled." in mermaid(diagram(page_data(semantics, named)))


def test_a_value_on_several_lines_is_one_change() -> None:
    first = diagram(page_data(*kip_320())).moments[0]
    assert [one.split()[0] for one in first.changes] == [
        *(
            "replicaLog",
            "replicaState",
            "nextRecordId",
            "nextLeaderEpoch",
            "leaderAndIsrRequests",
            "quorumState",
        )
    ]


def test_a_long_run_is_cut_with_a_sentence() -> None:
    text = mermaid(long_run(3_000))
    assert len(text) <= 45_000
    assert (
        text.count(" are left out") == 1 and "Note over L0: 3000 " in text and "Note over L0: 1 Send" in text
    )
    drawn = svg(long_run(3_000))
    assert sum(" are left out" in one for one in texts(drawn)) == 1


def test_an_svg_stands_alone() -> None:
    for shown in (of_ring(), of_doors(), diagram(page_data(*kip_320())), *map(hostile, NAMES)):
        root = Xml.fromstring(svg(shown))
        assert {one.tag.removeprefix(SVG) for one in root.iter()} <= {
            *("svg", "title", "style", "rect", "text", "line", "circle", "path")
        }
        assert not {
            name for one in root.iter() for name in one.attrib if name.startswith("on") or "href" in name
        }
        style = next(root.iter(f"{SVG}style")).text or ""
        assert "url(" not in style and "@import" not in style and "$" not in style and "var(" not in style
        assert style.count("prefers-color-scheme: dark") == 1


def test_the_texts_of_an_svg() -> None:
    found = texts(svg(of_ring()))
    assert found[:5] == ["in-the-mail violated in 4 steps", "ring", "n1", "n2", "n3"]
    assert {"Send(node = n1, other = n3)", "mail: added {[source |-> n1, target |-> n3]}", "Token"} <= {
        *found
    }
    assert found[-1] == "InTheMail is false in state 4: for node = n1, ~has[n1] is false."


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_only_texts(name: str) -> None:
    shown = hostile(name)
    kinds = [line.split()[0] for line in mermaid(shown).splitlines()[1:]]
    assert kinds == [
        *("accTitle:", "participant", "participant", "participant"),
        *(*("Note", "Note", "Note", "L0-)L2:", "Note", "Note", "L2-)L0:", "Note", "Note"),),
    ]
    assert not {*mermaid(shown)} & {"\u202e", "\x1b", "\u2028", "\r"}
    lines = dot(shown).splitlines()
    assert len(lines) == len(dot(of_ring()).splitlines())
    assert all(line.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0 for line in lines)


@needs_graphviz
@pytest.mark.parametrize("name", ["", *NAMES])
def test_graphviz_reads_it(name: str) -> None:
    shown = hostile(name) if name else of_doors()
    for text in (dot(shown), dot(replace(shown, lanes=()))):
        ran = subprocess.run(["dot", "-Tjson"], input=text, capture_output=True, text=True, check=True)
        assert ran.stderr == ""
        labels = {one.get("label", "") for one in json.loads(ran.stdout)["objects"]}
        assert len(labels) > 2


@needs_chromium
def test_in_a_browser(browser: Browser, tmp_path: Path) -> None:
    drawn, page = tmp_path / "run.svg", tmp_path / "run.html"
    drawn.write_text(svg(hostile(EVIL)), encoding="utf-8")
    page.write_text(f'<meta charset="utf-8"><body>{svg(of_ring())}', encoding="utf-8")
    for scheme, dark in (("light", False), ("dark", True)):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.open(drawn)
        assert [*browser.requests(), *browser.complaints()] == [drawn.as_uri()]
        browser.open(page)
        paper, ink = (browser.style(of, "fill") for of in (".paper", "text"))
        assert (luminance(paper) < 0.1, luminance(ink) > 0.5) == (dark, dark)
        ends = (
            "return [...document.querySelectorAll('text')].map((x) => x.getBBox()).map((b) => b.x + b.width)"
        )
        width = browser.driver.execute_script("return document.querySelector('svg').viewBox.baseVal.width")
        assert max(browser.driver.execute_script(ends)) < width
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.slow
@needs_npm
@needs_chromium
def test_mermaid_reads_it(browser: Browser, tmp_path: Path) -> None:
    """Mermaid's own parser and renderer, from npm, show each text as it is."""
    subprocess.run(
        ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "mermaid@11"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=280,
    )
    page = tmp_path / "page.html"
    page.write_text(
        '<meta charset="utf-8"><script src="node_modules/mermaid/dist/mermaid.min.js"></script><body>',
        encoding="utf-8",
    )
    browser.open(page)
    ask = """
        const done = arguments[arguments.length - 1];
        mermaid.initialize({startOnLoad: false});
        mermaid.render('one', arguments[0]).then(({svg}) => {
          const made = new DOMParser().parseFromString(svg, 'text/html');
          done([...made.querySelectorAll('text, tspan')].map((x) => x.textContent));
        }, (error) => done(String(error)));
    """
    for shown in (of_ring(), of_doors(), diagram(page_data(*kip_320())), long_run(1_000)):
        assert isinstance(browser.driver.execute_async_script(ask, mermaid(shown)), list)
    for name in NAMES:
        shown = hostile(name)
        found: Any = browser.driver.execute_async_script(ask, mermaid(shown))
        assert isinstance(found, list), found
        assert f"1 {shown.moments[1].name}"[:30] in "\n".join(found), (name, found)
