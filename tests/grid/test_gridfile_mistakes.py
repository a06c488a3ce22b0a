"""Messages about mistakes in grid files."""

from pathlib import Path

import pytest

from leadline.symbolic.cli import main
from leadline.symbolic.grid.plan import plan
from leadline.symbolic.lang import ModelError, UserError
from tests.grid.planned import mistakes, planned


def test_all_mistakes_at_once(folder: Path) -> None:
    assert mistakes(
        """
        timeout_seconds = 0
        sover = "z3"

        [[check]]
        protocol = "two-phase-comit"

        [[check]]
        protocol = "counter.py"
        properties = ["below-thre", "never-one", 3, "never-one"]
        depth = [1, -2, true]
        solver = "z4"
        deadlok = true
        memory_mb = "4"
        parameters = { top = [1, 12, true], nods = 1, nodes = [] }

        [[check]]
        deadlock = "yes"
        parameters = 3

        [[check]]
        protocol = "nowhere.py"
        """
    ) == [
        "the top of a grid file has no key `sover`: did you mean `solver`?",
        "timeout_seconds: a number above 0, at most 10000000, is needed, not 0",
        "check[1].protocol: there is no protocol `two-phase-comit`: did you mean `two-phase-commit`? "
        "(or give the path of a Python file)",
        "check[2]: a check has no key `deadlok`: did you mean `deadlock`?",
        "check[2].depth: an integer in 0..100000 is needed, not -2",
        "check[2].depth: an integer in 0..100000 is needed, not true",
        'check[2].solver: there is no solver "z4": choose of z3, cadical',
        'check[2].memory_mb: an integer in 1..1073741824 is needed, not "4"',
        "check[2].parameters.top: top must be 1..9, and is 12",
        "check[2].parameters.top: top must be an integer, and is True",
        "check[2].parameters.nods: counter has no parameter `nods`: did you mean `nodes`?",
        "check[2].parameters.nodes: the list is empty: give it a value or leave the key out",
        "check[2].properties: counter has no property `below-thre`: did you mean `below-three`?",
        "check[2].properties: the name of a property is needed, not 3",
        'check[2].properties: "never-one" is given more than once: leave the others out',
        'check[3].deadlock: true or false is needed, not "yes"',
        'check[3].protocol: is missing: write protocol = "a name or a path"',
        f"check[4].protocol: {folder}/nowhere.py cannot be read: No such file or directory",
    ]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("", "nothing is asked: write a table [[check]] with a protocol"),
        ("check = 3", "check: an array of tables is needed: write [[check]]"),
        ("[check]\nprotocol = 1", "check: an array of tables is needed: write [[check]]"),
        ("[[check]]\nprotocol = 1", 'check[1].protocol: must be text, and is 1: write protocol = "a name or'),
        (
            '[[check]]\nprotocol = "counter.py"\nparameters = 3',
            "check[1].parameters: a table is needed, not 3: write parameters = { name = value }",
        ),
        (
            '[[check]]\nprotocol = "counter.py"\ntimeout_seconds = nan',
            "check[1].timeout_seconds: a number above 0, at most 10000000, is needed, not NaN",
        ),
        (
            '[[check]]\nprotocol = "counter.py"\ndepth = 1979-05-27',
            'check[1].depth: an integer in 0..100000 is needed, not "1979-05-27"',
        ),
    ],
)
def test_one_mistake(text: str, mistake: str, folder: Path) -> None:
    (told,) = mistakes(text)
    assert told.startswith(mistake)


def test_too_many_combinations(folder: Path) -> None:
    many = f"parameters = {{ nodes = {list(range(1, 100_003))} }}"
    assert mistakes(f'[[check]]\nprotocol = "counter.py"\n{many}') == [
        "check[1].parameters: 100002 combinations are more than 100000: split the table"
    ]


