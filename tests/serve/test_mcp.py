"""The server for agents, asked by the client of the `mcp` package over standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.engines.run.process import start_server
from leadline.symbolic.files import CONFINED, is_there, read_text
from leadline.symbolic.lang import UserError
from tests.pages import DOCS, File, blocks, steps

mcp = pytest.importorskip("mcp", reason="the extra leadline[mcp] is not installed")
import anyio  # noqa: E402  # it comes with mcp
from anyio.from_thread import BlockingPortal, start_blocking_portal  # noqa: E402
from jsonschema import Draft202012Validator  # noqa: E402

from leadline.symbolic.serve import job  # noqa: E402
from leadline.symbolic.serve.mcp import Allowed, tools  # noqa: E402

RING = """
---- MODULE Ring ----
EXTENDS Naturals
CONSTANT N
VARIABLES at, done
Node == 0..(N-1)
Init == at = 0 /\\ done = {}
Pass(i) == at = i /\\ i \\notin done /\\ at' = (i + 1) % N /\\ done' = done \\union {i}
Reset == done = Node /\\ done' = {} /\\ UNCHANGED at
Next == (\\E i \\in Node : Pass(i)) \\/ Reset
Few == done # {0, 1}
====
"""
WRONG = RING.replace("MODULE Ring", "MODULE Wrong").replace("at = 0 /\\", "att = 0 /\\")
LARGE = """
---- MODULE Large ----
EXTENDS Naturals
VARIABLES a, b, c
Init == a = 0 /\\ b = 0 /\\ c = 0
Next == \\E i \\in 0..99 : \\/ a' = i /\\ UNCHANGED <<b, c>>
                         \\/ b' = i /\\ UNCHANGED <<a, c>>
                         \\/ c' = (c * 7 + i) % 100003 /\\ UNCHANGED <<a, b>>
Small == a < 100
====
"""
COUNTER = '''
from leadline import Int, Protocol, action

class Counter(Protocol):
    """Counts."""

    def define(self, state):
        state.count = Int(0, 3)

    def init(self, start):
        start.count = 0

    @action
    def up(self, now, nxt):
        nxt.require(now.count < 3)
        nxt.count = now.count + 1
'''

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's folder, with files beside it that must not be read."""
    outside = tmp_path_factory.mktemp("mcp")
    folder = outside / "here"
    folder.mkdir()
    for name, text in (("Ring", RING), ("Wrong", WRONG), ("Large", LARGE)):
        (folder / f"{name}.tla").write_text(text)
    config = "INIT Init\nNEXT Next\nINVARIANT Few\nCONSTANT N = 3\n"
    for name in ("Ring", "Wrong"):
        (folder / f"{name}.cfg").write_text(config)
    (folder / "Large.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n")
    (folder / "counter.py").write_text(COUNTER)
    (outside / "Secret.tla").write_text(RING.replace("MODULE Ring", "MODULE Secret"))
    (outside / "Secret.cfg").write_text(config)
    (folder / "Linked.tla").symlink_to(outside / "Secret.tla")
    (folder / "up").symlink_to(outside)
    (folder / "Below.tla").write_text("---- MODULE Below ----\nEXTENDS Secret\n====\n")
    return folder


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="module")
def client(folder: Path, portal: BlockingPortal) -> Iterator[Any]:
    """A session with one server, which all tests share."""
    command = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "leadline", "mcp", "--timeout", "120", "--memory", "3000"],
        cwd=folder,
    )
    with portal.wrap_async_context_manager(mcp.Client(mcp.stdio_client(command))) as client:
        yield client


@pytest.fixture(scope="module")
def call(client: Any, portal: BlockingPortal) -> Call:
    """Calls a tool: the answer, which is an error where it has one."""

    def called(tool: str, **arguments: object) -> Any:
        result = portal.call(client.call_tool, tool, arguments)
        answer = result.structured_content
        assert result.is_error == ("error" in answer)
        assert json.loads(result.content[0].text) == answer
        return answer

    return called


def confine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Confine this process to a folder, but not the fork server, which outlives the test."""
    start_server()
    monkeypatch.setenv(CONFINED, str(folder))
    monkeypatch.chdir(folder)


@pytest.fixture
def local(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls a tool in this process, which has loaded all that it needs."""
    confine(folder, monkeypatch)

    def called(tool: str, **arguments: object) -> Any:
        return json.loads(json.dumps(job.answered(job.Asked(tool, arguments, False, lambda _: None))))

    return called


