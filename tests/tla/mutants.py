"""Random mutants of modules: nothing crashes, and where exploration ends, the engines agree with it.

`python -m tests.tla.mutants --count 200 --seed 1 [--modules FOLDER]` from the root of the repository. Without a
folder the modules of `tests.tla.modules` are mutated; else those in it with a .cfg beside them, and what they use.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.catalog import find_module, model_of
from leadline.symbolic.engines import BmcOptions, Limits, Options, Query, Result, Verdict
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.facts import ExploreFacts
from leadline.symbolic.engines.explore.specifications import explore_specification
from leadline.symbolic.engines.prove.pdr import PdrOptions
from leadline.symbolic.lang import UserError
from leadline.symbolic.tla import origin
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.values.behaviour import Behaviour
from tests.tla.modules import ALL

MOST_STATES = 1_500
SECONDS = 20.0
_SWAPS = {
    "+": "-", "-": "+", "<": "<=", ">": ">=", "\\leq": "<", "=": "#", "#": "=", "\\in": "\\notin",
    "\\cup": "\\cap", "\\cap": "\\cup", "\\union": "\\", "\\A": "\\E", "\\E": "\\A", "TRUE": "FALSE",
    "FALSE": "TRUE", "/\\": "\\/", "\\/": "/\\", "=>": "/\\", "Head": "Tail", "Tail": "Head",
}  # fmt: skip
_TOKEN = re.compile(r"\\[A-Za-z]+|/\\|\\/|=>|==|<=|>=|\|->|->|<<|>>|[+\-<>=#]|\d+|\w+'?|\S")
_COMMENT = re.compile(r"\\\*.*|\(\*[\s\S]*?\*\)")
_VARIABLES = re.compile(r"\bVARIABLES?\b[^=]*")
_CONJUNCT = re.compile(r"(?m)^\s+/\\ (?!\s).*$")


@dataclass(frozen=True)
class Module:
    """A module that is mutated.

    Attributes:
        root: the module that is checked: itself, or one that uses it.
        name: its name.
        text: its text.
        config: the root's configuration.
        others: the texts of other modules, by their names.
    """

    root: str
    name: str
    text: str
    config: str
    others: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Mutant:
    """A module with one change.

    Attributes:
        module: the module as it was.
        text: the text of the mutant.
        change: the change, in words.
    """

    module: Module
    text: str
    change: str

    def __str__(self) -> str:
        return f"{self.module.name}, {self.change}"


def mutant(module: Module, chance: random.Random) -> Mutant:
    """A module with an operator, a variable, a number or a conjunct changed behind its declarations."""
    text, names = module.text, variables(module.text)
    tokens, conjuncts = sites(module)
    if conjuncts and chance.random() < 0.2:
        found = chance.choice(conjuncts)
        new = ""
    else:
        found = chance.choice(tokens)
        new = chance.choice(_others(found[0], names))
    line = text.count("\n", 0, found.start()) + 1
    changed = text[: found.start()] + new + text[found.end() :]
    return Mutant(module, changed, f"line {line}: {found[0].strip()} becomes {new or 'nothing'}")


def sites(module: Module) -> tuple[list[re.Match[str]], list[re.Match[str]]]:
    """The tokens and the conjuncts behind a module's declarations that can be changed."""
    text, names = module.text, variables(module.text)
    told = [*_COMMENT.finditer(text)]
    begin = next(x.end() for x in _VARIABLES.finditer(text) if not _within(x, told))
    tokens = [x for x in _TOKEN.finditer(text, begin) if _others(x[0], names) and not _within(x, told)]
    return tokens, [x for x in _CONJUNCT.finditer(text, begin) if not _within(x, told)]


def variables(text: str) -> list[str]:
    """The names of a module's variables."""
    plain = _COMMENT.sub("", text)
    found = re.search(r"\bVARIABLES?\s+(\w+(?:\s*,\s*\w+)*)", plain)
    return re.findall(r"\w+", found[1]) if found is not None else []


def _within(found: re.Match[str], comments: Sequence[re.Match[str]]) -> bool:
    return any(one.start() <= found.start() < one.end() for one in comments)


def _others(token: str, names: Sequence[str]) -> list[str]:
    """The tokens by which a token may be replaced."""
    if token in _SWAPS:
        return [_SWAPS[token]]
    if token.isdigit():
        return [str(int(token) + 1), str(max(0, int(token) - 1))]
    if token.rstrip("'") in names:
        tail = "'" if token.endswith("'") else ""
        return [f"{name}{tail}" for name in names if name != token.rstrip("'")] + [token.rstrip("'")] * bool(
            tail
        )
    return []


