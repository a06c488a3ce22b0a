"""Random mutants of modules: nothing crashes, and where exploration ends, the engines agree with it.

`python -m tests.tla.mutants --count 200 --seed 1 [MODULE.tla ...]` from the root of the repository. Without
modules (each with its .cfg beside it) those of `tests.tla.modules` are mutated.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.symbolic.api.asked import Asked
from leadline.symbolic.catalog import find_module, model_of
from leadline.symbolic.engines import BmcOptions, Limits, Options, Query, Result, Verdict
from leadline.symbolic.engines.explore import ExploreOptions
from leadline.symbolic.engines.provers import PdrQuery
from leadline.symbolic.engines.specifications import explore_specification
from leadline.symbolic.lang import UserError
from leadline.symbolic.tla import origin
from leadline.symbolic.tla.behaviour import Behaviour
from leadline.symbolic.tla.protocol import Source
from tests.tla.modules import ALL

MOST_STATES = 1_500
SECONDS = 20.0
_SWAPS = {
    "+": "-", "-": "+", "<": "<=", ">": ">=", "\\leq": "<", "=": "#", "#": "=", "\\in": "\\notin",
    "\\cup": "\\cap", "\\cap": "\\cup", "\\union": "\\", "\\A": "\\E", "\\E": "\\A", "TRUE": "FALSE",
    "FALSE": "TRUE", "/\\": "\\/", "\\/": "/\\", "=>": "/\\", "Head": "Tail", "Tail": "Head",
}  # fmt: skip
_TOKEN = re.compile(r"\\[A-Za-z]+|/\\|\\/|=>|==|<=|>=|\|->|->|<<|>>|[+\-<>=#]|\d+|\w+'?|\S")
_CONJUNCT = re.compile(r"(?m)^\s+/\\ (?!\s).*$")


@dataclass(frozen=True)
class Mutant:
    """A module with one change.

    Attributes:
        text: its text.
        change: the change, in words.
    """

    text: str
    change: str


def mutant(text: str, chance: random.Random) -> Mutant:
    """A module's text with an operator, a variable, a number or a conjunct changed behind its declarations."""
    begin = text.index("==", text.index("VARIABLE"))
    sites = [found for found in _TOKEN.finditer(text, begin) if _others(found[0], text)]
    conjuncts = list(_CONJUNCT.finditer(text, begin))
    if conjuncts and chance.random() < 0.2:
        found = chance.choice(conjuncts)
        new = ""
    else:
        found = chance.choice(sites)
        new = chance.choice(_others(found[0], text))
    line = text.count("\n", 0, found.start()) + 1
    changed = text[: found.start()] + new + text[found.end() :]
    return Mutant(changed, f"line {line}: {found[0].strip()} becomes {new or 'nothing'}")


def _others(token: str, text: str) -> list[str]:
    """What a token may become."""
    if token in _SWAPS:
        return [_SWAPS[token]]
    if token.isdigit():
        return [str(int(token) + 1), str(max(0, int(token) - 1))]
    names = re.findall(r"\w+", re.findall(r"VARIABLES? (.*)", text)[0])
    if token.rstrip("'") in names:
        tail = "'" if token.endswith("'") else ""
        return [f"{name}{tail}" for name in names if name != token.rstrip("'")] + [token.rstrip("'")] * bool(
            tail
        )
    return []


def outcome(path: Path) -> str:
    """What became of a mutant, in a word.

    Raises:
        AssertionError: if an engine contradicts the interpreter.
    """
    try:
        specification = Source(path).load({})
        behaviour = Behaviour(specification)
        options = ExploreOptions(max_states=MOST_STATES)
        limits = Limits(SECONDS)
        found = explore_specification(behaviour, options, limits, lambda _: None, deadlock=False)
    except UserError:
        return "refused"
    try:
        compared = [compare(path, one, found.out_of_bounds is not None) for one in found.results]
    except UserError:
        return "not lowered"
    if not found.facts["complete"]:
        return "not ended"
    return "agrees" if all(compared) else "unknown"


def compare(path: Path, known: Result, beyond: bool) -> bool:
    """Have engines answer what exploration has answered; whether one of them could."""
    if known.verdict is Verdict.VIOLATED and not beyond:
        assert known.steps is not None
        one = asked(path, known.property, BmcOptions(depth=known.steps))
        assert (one.verdict, one.steps) == (known.verdict, known.steps), (known.property, one)
        return True
    answers = [
        asked(path, known.property, options)
        for options in (ExploreOptions(max_states=MOST_STATES), PdrQuery())
    ]
    if known.verdict in (Verdict.SAFE, Verdict.PROVED):
        allowed = {Verdict.SAFE, Verdict.PROVED, Verdict.UNKNOWN}
        assert {one.verdict for one in answers} <= allowed, (known.property, answers)
    elif beyond or known.verdict is Verdict.OUT_OF_BOUNDS:
        wrong = [one for one in answers if one.verdict in (Verdict.SAFE, Verdict.PROVED)]
        assert not wrong, (known.property, wrong)
    return any(one.verdict is not Verdict.UNKNOWN for one in answers)


def asked(path: Path, name: str, options: Options) -> Result:
    """An engine's answer."""
    entry = find_module(path)
    question = Asked(entry, model_of(entry, {}), Query(entry.source, {}, (name,), options, "cadical"))
    question.put(Limits(SECONDS), lambda _: None, lambda _: None)
    return question.verdicts[0]


def mutants(
    modules: Sequence[tuple[str, str, str]], count: int, seed: int
) -> Iterator[tuple[str, str, Mutant]]:
    """Random mutants: the name, the configuration and the mutant.

    Args:
        modules: the name, the text and the configuration of each module.
    """
    chance = random.Random(seed)
    for _ in range(count):
        name, text, config = chance.choice(modules)
        yield name, config, mutant(text, chance)


def judged(folder: Path, name: str, config: str, one: Mutant) -> str:
    """What became of a mutant, which is written into a folder.

    Raises:
        AssertionError: if an engine contradicts the interpreter.
    """
    path = folder / f"{name}.tla"
    path.write_text(one.text)
    path.with_suffix(".cfg").write_text(config)
    return outcome(path)


BUILT_IN = [(name, module, config) for name, (module, config) in ALL.items()]


def main() -> None:
    """Mutate, and count what becomes of the mutants."""
    parser = argparse.ArgumentParser()
    parser.add_argument("modules", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    origin.AHEAD = 0.5
    modules = [(x.stem, x.read_text(), x.with_suffix(".cfg").read_text()) for x in args.modules] or BUILT_IN
    counts: Counter[str] = Counter()
    for name, config, one in mutants(modules, args.count, args.seed):
        with tempfile.TemporaryDirectory() as folder:
            for path in args.modules:
                for other in path.parent.glob("*.tla"):
                    Path(folder, other.name).write_text(other.read_text())
            try:
                result = judged(Path(folder), name, config, one)
            except Exception as error:
                result = "WRONG" if isinstance(error, AssertionError) else "CRASH"
                print(
                    f"{result} {name}: {one.change}: {type(error).__name__}: {str(error)[:600]}", flush=True
                )
        counts[result] += 1
        print(f"{sum(counts.values())}: {name}: {one.change}: {result}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
