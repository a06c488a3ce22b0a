"""Results can be sent to another process by pickle, also those of a class in the running script."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import pickle
import leadline
from leadline.symbolic.lang import *


class Counter(Protocol):
    def define(self, state):
        state.i = Int(0, 3)

    def init(self, start):
        start.i = 0

    @action
    def go(self, now, nxt):
        nxt.require(now.i < 3)
        nxt.i = now.i + 1


@invariant(Counter, when=lambda protocol: True)
def below_three(protocol, now):
    return now.i < 3


@step_property(Counter)
def grows(protocol, now, nxt):
    return nxt.i > now.i


if __name__ == "__main__":
    for ask in (leadline.explore, leadline.check, leadline.simulate):
        for asked in (Counter, Counter()):
            results = ask(asked)
            again = pickle.loads(pickle.dumps(results))
            assert str(again) == str(results), again
            assert again["below-three"].steps == 3
    print("done")
"""


@pytest.mark.slow
def test_results_of_a_class_in_the_running_script(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "done\n", done.stderr