def outcome(path: Path) -> str:
    """The outcome of a mutant, in a word.

    Raises:
        AssertionError: if an engine contradicts the interpreter.
    """
    try:
        specification = Source(path).load({})
        behaviour = Behaviour(specification)
        options = ExploreOptions(max_states=MOST_STATES)
        limits = Limits(SECONDS)
        found = explore_specification(behaviour, options, limits, SILENT, deadlock=False)
    except UserError:
        return "refused"
    try:
        compared = [compare(path, one, found.out_of_bounds is not None) for one in found.results]
    except UserError:
        return "not lowered"
    if not found.told(ExploreFacts).complete:
        return "not ended"
    return "agrees" if all(compared) else "unknown"


def compare(path: Path, known: Result, beyond: bool) -> bool:
    """Have engines answer what exploration has answered; whether one of them could."""
    whole_runs = known.trace is not None and known.trace.loop is not None  # layers of loops are no steps
    if known.verdict is Verdict.VIOLATED and not beyond and not whole_runs:
        assert known.steps is not None
        one = asked(path, known.property, BmcOptions(depth=known.steps))
        if one.verdict is Verdict.UNKNOWN:
            return False
        assert (one.verdict, one.steps) == (known.verdict, known.steps), (known.property, one)
        return True
    answers = [
        asked(path, known.property, options)
        for options in (ExploreOptions(max_states=MOST_STATES), PdrOptions())
    ]
    if known.verdict in (Verdict.SAFE, Verdict.PROVED):
        allowed = {Verdict.SAFE, Verdict.PROVED, Verdict.UNKNOWN}
        assert {one.verdict for one in answers} <= allowed, (known.property, answers)
    elif whole_runs or beyond or known.verdict is Verdict.OUT_OF_BOUNDS:
        wrong = [one for one in answers if one.verdict in (Verdict.SAFE, Verdict.PROVED)]
        assert not wrong, (known.property, wrong)
    return any(one.verdict is not Verdict.UNKNOWN for one in answers)


def asked(path: Path, name: str, options: Options) -> Result:
    """An engine's answer."""
    entry = find_module(path)
    question = Asked(entry, model_of(entry, {}), Query(entry.source, {}, (name,), options, "cadical"))
    question.put(Limits(SECONDS), lambda _: None, lambda _: None)
    return question.verdicts[0]


def mutants(modules: Sequence[Module], count: int, seed: int) -> Iterator[Mutant]:
    """Random mutants."""
    chance = random.Random(seed)
    able = [one for one in modules if sites(one)[0]]
    for _ in range(count):
        yield mutant(chance.choice(able), chance)


def judged(folder: Path, one: Mutant) -> str:
    """The outcome of a mutant, which is written into a folder.

    Raises:
        AssertionError: if an engine contradicts the interpreter.
    """
    module = one.module
    for name, text in {**module.others, module.name: one.text}.items():
        (folder / f"{name}.tla").write_text(text)
    (folder / f"{module.root}.cfg").write_text(module.config)
    return outcome(folder / f"{module.root}.tla")


BUILT_IN = [Module(name, name, module, config) for name, (module, config) in ALL.items()]


def in_folder(folder: Path) -> list[Module]:
    """The modules of a folder that have a .cfg beside them or are used by such a one, and have variables."""
    texts = {path.stem: path.read_text() for path in sorted(folder.glob("*.tla")) if path.is_file()}
    found = []
    for path in sorted(folder.glob("*.cfg")):
        used, todo = set[str](), [path.stem]
        while todo:
            one = todo.pop()
            if one in texts and one not in used:
                used.add(one)
                todo += re.findall(
                    r"\w+", " ".join(re.findall(r"(?:EXTENDS|INSTANCE)\s+([\w, \n]+)", texts[one]))
                )
        changed = [name for name in sorted(used) if variables(texts[name])]
        found += [Module(path.stem, name, texts[name], path.read_text(), texts) for name in changed]
    return found


def main() -> None:
    """Mutate, and count what becomes of the mutants."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--modules", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    origin.AHEAD = 0.5
    modules = in_folder(args.modules) if args.modules is not None else BUILT_IN
    counts: Counter[str] = Counter()
    for one in mutants(modules, args.count, args.seed):
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = judged(Path(folder), one)
            except Exception as error:
                result = "WRONG" if isinstance(error, AssertionError) else "CRASH"
                print(f"{result} {one}: {type(error).__name__}: {str(error)[:600]}", flush=True)
        counts[result] += 1
        print(f"{sum(counts.values())}: {one}: {result}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
