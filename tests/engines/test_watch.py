"""The watch on the making of a model: the operator that takes the time, its place, gates and advice."""

from __future__ import annotations

import itertools
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.symbolic.encode import Encoding
from leadline.symbolic.encode.circuit import Circuit
from leadline.symbolic.engines import Limits, Listener, Progress
from leadline.symbolic.engines.run.limits import TimeIsOver, timely
from leadline.symbolic.engines.run.watch import Lookout, watched
from leadline.symbolic.lang import Model
from leadline.symbolic.tla.lower.builder import Builder
from leadline.symbolic.tla.origin import TlaOrigin
from tests.tla.loading import specification

BODY = """
    EXTENDS Integers, FiniteSets
    VARIABLES x, few
    S == SUBSET (1..6)
    Heavy(y) == \\A a \\in S : \\A b \\in S : (a \\cap b = y) => Cardinality(a) >= Cardinality(b)
    Init == x = {} /\\ few = 0
    Next == \\/ \\E a \\in 1..6 : x' = x \\cup {a} /\\ few' = 1 - few
            \\/ Heavy(x) /\\ x' = {} /\\ few' = few
    """


def looking(monkeypatch: pytest.MonkeyPatch, part: type, name: str, watch: Lookout) -> None:
    """Look whenever a method is called, which does not depend on time."""
    method: Callable[..., object] = getattr(part, name)

    def looked(self: object, *rest: object) -> object:
        watch.look(signal.SIGPROF, sys._getframe())
        return method(self, *rest)

    monkeypatch.setattr(part, name, looked)


def made(folder: Path) -> Model:
    return TlaOrigin(specification(folder, BODY, "INIT Init\nNEXT Next\n"), {}).model()


def test_the_encoding_of_a_heavy_operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, watch = made(tmp_path), Lookout()
    looking(monkeypatch, Circuit, "_new_and", watch)
    assert Encoding(model).step.template.gates
    text = watch.text
    assert text.startswith(f"encoding Heavy ({tmp_path}/M.tla:6:")
    assert " gates so far; it has up to 4,096 instances; x has 6 of the 7 bits of a state: " in text
    assert text.endswith("smaller values of constants, or a constraint on x, make it less")


def test_the_lowering_of_an_operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Lookout()
    looking(monkeypatch, Builder, "make", watch)
    made(tmp_path)
    assert f" ({tmp_path}/M.tla:" in watch.text
    assert watch.text.startswith("lowering ")


def test_what_a_search_does_once_its_model_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that took a small part of the time is not to blame."""
    seconds = iter(itertools.count())
    monkeypatch.setattr(time, "process_time", lambda: float(next(seconds)))
    monkeypatch.setattr(time, "monotonic", lambda: 2.0 * next(seconds))
    heard = list[str]()
    watch = Lookout(heard.append)
    with monkeypatch.context() as context:
        looking(context, Builder, "bind", watch)
        made(tmp_path)
    assert heard and all("lowering " in text for text in heard)
    for _ in range(2 * len(heard) + 100):
        watch.look(signal.SIGPROF, None)
    assert re.fullmatch(r"a model made in \d+\.0 s of the processor", heard[-1])
    assert watch.text == ""


def test_time_that_is_over_before_the_model_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def over(*_: object) -> None:
        begin = time.process_time()
        while time.process_time() - begin < 1.0:  # far longer than types are learned
            signal.raise_signal(signal.SIGPROF)
        raise TimeIsOver

    monkeypatch.setattr(Builder, "bind", over)
    text = r"before the model was made: lowering Heavy \(.*M.tla:6:.*\) took "
    with pytest.raises(TimeIsOver, match=text), timely("M.tla", Limits(60.0)):
        made(tmp_path)


def test_a_watch_ends_with_the_first_progress_of_the_engine(tmp_path: Path) -> None:
    heard: list[Progress] = []
    with watched(Listener(progress=heard.append)) as listener:
        assert signal.getitimer(signal.ITIMER_PROF)[1] > 0
        listener.progress(Progress(0, 0.0))
        assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert heard == [Progress(0, 0.0)]


def test_a_watch_leaves_the_timer_to_another(tmp_path: Path) -> None:
    with Lookout().looking():
        before = signal.getsignal(signal.SIGPROF)
        with Lookout().looking():
            assert signal.getsignal(signal.SIGPROF) == before
        assert signal.getitimer(signal.ITIMER_PROF)[1] > 0
