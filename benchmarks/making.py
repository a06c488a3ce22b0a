"""The time that making a module's model takes: `python -m leadline.benchmarks.making MODULE.tla ...`.

For each module, with the configuration beside it, one line with the seconds of the processor of each phase:
reading the module; runs of the interpreter that types are learned from; lowering to a model, with the search for
interchangeable model values; and the templates of the initial states, of one step and of the properties. Also the
nodes of the model and the gates of the templates, so that models can be compared.

A module that is refused, or is not made within `--timeout`, has the phase that it ended in.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from leadline.symbolic.encode import Encoding
from leadline.symbolic.lang import Model, NoInitialState, UserError, nodes as n
from leadline.symbolic.tla.lower.scope import Unsupported
from leadline.symbolic.tla.origin import TlaOrigin
from leadline.symbolic.tla.protocol import Source

PHASES = ("reading", "runs", "lowering", "templates")


class OverTime(Exception):
    """The time for a module is over."""


class Making:
    """The making of one module's model.

    Attributes:
        seconds: the time of each phase that has begun.
        nodes: the nodes of the model.
        gates: the gates of its templates.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.nodes = self.gates = 0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the time of a phase."""
        begin = time.process_time()
        try:
            yield
        finally:
            self.seconds[name] = time.process_time() - begin

    def make(self, source: Source) -> None:
        """Make the model of a module and its templates."""
        with self.phase("reading"):
            origin = TlaOrigin(source.load({}), {})
        with self.phase("runs"):
            origin.learn()
        with self.phase("lowering"):
            model = origin.model()
        self.nodes = _nodes(model)
        with self.phase("templates"):
            self.gates = _gates(model)


def _nodes(model: Model) -> int:
    roots = [node for action in (model.init, *model.actions) for node in action.roots]
    roots += [node for one in model.properties.values() for node in one.nodes]
    return len(n.postorder(*roots))


def _gates(model: Model) -> int:
    encoding = Encoding(model)
    invariants = [one for one in model.properties.values() if one.temporal is None]
    made = [encoding.initial.template, encoding.step.template, encoding.predicates(invariants).template]
    return sum(len(one.gates) for one in made)


def _over(number: int, frame: object) -> None:
    raise OverTime


def measured(source: Source, seconds: int) -> str:
    """The line of a module.

    Args:
        source: the module's files.
        seconds: the most time, of the processor.
    """
    making, ended = Making(), ""
    signal.signal(signal.SIGVTALRM, _over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        making.make(source)
    except OverTime:
        ended = f"  over time in {[*making.seconds][-1]}"
    except (UserError, Unsupported, NoInitialState, RecursionError) as error:
        ended = f"  no model: {' '.join(str(error).split())[:300]}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    times = [*(making.seconds.get(name, 0) for name in PHASES), sum(making.seconds.values())]
    took = "".join(f"{seconds:10.2f}" for seconds in times)
    return f"{source.path.stem:34}{took}{making.nodes:10}{making.gates:10}{ended}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure modules, and print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="+", type=Path, metavar="MODULE.tla")
    parser.add_argument("--config", type=Path, metavar="FILE.cfg", help="default: beside each module")
    parser.add_argument("--path", type=Path, action="append", default=[], help="a folder with other modules")
    parser.add_argument("--timeout", type=int, default=60, metavar="SECONDS")
    chosen = parser.parse_args(arguments)
    head = "".join(f"{name:>10}" for name in (*PHASES, "all", "nodes", "gates"))
    print(f"{'module':34}{head}", flush=True)
    for file in chosen.modules:
        print(measured(Source(file, chosen.config, tuple(chosen.path)), chosen.timeout), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
