"""A model as a file in AIGER 1.9 for hardware model checkers, and their witnesses as runs of the model.

A. Biere, K. Heljanko, S. Wieringa: AIGER 1.9 and beyond, FMV Reports 11/2, Johannes Kepler University, 2011.

The model becomes a sequential circuit of and-gates, latches and inputs. A latch is a literal of the state; the
inputs choose an action and its picks. Inputs that choose no step of the model leave the state as it is, so the
circuit needs no invariant constraints, which few checkers take.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leadline.symbolic.encode import Encoding, Instance, Template, Unrolled
from leadline.symbolic.encode.actions import PickSlots
from leadline.symbolic.encode.circuit import FALSE, TRUE
from leadline.symbolic.encode.encoding import Truth
from leadline.symbolic.encode.facts import Facts
from leadline.symbolic.files import read_bytes, read_text
from leadline.symbolic.lang import Model, Property, UserError, Value, Variable, counted
from leadline.symbolic.meaning.trace import title
from leadline.symbolic.solve import Clause, Sink
from leadline.symbolic.trace import DEADLOCK, Step, Stored, Trace, TraceEnd, trace_of_path

_Call = tuple[str, Mapping[str, Value]]
"""An action's name and its picks."""


class Gates(Sink):
    """A sink that makes every gate of conjunctions of two literals.

    Attributes:
        ands: the operands of each variable that is a gate, operands first.
        asserted: the clauses that were asserted.
    """

    def __init__(self) -> None:
        self.ands: dict[int, tuple[int, int]] = {}
        self.asserted: list[Clause] = []

    def add(self, clauses: Sequence[Clause]) -> None:
        self.asserted += clauses

    def conj(self, literals: Sequence[int]) -> int:
        all_so_far = literals[0]
        for literal in literals[1:]:
            gate = self.new_variables(1)
            self.ands[gate] = (all_so_far, literal)
            all_so_far = gate
        return all_so_far

    def xor(self, left: int, right: int) -> int:
        return self.mux(left, -right, right)

    def mux(self, condition: int, then: int, orelse: int) -> int:
        return -self.conj((-self.conj((condition, then)), -self.conj((-condition, orelse))))


@dataclass(frozen=True)
class Bad:
    """A bad-state output.

    Attributes:
        literal: that the state is bad, or that the step which the inputs choose is.
        name: its symbol.
        ends: the error.
        property: the property that is violated, or whose evaluation goes out of bounds.
    """

    literal: int
    name: str
    ends: TraceEnd
    property: str | None


