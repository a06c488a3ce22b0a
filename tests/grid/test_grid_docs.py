"""The page on grid files says what is so."""

import re
from pathlib import Path

import pytest

from leadline.symbolic import conditions
from leadline.symbolic.cli import main
from leadline.symbolic.grid.gridfile import _KEYS
from leadline.symbolic.grid.plan import plan

PAGE = (Path(__file__).parents[2] / "docs" / "grid-files.md").read_text(encoding="utf-8")
GRIDS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
ANSWERS = re.findall(r"```\n(?:\$ [^\n]*\n)?((?:protocol  |the grid has).*?)```", PAGE, re.DOTALL)


def as_shown(shown: str, told: str) -> bool:
    """Whether a text is as the page shows it: `...` there stands for anything."""
    return re.match(".*".join(map(re.escape, shown.split("..."))), told, re.DOTALL) is not None


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_examples(
    number: int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(GRIDS) == len(ANSWERS) == 3
    Path("commit.toml").write_text(GRIDS[number])
    code = main(["grid", "commit.toml", "--plan"])
    out, err = capsys.readouterr()
    assert (code, as_shown(ANSWERS[number], out or err.removeprefix("leadline: "))) == (
        (0, 0, 2)[number],
        True,
    )


def test_every_key_is_documented() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(_KEYS)


def test_the_grammar_is_the_parsers() -> None:
    assert conditions.__doc__ is not None
    grammar = conditions.__doc__.split("\n\n")[1]
    assert re.sub(r"^    ", "", grammar, flags=re.MULTILINE) in PAGE


def test_the_formula(folder: Path) -> None:
    Path("commit.toml").write_text(GRIDS[0])
    formula = plan(Path("commit.toml")).layers[0]
    assert f"`{formula.expression}`" in PAGE