def test_mistakes_of_the_protocol_are_told_once(folder: Path) -> None:
    path = folder / "counter.py"
    text = path.read_text()
    path.write_text(text.replace("start.count = 0", "start.count = True"))
    line = text.partition("start.count = 0")[0].count("\n") + 1
    grid = '[[check]]\nprotocol = "counter.py"\nparameters = { top = [1, 2, 3] }'
    with pytest.raises(ModelError) as caught:
        planned(grid)
    (found,) = caught.value.mistakes
    assert found.span.line == line
    assert found.text.endswith("(at top = 1)")
    assert main(["grid", "grid.toml"]) == 150
    # The file's own mistakes come first: they are the user's to mend before any model is looked at.
    told = mistakes(f"{grid}\ndepth = -1")
    assert [one.partition(":")[0] for one in told] == ["check[1].depth"]
    told = mistakes(f'{grid}\n[[check]]\nprotocol = "nowhere"')
    assert sum(f"counter.py:{line}: " in one for one in told) == 1
    assert len(told) == 2


def test_a_protocol_that_does_not_load_is_a_mistake_in_the_model(folder: Path) -> None:
    (folder / "counter.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(ModelError, match=r"counter\.py:1: .*nothing_of_this_name"):
        planned('[[check]]\nprotocol = "counter.py"')


PLACED = """
timeout_seconds = 60
seeds = 3

[[check]]
protocol = "counter.py"
"depth" = -2  # no depth = -2
parameters = { nodes = -1, top = 99 }

[[check]]
protocol = "counter.py"
deadlok = true
[check.parameters]
top = 99

[[check]]
protocol = "nowhere"
constraints = ["nodes <"]
"""


def test_mistakes_show_their_lines(folder: Path) -> None:
    with pytest.raises(UserError) as caught:
        planned(PLACED)
    lines = str(caught.value).splitlines()
    found = [
        (one.split(":")[1], line[6:], carets[6:])
        for one, line, carets in zip(lines, lines[1:], lines[2:], strict=False)
        if "^" in carets
    ]
    assert found == [
        ("3", "seeds = 3", "^^^^^"),
        ("7", '"depth" = -2  # no depth = -2', " ^^^^^"),
        ("8", "parameters = { nodes = -1, top = 99 }", " " * 15 + "^^^^^"),
        ("8", "parameters = { nodes = -1, top = 99 }", " " * 27 + "^^^"),
        ("12", "deadlok = true", "^^^^^^^"),
        ("14", "top = 99", "^^^"),
        ("17", 'protocol = "nowhere"', "^^^^^^^^"),
    ]


def test_a_line_that_is_not_certain_is_not_shown(folder: Path) -> None:
    with pytest.raises(UserError, match=r"\n  grid\.toml: check\[1\]\.depth: "):
        planned('[[check]]\nprotocol = "counter.py"\ndepth = -2\nsolver = "depth ="')


def test_files_that_are_no_grids(folder: Path) -> None:
    with pytest.raises(UserError) as caught:
        planned("seed = 1\ndepth = 1ä2\n")
    assert str(caught.value).splitlines() == [
        "grid.toml:2: this is not TOML: Expected newline or end of document after a statement",
        "      depth = 1ä2",
        "               ^",
    ]
    with pytest.raises(UserError, match=r"nowhere\.toml cannot be read: No such file"):
        plan(Path("nowhere.toml"))
    Path("latin.toml").write_bytes(b'protocol = "\xe9"')
    with pytest.raises(UserError, match=r"latin\.toml:1 is no text in UTF-8"):
        plan(Path("latin.toml"))


def test_paths_are_relative_to_the_grid_file(folder: Path) -> None:
    Path("grids").mkdir()
    (folder / "counter.py").rename("grids/counter.py")
    found = planned('[[check]]\nprotocol = "counter.py:Counter"', "grids/grid.toml")
    assert found.queries[0].source == str(folder / "grids" / "counter.py")


def test_nothing_in_the_file_is_evaluated(folder: Path) -> None:
    evil = "__import__('pathlib').Path('ran').touch()"
    assert mistakes(
        f'[[check]]\nprotocol = "counter.py"\ndepth = "{evil}"\nparameters = {{ top = "{evil}" }}'
    )
    assert not Path("ran").exists()


def test_mistakes_from_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("grid.toml").write_text("depth = -1\n")
    assert main(["grid", "grid.toml"]) == 2
    err = capsys.readouterr().err
    assert "grid.toml:1: depth: an integer in 0..100000 is needed, not -1" in err
    assert "grid.toml: nothing is asked" in err
    assert not Path("build").exists(), "nothing was begun"