def test_the_tools_say_what_they_take(client: Any, portal: BlockingPortal) -> None:
    listed = portal.call(client.list_tools).tools
    assert [one.name for one in listed] == list(job.TOOLS)
    for one in listed:
        Draft202012Validator.check_schema(one.input_schema)
        assert one.description and one.input_schema["additionalProperties"] is False
        assert all(about["description"] for about in one.input_schema["properties"].values())
        assert one.annotations.read_only_hint == ("save" not in one.input_schema["properties"])
    (timeout,) = {one.input_schema["properties"].get("timeout", {}).get("maximum") for one in listed[1:]}
    assert timeout == 120
    assert "list_protocols" in client.instructions


def test_protocols_are_listed_and_shown(local: Call) -> None:
    listed = local("list_protocols")
    assert {"protocol": "Ring.tla", "config": "Ring.cfg"} in listed["modules"]
    assert "two-phase-commit" in {one["protocol"] for one in listed["built_in"]}
    assert "python_files" not in listed
    shown = local("show_protocol", protocol="Ring.tla")
    assert [one["name"] for one in shown["variables"]] == ["at", "done"]
    assert {"name": "Pass", "about": "", "place": "Ring.tla:8"} in shown["actions"]
    assert shown["properties"][0]["place"] == "Ring.tla:11"
    wrong = local("show_protocol", protocol="Wrong.tla")
    assert wrong["mistakes"][0]["place"] == "Wrong.tla:7"
    assert "unknown operator `att`" in wrong["mistakes"][0]["text"]


def test_a_violation_is_told_saved_explained_and_stood_in(call: Call, local: Call, folder: Path) -> None:
    found = call("check", protocol="Ring.tla", save="few.json")
    result, deadlock = found["results"]
    assert (result["verdict"], result["judgement"], result["steps"]) == ("violated", "failed", 2)
    assert (deadlock["property"], deadlock["judgement"]) == ("deadlock", "passed")
    run = result["counterexample"]
    assert run["steps"][2] == {"step": 2, "action": "Pass(i = 1)", "changes": ["at = 2", "done: added {1}"]}
    assert run["why"][0] == "Few is false."
    assert found["saved"] == "few.json" and (folder / "few.json").is_file()
    assert "is there already" in local("check", protocol="Ring.tla", save="few.json")["error"]
    explained = local("explain", protocol="Ring.tla", trace="few.json", step=1)
    assert explained["steps"] == run["steps"] and explained["why"] == run["why"]
    assert explained["state"] == {"step": 1, "values": ["at = 1", "done = {0}"]}
    there = local(
        "evaluate",
        protocol="Ring.tla",
        trace="few.json",
        step=1,
        take=[1],
        expressions=["M == at + 1", "M * 10", "at +", "Few"],
        why=["Reset", "Pass", "Pas"],
    )
    assert there["run"] == ["Init", "Pass(i = 0)", "Pass(i = 1)"]
    assert there["possible_steps"] == [{"step": "Pass(i = 2)", "changes": ["at = 0", "done: added {2}"]}]
    values = there["values"]
    assert values["M * 10"] == {"value": "30"} and values["Few"] == {"value": "FALSE"}
    assert values["M == at + 1"] == {"defined": True} and "unfinished" in values["at +"]["error"]
    assert there["why"]["Pass"] == [{"step": "Pass(i = 2)", "possible": True, "because": []}]
    assert "its guard `done = {0, 1, 2}` is false" in there["why"]["Reset"][0]["because"][0]
    assert "did you mean" in there["why"]["Pas"]["error"]


