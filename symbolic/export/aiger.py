"""A model as a file in AIGER 1.9 for hardware model checkers, and their witnesses as runs of the model.

A. Biere, K. Heljanko, S. Wieringa: AIGER 1.9 and beyond, FMV Reports 11/2, Johannes Kepler University, 2011.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from leadline.symbolic.encode.circuit import FALSE, TRUE
from leadline.symbolic.export.machine import SequentialCircuit
from leadline.symbolic.files import read_bytes, read_text
from leadline.symbolic.lang import UserError, counted
from leadline.symbolic.trace import Stored, Trace
from leadline.symbolic.trace.trace import title


def aiger(machine: SequentialCircuit, source: str, *, binary: bool) -> bytes:
    """The content of an AIGER file. Its comment says which model it is of, for `origin_of` to read.

    Args:
        machine: the circuit.
        source: the protocol as the catalog finds it.
        binary: whether to write the binary form (`aig`) in place of the ASCII form (`aag`).
    """
    inputs, latches, ands = machine.inputs, machine.latches, machine.gates.ands
    number = {TRUE: 1, FALSE: 0}
    for place, variable in enumerate((*inputs, *latches, *ands), 1):
        number[variable], number[-variable] = 2 * place, 2 * place + 1
    counts = (len(number) // 2 - 1, len(inputs), len(latches), 0, len(ands), len(machine.bads))
    pairs = zip(latches.values(), machine.reset, strict=True)
    after = [f"{number[literal]} {int(reset)}" for (literal, _), reset in pairs]
    bads = [str(number[bad.literal]) for bad in machine.bads]
    gates = [(number[gate], *sorted((number[x], number[y]), reverse=True)) for gate, (x, y) in ands.items()]
    symbols = [
        *(f"i{place} {text}" for place, text in enumerate(inputs.values())),
        *(f"l{place} {text}" for place, (_, text) in enumerate(latches.values())),
        *(f"b{place} {bad.name}" for place, bad in enumerate(machine.bads)),
        *("c", f"{title(machine.model)}, written by Leadline", json.dumps(_origin(machine, source))),
    ]
    header = " ".join(map(str, ("aig" if binary else "aag", *counts)))
    if binary:
        deltas = b"".join(_compact(gate - left) + _compact(left - right) for gate, left, right in gates)
        return _lines([header, *after, *bads]) + deltas + _lines(symbols)
    lhs = [f"{number[latch]} {text}" for latch, text in zip(latches, after, strict=True)]
    rows = [f"{gate} {left} {right}" for gate, left, right in gates]
    return _lines([header, *(str(number[x]) for x in inputs), *lhs, *bads, *rows, *symbols])


def _lines(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _compact(delta: int) -> bytes:
    """A number in groups of seven bits, the low ones first; the last has no high bit."""
    groups = bytearray()
    while delta > 0x7F:
        groups.append(delta & 0x7F | 0x80)
        delta >>= 7
    return bytes((*groups, delta))


_ORIGIN: dict[str, type] = {
    "protocol": str,
    "source": str,
    "parameters": dict,
    "fingerprint": str,
    "properties": list,
}
"""The fields of the last line of a file and their kinds."""


def _origin(machine: SequentialCircuit, source: str) -> dict[str, Any]:
    model, names = machine.model, [one.name for one in machine.properties]
    values = (model.protocol, source, dict(model.parameters), model.fingerprint, names)
    return dict(zip(_ORIGIN, values, strict=True))


def origin_of(path: Path) -> Stored:
    """The model and the properties that a file of `aiger` is of.

    Raises:
        UserError: if the file cannot be read or is not such a file.
    """
    content = read_bytes(path)
    try:
        data = json.loads(content.rstrip().rpartition(b"\n")[2])
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or any(type(data.get(x)) is not kind for x, kind in _ORIGIN.items()):
        raise UserError(f"{path} is not an AIGER file that Leadline wrote: its last line names no model")
    if not all(isinstance(name, str) for name in data["properties"]):
        raise UserError(f"{path}: its last line needs an array of names as properties")
    return Stored(str(path), data)


def is_aiger(path: Path, machine: SequentialCircuit, source: str) -> bool:
    """Whether a file that `origin_of` has read is exactly that of a circuit, or its witnesses say nothing."""
    content = read_bytes(path)
    return content == aiger(machine, source, binary=content.startswith(b"aig"))


def witness(machine: SequentialCircuit, path: Path) -> Trace:
    """The run that a witness describes. It is not replayed.

    Args:
        machine: the circuit, made as for the file that the checker read.
        path: the witness: "1", "b" and the number of a bad-state output, the latches at first, the inputs of
            each frame, and ".", a line each. The first two may be missing, as in ABC's `write_cex -a`. An "x"
            is a value that does not matter.

    Raises:
        UserError: if it is none, or leads to no bad state, with the line.
    """
    numbered = enumerate(read_text(path).splitlines(), 1)
    lines = [(f"{path}:{i}", line.partition("#")[0].strip()) for i, line in numbered if line[:1] != "c"]
    output = None
    if len(lines) > 1 and lines[1][1][:1] == "b":
        output, lines = _output(machine, *lines[:2]), lines[2:]
    end = next((i for i, (_, line) in enumerate(lines) if line == "."), len(lines))
    if end < 2:
        raise UserError(f"{path}: a line of latches and a line of inputs for each frame are needed")
    (start, first), *frames = lines[:end]
    pairs = zip(_bits(start, first, machine.latches), machine.reset, strict=True)
    for latch, (read, reset) in enumerate(pairs):
        if read not in (None, reset):
            raise UserError(f"{start}: latch {latch} is {int(reset)} at first, not {int(not reset)}")
    inputs = [[bool(bit) for bit in _bits(place, line, machine.inputs)] for place, line in frames]
    return machine.run(inputs, output, frames[-1][0])


def _output(machine: SequentialCircuit, verdict: tuple[str, str], named: tuple[str, str]) -> int:
    """The number of the bad-state output that the head of a witness names."""
    (place, answer), (line, name) = verdict, named
    if answer != "1":
        raise UserError(f"{place}: a witness begins with 1, not {answer}: there is no counterexample in it")
    names = [f"b{i}" for i in range(len(machine.bads))]
    if name not in names:
        raise UserError(f"{line}: the model has the bad-state outputs b0 to {names[-1]}, not {name}")
    return names.index(name)


def _bits(place: str, line: str, symbols: Collection[object]) -> list[bool | None]:
    """The values in a line; None for "x"."""
    if len(line) != len(symbols) or not set(line) <= set("01x"):
        wanted = counted(len(symbols), "digit")
        raise UserError(f"{place}: {wanted} of 0, 1 and x needed, not {line!r}")
    return [None if digit == "x" else digit == "1" for digit in line]
