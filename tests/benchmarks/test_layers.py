"""The measurement of layers makes them by every way, and says what each takes."""

import pytest

from leadline.benchmarks.layers import LAYERS, RUNS, main, measure
from leadline.symbolic.solve import SOLVERS

WAYS = [(unroll, solver) for unroll in ("steps", "sweeps") for solver in SOLVERS]


def test_every_way_is_measured_layer_by_layer() -> None:
    found = [*measure("pulsar-compaction", layers=4, runs=2)]
    assert [(one.unroll, one.solver) for one in found] == [
        (x, y) for x in ("steps", "sweeps") for y in SOLVERS
    ]
    for one in found:
        assert len(one.milliseconds) == 3 and all(x > 0 for x in one.milliseconds)
        assert min(one.milliseconds) <= one.median <= max(one.milliseconds)


@pytest.mark.slow
def test_a_line_for_each_way(capsys: pytest.CaptureFixture[str]) -> None:
    main(["pulsar-compaction"])
    head, *lines = capsys.readouterr().out.splitlines()
    assert (
        head == f"milliseconds for a layer, the best of {RUNS} runs for each of {LAYERS - 1}: median, dearest"
    )
    assert [line.split()[:3] for line in lines] == [
        ["pulsar-compaction", unroll, solver] for unroll in ("steps", "sweeps") for solver in SOLVERS
    ]
    assert all(float(line.split()[3]) <= float(line.split()[4]) for line in lines)