def test_parameters_properties_and_other_questions(local: Call) -> None:
    found = local("explore", protocol="Ring.tla", parameters={"N": 2}, invariants=["Few"], count_values=True)
    assert found["facts"]["values"]["at"]["distinct"] == 2
    assert found["results"][0]["verdict"] == "violated"
    assert "has no constant `M`" in local("explore", protocol="Ring.tla", parameters={"M": 2})["error"]
    proved = local(
        "prove", protocol="two-phase-commit", property="consistency", parameters={"tm_may_fail": False}
    )
    assert proved["results"][0]["verdict"] == "proved"
    runs = local("simulate", protocol="two-phase-commit", runs=20)
    assert runs["facts"]["runs"] == 20 and "not-committed" in runs["facts"]["probes"]
    nearest = local("evaluate", protocol="Ring.tla", find="done = {0, 1, 2}")
    assert nearest["after_steps"] == 3
    assert "not true in any state" in local("evaluate", protocol="Ring.tla", find="at = 7")["error"]


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("check", {"protocol": "../Secret.tla"}, "outside of"),
        ("check", {"protocol": "up/Secret.tla"}, "outside of"),
        ("check", {"protocol": "Linked.tla"}, "outside of"),
        ("check", {"protocol": "Below.tla", "folders": [".."]}, "Secret"),
        ("check", {"protocol": "Below.tla", "folders": ["up"]}, "Secret"),
        ("check", {"protocol": "Ring.tla", "config": "../Secret.cfg"}, "outside of"),
        ("explain", {"protocol": "Ring.tla", "trace": "/etc/passwd"}, "outside of"),
        ("explain", {"protocol": "Ring.tla", "trace": "/dev/zero"}, "outside of"),
        ("check", {"protocol": "Ring.tla", "save": "../new.json"}, "in the server's folder"),
        ("check", {"protocol": "Ring.tla", "save": "up/new.json"}, "in the server's folder"),
        ("check", {"protocol": "Ring.tla", "save": "new.tla"}, "a new .json file"),
        ("check", {"protocol": "counter.py"}, "leadline mcp --python"),
        ("check", {"protocol": "../../counter.py:Counter"}, "leadline mcp --python"),
        ("evaluate", {"protocol": "two-phase-commit", "expressions": ["1"]}, "leadline mcp --python"),
        (
            "evaluate",
            {"protocol": "two-phase-commit", "find": "open('/etc/passwd')"},
            "leadline mcp --python",
        ),
        ("check", {"protocol": "nothing"}, "nothing"),
        (
            "check",
            {"protocol": "two-phase-commit", "config": "x.cfg"},
            "config is for the path of a TLA+ module",
        ),
        ("evaluate", {"protocol": "Ring.tla", "find": "at = 1", "initial": 1}, "give one of them"),
        ("evaluate", {"protocol": "Ring.tla", "take": [2]}, "a number in 1..1 is needed"),
    ],
)
def test_what_is_refused(
    tool: str, arguments: dict[str, Any], complaint: str, local: Call, folder: Path
) -> None:
    assert complaint in local(tool, **arguments)["error"]
    assert not {"new.json", "new.tla"} & {path.name for path in folder.parent.rglob("new.*")}


def test_a_constant_may_be_a_truth_value_of_json(local: Call, folder: Path) -> None:
    text = "CONSTANT On\nVARIABLE x\nInit == x = FALSE\nNext == x' = On\nOff == x = FALSE"
    (folder / "Switch.tla").write_text(f"---- MODULE Switch ----\n{text}\n====\n")
    (folder / "Switch.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Off\nCONSTANT On = FALSE\n")
    found = [local("explore", protocol="Switch.tla", parameters={"On": on}) for on in (True, False)]
    assert [one["results"][0]["verdict"] for one in found] == ["violated", "safe"]


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("check", {"protocol": "Ring.tla", "timeout": 121}, "121 is greater than the maximum of 120"),
        ("check", {"protocol": "Ring.tla", "deep": 1}, "'deep' was unexpected"),
        ("check", {}, "'protocol' is a required property"),
        ("list_protocols", {"folder": "/"}, "'folder' was unexpected"),
        ("destroy", {}, "there is no tool destroy"),
    ],
)
def test_calls_that_do_not_fit_their_schema(
    tool: str, arguments: dict[str, Any], complaint: str, call: Call
) -> None:
    assert complaint in call(tool, **arguments)["error"]


def test_nothing_outside_is_read_through_the_server(call: Call) -> None:
    assert "outside of" in call("check", protocol="up/Secret.tla")["error"]


@pytest.mark.slow
def test_a_search_ends_at_its_limit(call: Call) -> None:
    found = call("explore", protocol="Large.tla", timeout=1)
    assert found["results"][0]["verdict"] == "unknown" and "time" in found["facts"]["stopped"]


