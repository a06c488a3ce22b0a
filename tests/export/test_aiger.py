"""Models as AIGER circuits: simulated, they reach the bad states that exploration finds, and no others."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.bounded.search import deadlock_property
from leadline.symbolic.export import SequentialCircuit, aiger, witness
from leadline.symbolic.lang import Model, UserError
from leadline.symbolic.lang.parameters import Setting
from leadline.symbolic.trace import DEADLOCK, TraceEnd, replay
from tests.exploring import explore
from tests.export.simulated_aiger import Circuit
from tests.random_symmetric import symmetric_model
from tests.strategies import models

TESTS = Path(__file__).parent.parent
DEPTH = 5
"""How deep most models are searched, in steps."""


def machine_of(model: Model) -> SequentialCircuit:
    """The circuit with an output for each property and for deadlocks."""
    return SequentialCircuit(model, [*model.properties.values(), deadlock_property(model)])


def expected(model: Model, depth: int) -> dict[str, int]:
    """The depth of the first state of each kind that is bad, up to a depth; an initial state that goes out
    of bounds is at -1."""
    seen = explore(Semantics(model), list(model.properties), depth=depth + 1)
    paths = {
        DEADLOCK: seen.deadlock,
        **{f"out-of-bounds:{x}": y.out_of_bounds for x, y in seen.properties.items()},
    }
    found = {name: len(path) - 1 for name, path in paths.items() if path is not None}
    found |= {name: one.steps for name, one in seen.properties.items() if one.steps is not None}
    if seen.out_of_bounds is not None:
        found["out-of-bounds:step"] = len(seen.out_of_bounds) - 2
    return {name: at for name, at in found.items() if at <= depth}


def compare(model: Model, folder: Path, depth: int = DEPTH) -> int:
    """Compare a simulated circuit with exploration, and replay a witness of each bad state; how many."""
    machine = machine_of(model)
    circuit = Circuit(aiger(machine, "here", binary=False))
    before = int("(initialised)" in circuit.symbols.values())
    found = circuit.bad_states(depth + 1 + before)
    assert {name: frame - before for name, (frame, _) in found.items()} == expected(model, depth)
    for name, (frame, text) in found.items():
        path = folder / "witness"
        path.write_text(text)
        trace = witness(machine, path)
        replay(Semantics(model), trace)
        out, _, about = name.rpartition(":")
        if about == "step":
            assert (trace.ends, trace.last) == (TraceEnd.OUT_OF_BOUNDS, None)
        else:
            assert trace.ends is (TraceEnd.OUT_OF_BOUNDS if out else trace.ends)
            assert (trace.length, trace.property) == (frame - before, None if name == DEADLOCK else about)
    return len(found)


SMALL: list[tuple[str, dict[str, Setting]]] = [
    ("concrete/protocols.py:Counter", {}),
    ("concrete/protocols.py:Counter", {"guarded": False}),
    ("concrete/protocols.py:Partial", {}),
    ("encode/protocols.py:Picky", {"top": 2}),
    ("encode/protocols.py:Picky", {"top": 2, "fails": True}),
    ("encode/protocols.py:Clock", {}),
    ("engines/protocols.py:Lift", {"first": 1}),
    ("engines/protocols.py:Lift", {"at_top": "stop"}),
    ("engines/protocols.py:Lift", {"at_top": "break"}),
    ("engines/protocols.py:Begin", {}),
    ("engines/protocols.py:Begin", {"fine": False}),
    ("engines/protocols.py:Still", {}),
    ("engines/protocols.py:Dice", {}),
    ("engines/protocols.py:Nobody", {"workers": 1}),
]


@pytest.mark.parametrize(("name", "setting"), SMALL, ids=str)
def test_the_bad_states_are_those_of_exploration(
    name: str, setting: dict[str, Setting], tmp_path: Path
) -> None:
    assert compare(model_of(find(str(TESTS / name)), setting), tmp_path) > 0


@pytest.mark.slow
def test_the_bad_states_of_a_protocol_at_length(tmp_path: Path) -> None:
    setting: dict[str, Setting] = {"replicas": 2, "variant": "truncate-to-high-watermark"}
    model = model_of(find("kafka-replication"), setting)
    assert compare(model, tmp_path, 9) > 2


def few_inputs(model: Model) -> bool:
    """Whether a table of all inputs is small."""
    return len(machine_of(model).inputs) <= 14


def depth_of(model: Model) -> int:
    """The depth to which a model has few states."""
    within = explore(Semantics(model), depth=DEPTH).states_within_steps
    return max((depth for depth, states in enumerate(within) if states <= 200), default=0)


@given(model=models())
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_protocols(model: Model, tmp_path: Path) -> None:
    assume(few_inputs(model))
    try:
        depth = depth_of(model)
    except UserError:
        circuit = Circuit(aiger(machine_of(model), "here", binary=False))
        assert circuit.bad_states(2) == {}, "there is no initial state"
        return
    compare(model, tmp_path, depth)


@pytest.mark.slow
def test_random_protocols_that_do_more(tmp_path: Path) -> None:
    chosen = [model for seed in range(30) if few_inputs(model := symmetric_model(seed))]
    assert sum(compare(model, tmp_path, depth_of(model)) for model in chosen) > 10 < len(chosen)


def test_the_binary_form_says_the_same() -> None:
    machine = machine_of(model_of(find("pulsar-compaction"), {}))
    one, other = (Circuit(aiger(machine, "here", binary=binary)) for binary in (False, True))
    assert vars(one) == vars(other)
    assert len(one.gates) > 500 and max(gate - left for gate, left, _ in one.gates) > 0x7F


def test_every_latch_and_input_has_a_name_of_its_own() -> None:
    for name in ("kafka-replication", "spanner-leases"):
        machine = machine_of(model_of(find(name), {}))
        circuit = Circuit(aiger(machine, "here", binary=True))
        assert len(circuit.symbols) == len(set(circuit.symbols.values()))
        assert len(circuit.symbols) == len(circuit.inputs) + len(circuit.latches) + len(circuit.bads)
        assert not any(" " in symbol for symbol in circuit.symbols.values())


def abc(commands: str) -> str:
    """The output of ABC."""
    run = subprocess.run(
        ["berkeley-abc", "-c", commands], capture_output=True, text=True, timeout=200, check=True
    )
    return run.stdout


needs_abc = pytest.mark.skipif(
    shutil.which("berkeley-abc") is None,
    reason="ABC is not installed: there is no `berkeley-abc` on the PATH",
)
ASKED: list[tuple[str, dict[str, Setting], list[str]]] = [
    ("two-phase-commit", {}, ["consistency"]),
    ("pulsar-compaction", {}, []),
    ("spanner-leases", {"variant": "mended-handle-vote"}, ["disjointness"]),
]


@needs_abc
@pytest.mark.parametrize(("name", "setting", "chosen"), ASKED, ids=[name for name, _, _ in ASKED])
def test_abc_agrees(name: str, setting: dict[str, Setting], chosen: list[str], tmp_path: Path) -> None:
    model = model_of(find(name), setting)
    chosen_ones = model.choose_properties(tuple(chosen))
    properties = [one for one in chosen_ones if one.temporal is None]
    machine, path = SequentialCircuit(model, properties), tmp_path / "model.aig"
    path.write_bytes(aiger(machine, "here", binary=True))
    told = abc(f"read_aiger {path}; strash; pdr -a")
    seen = explore(Semantics(model), [one.name for one in properties])
    violated = {name for name, one in seen.properties.items() if one.steps is not None}
    outputs = {machine.bads[int(number)].name for number in re.findall(r"Output (\d+) was asserted", told)}
    assert outputs == violated and seen.out_of_bounds is None
    assert f"Proved = {len(machine.bads) - len(violated)}. Disproved = {len(violated)}. Undecided = 0" in told


@needs_abc
def test_a_counterexample_of_abc_is_replayed(tmp_path: Path) -> None:
    model = model_of(find("kafka-replication"), {"replicas": 2, "variant": "kip-101"})
    machine, path, found = (
        SequentialCircuit(model, [model.properties["weak-isr"]]),
        tmp_path / "k.aig",
        tmp_path / "k.cex",
    )
    path.write_bytes(aiger(machine, "here", binary=True))
    abc(f"read_aiger {path}; strash; pdr; write_cex -a {found}")
    trace = witness(machine, found)
    replay(Semantics(model), trace)
    assert trace.property == "weak-isr" and trace.length >= 11, "a shortest counterexample has 11 steps"
