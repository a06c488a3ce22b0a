"""The cost of `check` beside that of the engine that answers: `python -m leadline.benchmarks.portfolio`.

Each case of `leadline bench` is asked twice, each time by a process of its own: of all engines side by side, as
`leadline check` asks, and then of the engine that answered, alone and with the options that it had there. CPU
seconds are those of the process with all that it started, from the start of Python on.

`--runs N` takes N random runs of at most 100 steps of each broken case instead of the engine that answered. They
do not end at a violation, so they cost the same whether they find one or not.
"""

from __future__ import annotations

import argparse
import fnmatch
import math
import sys
from collections.abc import Sequence
from statistics import geometric_mean

from leadline.benchmarks.cases import CASES, Case
from leadline.benchmarks.children import run
from leadline.benchmarks.measurement import model
from leadline.symbolic.engines import Limits, Query, Verdict, answer
from leadline.symbolic.engines.ask.query import Options
from leadline.symbolic.engines.ask.table import ENGINES
from leadline.symbolic.engines.explore.simulate import SimulateOptions
from leadline.symbolic.engines.run.portfolio import PortfolioOptions
from leadline.symbolic.solve import LONE

TOGETHER = PortfolioOptions.engine


def told(case: Case, engine: str, seconds: float) -> tuple[str, str]:
    """The verdict about a case, and the engine that gave it.

    Args:
        case: the case.
        engine: the engine to ask: the portfolio, or a member of it; a number of random runs.
        seconds: the time that it has.
    """
    options: Options | None
    if engine.isdecimal():
        options = SimulateOptions(runs=int(engine))
    else:
        options = PortfolioOptions() if engine == TOGETHER else ENGINES[engine].member(None)
    assert options is not None
    query = Query(case.protocol, dict(case.parameters), (case.property,), options, LONE)
    (result,) = answer(model(case), query, Limits(seconds)).results
    return result.verdict.name, result.engine


def measured(case: Case, engine: str, seconds: float) -> tuple[str, str, float]:
    """`told` in a process of its own, with its CPU seconds."""
    command = [sys.executable, "-m", __spec__.name, "--case", case.name, "--ask", engine]
    done = run([*command, "--timeout", str(seconds)], "", math.inf)
    if done.status:
        raise RuntimeError(f"{case.name} by {engine}: exited with {done.status}: {done.last_words}")
    verdict, by = done.output.split()
    return verdict, by, done.cpu_seconds


def _runs_table(cases: Sequence[Case], number: str, seconds: float) -> None:
    """Print what random runs find of broken cases about states, and what `check` does."""
    print("| case | check: verdict | engine | CPU s | random runs: verdict | CPU s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for case in cases:
        if case.expected is Verdict.VIOLATED and not case.name.startswith("runs-"):
            verdict, engine, together = measured(case, TOGETHER, seconds)
            found, _, alone = measured(case, number, seconds)
            cells = [case.name, verdict.lower(), engine, f"{together:.1f}", found.lower(), f"{alone:.1f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


def main(words: Sequence[str] | None = None) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m leadline.benchmarks.portfolio", description=__doc__)
    parser.add_argument("--case", default="*", metavar="GLOB", help="only cases whose name matches")
    parser.add_argument(
        "--timeout", type=float, default=60, metavar="S", help="seconds for each (default: 60)"
    )
    parser.add_argument(
        "--ask", metavar="ENGINE", help="only ask this engine about the case, without a table"
    )
    parser.add_argument("--runs", metavar="N", help="take N random runs of each broken case instead")
    args = parser.parse_args(words)
    cases = [case for case in CASES if fnmatch.fnmatchcase(case.name, args.case)]
    if args.ask:
        print(*told(cases[0], args.ask, args.timeout))
        return
    if args.runs:
        _runs_table(cases, args.runs, args.timeout)
        return
    print("| case | verdict | engine | check: CPU s | the engine alone: CPU s | times |")
    print("| --- | --- | --- | --- | --- | --- |")
    ratios = []
    for case in cases:
        verdict, engine, together = measured(case, TOGETHER, args.timeout)
        cells = [case.name, verdict.lower(), engine, f"{together:.1f}", "-", "-"]
        if verdict != "UNKNOWN":
            _, _, alone = measured(case, engine, args.timeout)
            ratios.append(together / alone)
            cells[4:] = [f"{alone:.1f}", f"{ratios[-1]:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    print(f"\ngeometric mean of {len(ratios)} answered cases: {geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