def with_mark(folder: Path) -> list[str]:
    """The processes that are confined to a folder."""
    mark = f"{CONFINED}={folder}".encode()
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (one / "environ").read_bytes().split(b"\0"):
                found.append(one.name)
        except OSError:
            continue
    return found


def test_a_cancelled_call_ends_its_processes(client: Any, portal: BlockingPortal, folder: Path) -> None:
    told: list[str] = []
    before = set(with_mark(folder))  # other tests ask in this process

    async def cancelled() -> None:
        with anyio.CancelScope() as scope:

            async def progress(count: float, total: float | None, message: str | None) -> None:
                told.append(str(message))
                scope.cancel()

            arguments = {"protocol": "Large.tla", "timeout": 100}
            await client.call_tool("check", arguments, progress_callback=progress)

    portal.call(cancelled)
    assert told and "state" in told[0]
    until = time.monotonic() + 30
    while (left := set(with_mark(folder)) - before) and time.monotonic() < until:
        portal.call(anyio.sleep, 0.05)
    assert not left


def test_python_runs_where_it_is_allowed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Allowed] = []
    monkeypatch.setattr("leadline.symbolic.serve.mcp.serve", started.append)
    confine(folder, monkeypatch)
    assert main(["mcp", "--python", "--timeout", "9"]) == main(["mcp"]) == 0
    allowed, not_allowed = started
    assert (allowed.python, allowed.seconds, allowed.folder) == (True, 9, folder)
    assert (not_allowed.python, not_allowed.seconds) == (False, 600)
    arguments = {"protocol": "counter.py", "find": "count == 2", "expressions": ["count + 1"]}
    there = job.answered(job.Asked("evaluate", arguments, True, lambda _: None))
    assert (there["after_steps"], there["values"]) == (2, {"count + 1": {"value": "3"}})
    listed = job.answered(job.Asked("list_protocols", {}, True, lambda _: None))
    assert listed["python_files"] == ["counter.py"]


def test_the_page_shows_real_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for step in steps((DOCS / "how-to" / "debug.md").read_text(encoding="utf-8")):
        if isinstance(step, File):
            (tmp_path / step.name).write_text(step.text)
    confine(tmp_path, monkeypatch)
    shown = blocks((DOCS / "how-to" / "agents.md").read_text(encoding="utf-8"))
    objects = [json.loads(text) for _, text in shown if text.startswith("{")]
    _, asked, found, asked_there, there = objects
    answer = job.answered(job.Asked("check", asked, False, lambda _: None))
    assert {name: answer[name] for name in found} == found
    assert job.answered(job.Asked("evaluate", asked_there, False, lambda _: None)) == there


def test_answers_are_bounded() -> None:
    answer = {"results": [{"text": "x" * 9_000, "list": list(range(9_000))} for _ in range(40)]}
    found = job.bounded(answer)
    assert len(json.dumps(found)) <= job.LARGEST
    assert "more)" in str(found["results"][-1]) and "more characters" in str(found)
    assert job.bounded({"few": [1, 2]}) == {"few": [1, 2]}


def test_limits_have_a_maximum() -> None:
    (check,) = [one for one in tools(Allowed(Path(), seconds=30, megabytes=500)) if one.name == "check"]
    limits = check.input_schema["properties"]
    assert limits["timeout"]["maximum"] == 30 and "Default: 30" in limits["timeout"]["description"]
    assert limits["memory"]["maximum"] == 500 and "Default: 500" in limits["memory"]["description"]


def test_a_process_may_be_confined_to_a_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Secret" in read_text(folder / "Linked.tla")
    monkeypatch.setenv(CONFINED, str(folder))
    assert "Ring" in read_text(folder / "Ring.tla")
    for path in (folder / "Linked.tla", folder / ".." / "Secret.tla", Path("/etc/passwd")):
        assert not is_there(path)
        with pytest.raises(UserError, match="outside of"):
            read_text(path)


WITHOUT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types", "anyio", "jsonschema"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from leadline.__main__ import main
sys.argv = ["leadline", "mcp"]
sys.exit(main())
"""


def test_without_its_packages_the_command_says_how_to_install_them() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'leadline[mcp]'" in done.stderr
    assert "Traceback" not in done.stderr
