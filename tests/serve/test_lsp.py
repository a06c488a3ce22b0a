"""The language server, asked by its protocol."""

import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.serve.client import PATIENCE, Client
from tests.serve.files import BASE, CONFIG, OTHER, PROTOCOL, TOP, at, place, written

HALF = "---- MODULE Half ----\nVARIABLE x\nInit == x =\nNext == x' = x\nLast(a, b) == a\n====\n"

WITHOUT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pygls", "lsprotocol"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from leadline.__main__ import main
sys.argv = ["leadline", "lsp"]
sys.exit(main())
"""


def test_without_its_packages_the_command_says_how_to_install_them() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'leadline[lsp]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_mistake_is_told_as_one_types(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "Half.tla", HALF)
    (mistake,) = client.mistakes(uri, 1)
    assert mistake["range"]["start"]["line"] == 3
    assert "unfinished" in mistake["message"]
    client.change(uri, 2, HALF.replace("x =\n", "x = 0\n"))
    assert client.mistakes(uri, 2) == []


def test_all_mistakes_are_told_and_the_rest_of_the_outline_survives(client: Client, tmp_path: Path) -> None:
    text = HALF.replace("== a\n", "== c + (\nMore == Next(1)\nEnd == x\n")
    uri = client.open(tmp_path / "Half.tla", text)
    lines = [one["range"]["start"]["line"] for one in client.mistakes(uri, 1)]
    assert lines == [3, 5, 5]  # two unfinished definitions, and arguments of Next
    (module,) = client.ask("textDocument/documentSymbol", textDocument={"uri": uri})
    names = [one["name"] for one in module["children"]]
    assert names == ["x", "Init", "Next", "Last", "More", "End"]
    assert module["children"][3]["detail"] == "Last(a, b)"


def test_places_count_utf_16_and_line_ends_of_any_kind(client: Client, tmp_path: Path) -> None:
    text = '---- MODULE Wide ----\r\nA == "😀😀" = Missing\r\nB == A\r\n====\r\n'
    uri = client.open(tmp_path / "Wide.tla", text)
    (mistake,) = client.mistakes(uri, 1)
    assert mistake["range"] == {"start": {"line": 1, "character": 14}, "end": {"line": 1, "character": 21}}
    found = client.ask("textDocument/definition", **at(uri, text.replace("\r", ""), "A\n===="))
    assert place(found) == ("Wide.tla", 1, 0)


def part(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    """A change within a line."""
    about = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    return {"range": about, "text": text}


def test_changes_of_parts_count_utf_16_and_the_line_ends_of_the_protocol(
    client: Client, tmp_path: Path
) -> None:
    # A form feed and a line separator end no line.
    uri = client.open(
        tmp_path / "Wide.tla",
        '---- MODULE Wide ----\r\n\\* \f\u2028\rA == "😀😀" = "x"\r\nB == A\r\n====\r\n',
    )
    assert client.mistakes(uri, 1) == []
    about = {"uri": uri, "version": 2}
    changes = [part(2, 14, 17, "Missing"), part(3, 5, 99, "Gone")]
    client.tell("textDocument/didChange", textDocument=about, contentChanges=changes)
    assert [one["range"]["start"] for one in client.mistakes(uri, 2)] == [
        {"line": 2, "character": 14}, {"line": 3, "character": 5},
    ]  # fmt: skip
    client.change(uri, 3, "---- MODULE Wide ----\n====\n")
    about = {"uri": uri, "version": 4}
    client.tell("textDocument/didChange", textDocument=about, contentChanges=[part(1, 0, 0, "A == 1\n")])
    assert client.mistakes(uri, 4) == []
    (module,) = client.ask("textDocument/documentSymbol", textDocument={"uri": uri})
    assert [one["name"] for one in module["children"]] == ["A"]


def test_a_place_behind_the_text_and_a_file_that_is_gone(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "Gone.tla"
    path.write_text("---- MODULE Gone ----\nA == 1\n====\n")
    uri = client.open(path)
    assert client.mistakes(uri, 1) == []
    path.unlink()
    client.change(uri, 2, "---- MODULE Gone ----\nA == B\n====\n")
    assert len(client.mistakes(uri, 2)) == 1
    far = {"textDocument": {"uri": uri}, "position": {"line": 99, "character": 99}}
    assert client.ask("textDocument/definition", **far) is None
    assert "A" in {one["label"] for one in client.ask("textDocument/completion", **far)}
    nowhere = {**far, "textDocument": {"uri": (tmp_path / "Nowhere.tla").as_uri()}}
    assert client.ask("textDocument/hover", **nowhere) is None


@pytest.mark.slow
def test_points_of_code_are_counted_where_the_editor_offers_it(tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="the extra leadline[lsp] is not installed")
    own = Client({"general": {"positionEncodings": ["utf-32"]}})
    assert own.about["capabilities"]["positionEncoding"] == "utf-32"
    uri = own.open(tmp_path / "Wide.tla", '---- MODULE Wide ----\nA == "😀😀" = Missing\n====\n')
    (mistake,) = own.mistakes(uri, 1)
    assert mistake["range"]["start"]["character"] == 12
    assert own.end() == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---- MODULE A ----\nEXTENDS Nowhere\nX == Unknown\n====\n", "there is no module Nowhere"),
        ("---- MODULE A ----\nEXTENDS A\n====\n", "extends or instantiates itself"),
        ("---- MODULE A ----\nX == (* no end\n====\n", "not closed"),
        ("---- MODULE A", "expected `---- MODULE name ----`"),
    ],
)
def test_a_module_that_cannot_be_loaded_has_one_mistake(
    client: Client, tmp_path: Path, text: str, message: str
) -> None:
    uri = client.open(tmp_path / "A.tla", text)
    (mistake,) = client.mistakes(uri, 1)
    assert message in mistake["message"]


def test_modules_that_extend_each_other(client: Client, tmp_path: Path) -> None:
    (tmp_path / "D.tla").write_text("---- MODULE D ----\nEXTENDS C\nP == 1\n====\n")
    text = "---- MODULE C ----\nEXTENDS D\nQ == P\n====\n"
    uri = client.open(tmp_path / "C.tla", text)
    (mistake,) = client.mistakes(uri, 1)
    assert "C -> D -> C" in mistake["message"]
    assert place(client.ask("textDocument/definition", **at(uri, text, "P\n"))) == ("D.tla", 2, 0)


def test_a_mistake_in_another_file_is_told_where_its_module_is_named(client: Client, tmp_path: Path) -> None:
    (tmp_path / "Bad.tla").write_text("---- MODULE Bad ----\nP == (\n====\n")
    uri = client.open(tmp_path / "Good.tla", "---- MODULE Good ----\nEXTENDS Bad\nQ == P\n====\n")
    (mistake,) = client.mistakes(uri, 1)
    assert mistake["range"]["start"] == {"line": 1, "character": 8}
    assert "Bad.tla:3:1" in mistake["message"]


def test_a_configuration_of_another_module_names_what_is_not_there(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    uri = client.open(tmp_path / "Base.cfg", CONFIG.replace("Small", "Smal\nPROPERTY Typo"))
    lines = [one["range"]["start"]["line"] for one in client.mistakes(uri, 1)]
    assert lines == [3, 4]
    alone = client.open(tmp_path / "alone.cfg", "INIT Init\nINVARIANT\nBOUND 1\n")
    (mistake,) = client.mistakes(alone, 1)
    assert "expected a name" in mistake["message"]


def test_the_text_in_the_editor_counts(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    top = client.open(tmp_path / "Top.tla")
    assert client.mistakes(top, 1) == []
    base = client.open(tmp_path / "Base.tla", BASE.replace("Small", "Little"))
    (mistake,) = client.mistakes(top, 1)
    assert "unknown operator `Small`" in mistake["message"]
    client.tell("textDocument/didClose", textDocument={"uri": base})
    assert client.mistakes(top, 1) == []


def test_a_name_leads_to_its_definition_and_its_uses(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    top = client.open(tmp_path / "Top.tla")
    other = client.open(tmp_path / "Other.tla")
    assert place(client.ask("textDocument/definition", **at(top, TOP, "Small"))) == ("Base.tla", 12, 0)
    assert place(client.ask("textDocument/definition", **at(other, OTHER, "B!", 2))) == ("Base.tla", 12, 0)
    assert place(client.ask("textDocument/definition", **at(other, OTHER, "B!"))) == ("Other.tla", 2, 0)
    assert place(client.ask("textDocument/definition", **at(other, OTHER, "N <-"))) == ("Base.tla", 2, 9)
    assert place(client.ask("textDocument/definition", **at(top, TOP, "Base"))) == ("Base.tla", 0, 12)
    asked = at(top, TOP, "Small")
    found = client.ask("textDocument/references", **asked, context={"includeDeclaration": True})
    assert sorted(map(place, found)) == [
        ("Base.cfg", 3, 18), ("Base.tla", 12, 0), ("Base.tla", 14, 16), ("Base.tla", 15, 13),
        ("Other.tla", 4, 19), ("Top.tla", 2, 8),
    ]  # fmt: skip
    found = client.ask("textDocument/references", **asked, context={"includeDeclaration": False})
    assert ("Base.tla", 12, 0) not in map(place, found)


def test_hover_shows_the_definition_the_comment_and_the_type_in_runs(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    uri = client.open(tmp_path / "Base.tla")

    def shown(words: str, within: int = 0) -> str:
        return str(client.ask("textDocument/hover", **at(uri, BASE, words, within))["contents"]["value"])

    assert "Step(n) == x < N" in shown("Step(n)\n")
    assert "One step\nfurther." in shown("Step(n)\n")
    assert "Begin at zero." in shown("Init =>")
    assert "how far it went" in shown("x = 0")
    assert "standard module Naturals" in shown("Naturals")
    client.wait(lambda one: f"{tmp_path}/Base.tla: the types of 1" in str(one))
    assert "in runs: `x \\in 0..4`" in shown("x = 0")


@pytest.mark.parametrize(
    ("line", "offered", "missing"),
    [
        ("Z == ", {"x", "Step", "Next", "Nat", "N", "IF"}, {"left", "Len"}),
        ("Z(width) == \\E d \\in 1..2 : d + wi", {"width", "d"}, set()),
        ("Z == B!", {"Small", "Init"}, {"Far"}),
        ("Z == Point.", {"left", "right"}, {"x"}),
        ("Z == \\", {"\\in", "\\cup"}, {"x"}),
        ("LOCAL INSTANCE ", {"Sequences", "Top", "SequencesExt"}, {"x"}),
    ],
)
def test_completion(client: Client, tmp_path: Path, line: str, offered: set[str], missing: set[str]) -> None:
    written(tmp_path)
    text = OTHER.replace("VARIABLE y", "EXTENDS Base\nVARIABLE y").replace("Init == y = 0\n", "")
    text = text.replace("====\n", f"{line}\n====\n")
    uri = client.open(tmp_path / "Other.tla", text)
    found = client.ask("textDocument/completion", **at(uri, text, line, len(line)))
    names = {one["label"] for one in found}
    assert offered <= names
    assert not missing & names
    client.tell("textDocument/didClose", textDocument={"uri": uri})


def renamed(client: Client, uri: str, text: str, words: str, new: str) -> dict[str, list[tuple[int, int]]]:
    """The places that a renaming changes, by file."""
    found = client.ask("textDocument/rename", **at(uri, text, words), newName=new)
    return {
        uri.rpartition("/")[2]: [
            (x["range"]["start"]["line"], x["range"]["start"]["character"]) for x in edits
        ]
        for uri, edits in found["changes"].items()
    }


def test_a_name_is_changed_in_all_files(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    uri = client.open(tmp_path / "Base.tla")
    assert renamed(client, uri, BASE, "Small", "Little") == {
        "Base.cfg": [(3, 18)], "Base.tla": [(12, 0), (14, 16), (15, 13)],
        "Other.tla": [(4, 19)], "Top.tla": [(2, 8)],
    }  # fmt: skip
    assert renamed(client, uri, BASE, "n \\in", "m") == {"Base.tla": [(11, 11), (11, 29)]}
    assert "Other.tla" in renamed(client, uri, BASE, "Small", "Big")  # B!Big is another one than Big
    # Other has an Init of its own, which is another one.
    assert "Other.tla" not in renamed(client, uri, BASE, "Init", "Begin")


def test_a_name_after_tabs_is_changed_where_it_is(client: Client, tmp_path: Path) -> None:
    text = "---- MODULE Tabs ----\nVARIABLE\tx\nInit ==\t/\\\tx = 0\n\t/\\ 0 =\tx\n====\n"
    uri = client.open(tmp_path / "Tabs.tla", text)
    assert renamed(client, uri, text, "x = 0", "y") == {"Tabs.tla": [(1, 9), (2, 11), (3, 8)]}


@pytest.mark.parametrize(
    ("words", "new", "reason"),
    [
        ("Small", "Next", "declared already, at Base.tla:12"),
        ("Small", "Far", "declared already, at Top.tla:3"),
        ("Small", "n", "is bound at Base.tla"),
        ("Step(n)\n", "Far", "declared already, at Top.tla:3"),
        ("Small", "Nat", "standard operator"),
        ("Small", "IF", "is no name"),
        ("Small", "a b", "is no name"),
        ("Naturals", "M", "declared in no file"),
        ("Base", "M", "rename the file"),
    ],
)
def test_a_name_that_cannot_be_changed_is_refused(
    client: Client, tmp_path: Path, words: str, new: str, reason: str
) -> None:
    written(tmp_path)
    uri = client.open(tmp_path / "Base.tla")
    with pytest.raises(RuntimeError, match=reason):
        renamed(client, uri, BASE, words, new)


def test_a_name_that_an_instance_takes_silently_is_refused(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    text = "---- MODULE Third ----\nCONSTANT N\nVARIABLE x\nINSTANCE Base\n====\n"
    uri = client.open(tmp_path / "Third.tla", text)
    with pytest.raises(RuntimeError, match="write `WITH x <- x` first"):
        renamed(client, uri, text, "x\nINST", "z")


def test_a_check_tells_the_verdict_and_the_steps_at_their_actions(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    uri = client.open(tmp_path / "Base.tla")
    assert client.mistakes(uri, 1) == []
    asked = {"textDocument": {"uri": uri}}
    lenses = client.ask("textDocument/codeLens", **asked)
    assert [(one["range"]["start"]["line"], one["command"]["title"]) for one in lenses] == [
        (12, "check"), (12, "prove"), (13, "check"), (13, "prove"),
    ]  # fmt: skip
    assert client.ask("workspace/executeCommand", **lenses[0]["command"])["verdict"] == "violated"
    (failure,) = client.mistakes(uri, 1)
    assert failure["range"]["start"] == {"line": 12, "character": 0}
    assert "Small: violated in" in failure["message"]
    steps = [one["message"] for one in failure["relatedInformation"]]
    assert steps[0].startswith("0  Init\nx = 0")
    assert "x = 3" in steps[-1] or "x = 4" in steps[-1]
    told = [one["command"]["title"] for one in client.ask("textDocument/codeLens", **asked)]
    assert told[2].startswith("violated in")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = client.ask("textDocument/inlayHint", **asked, range=whole)
    assert hints[0]["label"] == "Small: step 0"
    assert hints[0]["position"] == {"line": 6, "character": 13}
    assert len(hints) == 2
    client.change(uri, 2, BASE.replace("x < 3", "x < 9"))
    assert client.mistakes(uri, 2) == []
    assert client.ask("workspace/executeCommand", **lenses[0]["command"]) is None  # it is not saved
    message = client.wait(lambda one: one.get("method") == "window/showMessage" and "save" in str(one))
    assert "save Base.tla first" in message["params"]["message"]


def test_a_check_of_a_module_tells_of_those_that_it_extends(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "Top.cfg").write_text(CONFIG.replace("TypeOK ", ""))
    base, config = client.open(tmp_path / "Base.tla"), client.open(tmp_path / "Top.cfg")
    assert client.mistakes(base, 1) == client.mistakes(config, 1) == []
    check, _ = client.ask("textDocument/codeLens", textDocument={"uri": config})
    assert check["range"]["start"] == {"line": 3, "character": 11}
    assert client.ask("workspace/executeCommand", **check["command"])["verdict"] == "violated"
    while not (told := client.mistakes(base, 1)):
        pass  # the module was looked at again when its configuration was opened
    assert told[0]["range"]["start"]["line"] == 12
    assert client.mistakes(config, 1) == []
    client.tell("textDocument/didClose", textDocument={"uri": base})
    client.tell("textDocument/didClose", textDocument={"uri": config})


def test_of_thirty_changes_at_once_the_last_is_answered(client: Client, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "Half.tla", HALF)
    for version in range(2, 32):
        client.change(uri, version, HALF.replace("x =\n", "x = 0\n") if version == 31 else HALF)
    client.kept.clear()
    assert client.mistakes(uri, 31) == []
    told = [one["params"] for one in client.kept if one.get("method") == "textDocument/publishDiagnostics"]
    versions = [one["version"] for one in told if one["uri"] == uri]
    assert versions == sorted(set(versions))  # no change is answered after a later one, nor twice


def test_names_are_answered_while_mistakes_of_a_large_module_are_looked_for(
    client: Client, tmp_path: Path
) -> None:
    small = client.open(tmp_path / "Half.tla", HALF)
    client.mistakes(small, 1)
    asked = {"textDocument": {"uri": small}}
    assert client.ask("textDocument/documentSymbol", **asked)
    body = "".join(f"A{i}(n) == x' = x + n /\\ n < {i}\n" for i in range(6000))
    text = f"---- MODULE Large ----\nEXTENDS Naturals\nVARIABLE x\n{body}====\n"
    large = client.open(tmp_path / "Large.tla", text)
    assert client.ask("textDocument/documentSymbol", **asked)
    assert not [x for x in client.kept if x.get("params", {}).get("uri") == large]
    # It is no longer wanted, so nobody waits for it.
    client.tell("textDocument/didClose", textDocument={"uri": large})


def test_a_protocol_in_python(client: Client, tmp_path: Path) -> None:
    written(tmp_path)
    uri = client.open(tmp_path / "count.py", PROTOCOL.replace("Int(0, 5)", "Int(0, 'five')"))
    (mistake,) = client.mistakes(uri, 1)
    assert mistake["range"]["start"]["line"] == 9
    client.change(uri, 2, PROTOCOL.replace("= 0", "="))
    (mistake,) = client.mistakes(uri, 2)
    assert mistake["range"]["start"]["line"] == 12
    client.change(uri, 3, PROTOCOL)
    assert client.mistakes(uri, 3) == []
    client.tell("textDocument/didSave", textDocument={"uri": uri})
    assert client.mistakes(uri, 3) == []
    check, prove = client.ask("textDocument/codeLens", textDocument={"uri": uri})
    assert check["range"]["start"]["line"] == 20
    assert client.ask("workspace/executeCommand", **prove["command"])["verdict"] == "violated"
    (failure,) = client.mistakes(uri, 3)
    assert failure["range"]["start"] == {"line": 21, "character": 4}
    assert place(failure["relatedInformation"][-1]["location"]) == ("count.py", 15, 8)


def test_a_setting_of_another_type_is_left_out() -> None:
    pytest.importorskip("pygls", reason="the extra leadline[lsp] is not installed")
    own = Client(options={"timeout": "soon", "path": [3], "memory": 1000})
    told = [one["params"]["message"] for one in own.kept if one["method"] == "window/showMessage"]
    assert told == [
        "the setting timeout cannot be 'soon': it is left out",
        "the setting path cannot be [3]: it is left out",
    ]
    assert own.end() == 0


@pytest.mark.slow
def test_a_protocol_that_never_ends_is_ended(tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="the extra leadline[lsp] is not installed")
    own = Client(options={"loading": 1})
    uri = own.open(tmp_path / "endless.py", "import leadline\nwhile True: pass\n")
    (mistake,) = own.mistakes(uri, 1)
    assert "takes more than 1 seconds" in mistake["message"]
    # Code of others does not run, nor does a text that is being written.
    mark = tmp_path / "ran"
    uri = own.open(tmp_path / "other.py", f"open({str(mark)!r}, 'w')\n")
    assert own.mistakes(uri, 1) == []
    own.change(uri, 2, f"import leadline\nopen({str(mark)!r}, 'w')\n")
    assert own.mistakes(uri, 2) == []
    assert not mark.exists()
    assert own.end() == 0


def test_the_session_ends_its_processes(tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="the extra leadline[lsp] is not installed")
    errors = (tmp_path / "errors").open("w+b")
    own = Client(errors=errors)
    uri = own.open(tmp_path / "Half.tla", HALF)
    assert own.mistakes(uri, 1)
    assert own.ask("textDocument/documentSymbol", textDocument={"uri": uri})
    written(tmp_path)
    own.open(tmp_path / "Base.tla")
    children = Path(f"/proc/{own.process.pid}/task/{own.process.pid}/children").read_text().split()
    assert children
    ends = [os.pidfd_open(int(one)) for one in children]
    assert own.end() == 0
    for one in ends:
        assert select.select([one], [], [], PATIENCE)[0]  # it has ended, though perhaps nobody has asked how
        os.close(one)
    errors.seek(0)
    with errors:
        assert b"Traceback" not in errors.read()
