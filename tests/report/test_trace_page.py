"""Pages to walk through a run: their data, and what may run in them."""

import base64
import hashlib
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.cli import main
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.report.trace_page import html_of, trace_page
from leadline.symbolic.trace import Step, Trace, document, lines
from leadline.symbolic.trace.page import page_data
from tests.report.hostile import hostile
from tests.report.runs import kip_320, ring
from tests.report.store import EVIL
from tests.trace.samples import ALL, SEMANTICS


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


# -- the file ----------------------------------------------------------------------------------------------


def test_a_value_that_occurs_again_is_written_once() -> None:
    data = data_of(trace_page(*kip_320()))
    assert data["variables"][-1] == "quorumState"
    assert len(data["steps"]) == 13
    assert len({json.dumps(node) for node in data["nodes"]}) == len(data["nodes"]) < 60
    first, second = (data["steps"][k]["state"] for k in (0, 1))
    assert first[:3] == second[:3] and first[3] != second[3]
    assert data["nodes"][second[5]] == ["r", ["leaderEpoch", "leader", "isr"], data["nodes"][second[5]][2]]


@pytest.mark.parametrize("trace", ALL.values(), ids=ALL)
def test_every_end_has_a_page(trace: Trace) -> None:
    data = data_of(trace_page(SEMANTICS, trace))
    assert [step["state"] is None for step in data["steps"]].count(True) == (trace.last is None)
    if trace.property is not None:
        value = data["texts"][data["reasons"][data["steps"][-1]["reason"]][1]]
        assert value == ("FALSE" if trace.ends == "violates" else "out of bounds")


def test_200_steps_fit() -> None:
    """A random run of the protocol with the largest states."""
    model = model_of(find("kafka-transactions"), {"max_coordinator_changes": 3})
    semantics, random = Semantics(model), Random(0)
    initial = state = semantics.initial()[0].state
    steps: list[Step] = []
    while len(steps) < 200:
        assert state is not None
        found = [one for one in semantics.successors(state) if one.state is not None]
        if not found:
            state = initial
            continue
        taken = random.choice(found)
        state = taken.state
        steps.append(Step(taken.action, dict(taken.picks), state))
    page = trace_page(semantics, Trace({}, initial, tuple(steps), property="type-ok"))
    assert 60_000 < len(page.encode()) < 400_000


def test_hostile_texts_stay_in_the_data() -> None:
    page = html_of(hostile(page_data(*kip_320())), EVIL, EVIL)
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert EVIL in json.dumps(data_of(page), ensure_ascii=False).replace('\\"', '"')


def test_only_the_script_of_the_page_may_run() -> None:
    page = trace_page(*ring())
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "default-src 'none'; style-src 'sha256-" in page
    assert f"script-src 'sha256-{digest}';" in page


def test_the_guide_shows_what_is_shown() -> None:
    guide = Path(__file__).parents[2] / "docs" / "counterexamples.md"
    shown = re.findall(r"```\n(     StrongIsr.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    told = "".join(f"{line}\n" for line in lines(*kip_320()))
    assert len(shown) == 1 and told.endswith(shown[0])


def stored(tmp_path: Path, made: Any, **more: Any) -> Path:
    semantics, trace = made
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({**document(semantics.model, trace, semantics.model.protocol), **more}))
    return path


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored(tmp_path, kip_320())
    out = tmp_path / "out.html"
    assert main(["trace", str(path), "--html", str(out)]) == 0
    assert capsys.readouterr().err == f"leadline: wrote {out}\n"
    assert data_of(out.read_text())["end"] == "StrongIsr is false."
    assert main(["trace", str(path), "--html", str(tmp_path / "no" / "out.html")]) == 2
    assert "--html" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("loop", "complaint"),
    [
        (99, "trace.json.loop: a number of steps from 0 to the length is needed, not 99"),
        (True, "trace.json.loop: an integer or null is needed"),
        (3, "the last state is not the one after step 3"),
    ],
)
def test_a_loop_that_is_none(
    loop: Any, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", str(stored(tmp_path, kip_320(), loop=loop))]) == 2
    assert complaint in capsys.readouterr().err