class SequentialCircuit:
    """A model as a sequential circuit.

    Before the first state there is a frame in which the inputs choose it and the last latch, `(initialised)`,
    is false. There is neither where the initial state leaves no choice: the latches are reset to it.

    Args:
        model: the model.
        properties: the properties that have a bad-state output, in this order; `deadlock` may be among them.

    Attributes:
        latches: the literal after a step and the symbol of each latch.
        inputs: the symbol of each input.
        reset: whether each latch is true at first.
        bads: the bad-state outputs.
    """

    def __init__(self, model: Model, properties: Sequence[Property]) -> None:
        self.model = model
        self.properties = tuple(properties)
        self.encoding = encoding = Encoding(model)
        self.gates = Gates()
        self._circuit = Unrolled(self.gates)
        initial, width = encoding.initial, len(encoding.input_row)
        fixed = initial.possible == TRUE and not initial.template.free
        first = self.gates.new_variables(width)
        self._row = tuple(range(first, first + width))
        self._initialised = TRUE if fixed else self.gates.new_variables(1)
        self._start, startable = self._instance(initial.template, ())
        self._step, steppable = self._instance(encoding.step.template, self._row)
        before, now = (-self._initialised, startable), (self._initialised, steppable)
        conj, disj, start, step = self._circuit.conj, self._circuit.disj, self._start, self._step
        self._begins = conj((*before, start(initial.possible)))
        self._goes = conj((*now, step(encoding.step.taken)))
        begins_outside = conj((*before, start(initial.out_of_bounds)))
        self._outside = disj((begins_outside, conj((*now, step(encoding.step.out_of_bounds)))))
        self.reset = [fixed and literal == TRUE for literal in initial.state]
        self.latches = dict(self._next_states())
        if not fixed:
            self.reset.append(False)
            self.latches[self._initialised] = disj((self._initialised, self._begins)), "(initialised)"
        self.inputs = dict(self._input_names())
        beyond = Bad(self._outside, "out-of-bounds:step", TraceEnd.OUT_OF_BOUNDS, None)
        self.bads = [*self._bads(), beyond]

    def _instance(self, template: Template, row: Sequence[int]) -> tuple[Instance, int]:
        """An instance, and the literal that its constraints hold."""
        before = len(self.gates.asserted)
        made = Instance(template, row, self._circuit)
        clauses = self.gates.asserted[before:]
        return made, self._circuit.conj([self._circuit.disj(clause) for clause in clauses])

    def _next_states(self) -> Iterator[tuple[int, tuple[int, str]]]:
        facts, mux = Facts(self.model), self._circuit.mux
        first = self._start.all(self.encoding.initial.state)
        after = self._step.all(self.encoding.step.state)
        for number, (old, new, chosen) in enumerate(zip(self._row, after, first, strict=True), TRUE + 1):
            following = mux(self._initialised, mux(self._goes, new, old), chosen)
            yield old, (following, _symbol(facts.text(number)))

    def _bads(self) -> Iterator[Bad]:
        predicates = self.encoding.predicates(self.properties)
        here, conj = Instance(predicates.template, self._row, self._circuit), self._circuit.conj
        for one, (violated, outside) in zip(self.properties, predicates.claims, strict=True):
            deadlock = one.name == DEADLOCK
            ends = TraceEnd.DEADLOCK if deadlock else TraceEnd.VIOLATES
            literal = conj((self._initialised, here(violated)))
            yield Bad(literal, one.name, ends, None if deadlock else one.name)
            if outside != FALSE and not deadlock:
                literal = conj((self._initialised, here(outside)))
                yield Bad(literal, f"out-of-bounds:{one.name}", TraceEnd.OUT_OF_BOUNDS, one.name)

    def _input_names(self) -> Iterator[tuple[int, str]]:
        initial, step = self.encoding.initial, self.encoding.step
        for instance, slots in ((self._start, initial.slots), (self._step, step.slots)):
            yield from ((instance(literal), text) for literal, text in _pick_texts(self.model, slots))
        for action, literal in zip(step.actions, step.selectors, strict=True):
            if literal != TRUE:
                yield self._step(literal), f"action={action.name}"

    def frame(self, latches: Sequence[bool], inputs: Sequence[bool]) -> Truth:
        """The literals that are true in a frame."""
        true = bytearray(self.gates.variables + 1)
        true[TRUE] = True
        for variable, value in zip((*self.latches, *self.inputs), (*latches, *inputs), strict=True):
            true[variable] = value

        def truth(literal: int) -> bool:
            return bool(true[literal]) if literal > 0 else not true[-literal]

        for gate, (left, right) in self.gates.ands.items():
            true[gate] = truth(left) and truth(right)
        return truth

    def run(self, frames: Sequence[Sequence[bool]], number: int | None, place: str) -> Trace:
        """The run to the bad state that inputs lead to in their last frame. It is not replayed.

        Args:
            frames: the inputs of each frame, at least one.
            number: the number of the bad-state output; the first that is true if it is None.
            place: where the last frame is written, for the error.

        Raises:
            UserError: if the output is false in the last frame.
        """
        latches = self.reset
        call: _Call | None = None
        if self._initialised == TRUE:
            call = "init", self.encoding.initial.picks(lambda literal: literal == TRUE)
        stages: list[Step] = []
        for inputs in frames:
            true = self.frame(latches, inputs)
            if call is not None and true(self._initialised):
                stages.append(Step(*call, self.encoding.decode(self._row, true)))
            call = self._call(true)
            latches = [true(after) for after, _ in self.latches.values()]
        reached = [bad for bad in self.bads if true(bad.literal)]
        bad = reached[0] if number is None and reached else self.bads[number or 0]
        if bad not in reached:
            others = ", ".join(one.name for one in reached) or "no output"
            raise UserError(f"{place}: {bad.name} is false in the last frame (true there: {others})")
        if call is not None and bad is self.bads[-1]:
            stages.append(Step(*call, None))
        return trace_of_path(tuple(stages), bad.ends, bad.property)

    def _call(self, true: Truth) -> _Call | None:
        """The action that a frame's inputs choose, and its picks; None if they choose no step."""
        if not (true(self._begins) or true(self._goes) or true(self._outside)):
            return None
        if not true(self._initialised):
            return "init", self.encoding.initial.picks(lambda literal: true(self._start(literal)))
        action, picks = self.encoding.step.chosen(lambda literal: true(self._step(literal)))
        return action.name, picks


def _pick_texts(model: Model, slots: PickSlots) -> Iterator[tuple[int, str]]:
    """The literals of the picks, each with its text; a pick that actions share has the names of all."""
    names: dict[str, list[str]] = {slot: [] for slot in slots.types}
    for (action, pick), slot in slots.slot_of.items():
        names[slot].append(f"{action}.{pick}")
    literals: list[int] = []
    stand_ins: list[Variable] = []
    for slot, kind in slots.types.items():
        literals += slots.layout.literals(slots.shapes[slot], kind)
        stand_ins.append(Variable(",".join(names[slot]), "", kind, model.init.span))
    facts = Facts(replace(model, variables=tuple(stand_ins)))
    for number, literal in enumerate(literals, TRUE + 1):
        yield literal, _symbol(facts.text(number))


def _symbol(text: str) -> str:
    """A text without spaces, since tools print symbols as words among others."""
    return text.replace(" = ", "=").replace(" != ", "!=").replace(" ", "_")


# -- files --------------------------------------------------------------------------------------------------


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
