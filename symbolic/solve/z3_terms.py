"""Z3's terms for the gates of a solver, and copies of many gates at once.

Terms are addresses: these functions call Z3's C interface directly, since the Python layer above it takes ten
times as long. Many gates are copied by one substitution in a term that has all of them as arguments, which
takes a sixth of the time of making them one by one.
"""

from __future__ import annotations

import ctypes
import inspect
import struct
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import z3
from z3 import z3core

from leadline.symbolic.lang import InternalError
from leadline.symbolic.solve.interface import TRUE, Copier

if TYPE_CHECKING:
    from leadline.symbolic.solve.z3_solver import Z3Solver


def _raw(name: str, *arguments: type) -> Any:
    """A function of the C interface over plain addresses.

    The binding's own function wraps every address and asks for errors after every call, which takes as long
    again. No call is long enough to be worth letting other threads of Python run.
    """
    binding = inspect.signature(getattr(z3core, name)).parameters["_elems"].default.f
    address = ctypes.cast(binding, ctypes.c_void_p).value
    assert address is not None
    return ctypes.PYFUNCTYPE(ctypes.c_void_p, *arguments)(address)


_ADDRESS = ctypes.c_void_p
_MANY = (_ADDRESS, ctypes.c_uint, ctypes.c_char_p)
mk_symbol = _raw("Z3_mk_int_symbol", _ADDRESS, ctypes.c_int)
mk_const = _raw("Z3_mk_const", _ADDRESS, _ADDRESS, _ADDRESS)
mk_not = _raw("Z3_mk_not", _ADDRESS, _ADDRESS)
mk_and, mk_or = _raw("Z3_mk_and", *_MANY), _raw("Z3_mk_or", *_MANY)
mk_xor, mk_iff = (_raw(name, _ADDRESS, _ADDRESS, _ADDRESS) for name in ("Z3_mk_xor", "Z3_mk_iff"))
mk_ite = _raw("Z3_mk_ite", _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
substitute = _raw("Z3_substitute", _ADDRESS, _ADDRESS, ctypes.c_uint, ctypes.c_char_p, ctypes.c_char_p)
get_app_num_args = _raw("Z3_get_app_num_args", _ADDRESS, _ADDRESS)
get_app_arg = _raw("Z3_get_app_arg", _ADDRESS, _ADDRESS, ctypes.c_uint)
solver_assert = _raw("Z3_solver_assert", _ADDRESS, _ADDRESS, _ADDRESS)
get_error_code = _raw("Z3_get_error_code", _ADDRESS)
inc_ref = _raw("Z3_inc_ref", _ADDRESS, _ADDRESS)
get_app_decl = _raw("Z3_get_app_decl", _ADDRESS, _ADDRESS)
model_get_const_interp = _raw("Z3_model_get_const_interp", _ADDRESS, _ADDRESS, _ADDRESS)
pair = struct.Struct("2P").pack


def addresses(terms: Iterable[int]) -> bytes:
    """An array of addresses as C takes it."""
    many = tuple(terms)
    return struct.pack(f"{len(many)}P", *many)


class Terms(dict[int, int]):
    """The address of each literal's term, which lives as long as the context.

    A missing term is made when it is first asked for: a negation, a constant of the literal's number, or an
    argument of a copy.
    """

    def __init__(self, context: z3.Context) -> None:
        super().__init__()
        self._context = context
        self._ref: int = context.ref().value
        self._sort: int = z3.BoolSort(context).ast.value
        self.copies = Copies()

    def kept(self, term: int | None) -> int:
        """Keep a new term for as long as the context lives.

        Raises:
            z3.Z3Exception: if Z3 could not make it, for want of memory.
        """
        if term is None:
            self.failed()
        inc_ref(self._ref, term)
        return term

    def __missing__(self, literal: int) -> int:
        if -literal not in self:
            made, term = self._gate_or_constant(abs(literal))
            self[made] = term
            if made == literal:
                return term
        self[literal] = self.kept(mk_not(self._ref, self[-literal]))
        return self[literal]

    def _gate_or_constant(self, variable: int) -> tuple[int, int]:
        """A literal of a variable that has no term yet, and the literal's term."""
        copy = self.copies.of(variable)
        if copy is not None:
            return copy.term(self._ref, variable)
        return variable, self.kept(mk_const(self._ref, mk_symbol(self._ref, variable), self._sort))

    def failed(self) -> NoReturn:
        """Raise the context's latest error."""
        ref = self._context.ref()
        raise z3.Z3Exception(z3core.Z3_get_error_msg(ref, z3core.Z3_get_error_code(ref)))


class GateTable:
    """The operands of each gate.

    Args:
        copies: the gates that were copied.

    Attributes:
        conjunctions: the operands of each conjunction, without copies.
        choices: those of each multiplexer that is no copy; an exclusive or is stored as one.
    """

    def __init__(self, copies: Copies) -> None:
        self.conjunctions: dict[int, Sequence[int]] = {}
        self.choices: dict[int, tuple[int, int, int]] = {}
        self._copies = copies

    def is_gate(self, variable: int) -> bool:
        """Whether a variable is a gate."""
        own = variable in self.conjunctions or variable in self.choices
        return own or self._copies.of(variable) is not None

    def operands(self, variable: int) -> Sequence[int]:
        """The literals that a gate combines; empty for any other variable."""
        own = self.conjunctions.get(variable) or self.choices.get(variable)
        if own is not None:
            return own
        copy = self._copies.of(variable)
        return () if copy is None else copy.operands(variable)

    def is_choice(self, gate: int) -> bool:
        """Whether a gate is a multiplexer or an exclusive or, and no conjunction."""
        copy = self._copies.of(gate)
        return gate in self.choices if copy is None else self.is_choice(copy.original(gate))

    def clauses_of(self, gate: int) -> int:
        """How many clauses define a gate."""
        operands = self.operands(gate)
        if self.is_choice(gate):
            return 4 if operands[1] == -operands[2] else 6
        return len(operands) + 1


class Z3Copier(Copier):
    """Copies variables of a solver.

    Args:
        solver: the solver.
        variables: the variables, among them two gates at least.
        outside: the other variables that the gates among them combine.

    Attributes:
        clauses: how many clauses define the gates.
        arguments: for the place of each gate, its place among the term's arguments and the argument's sign; a
            disjunction's argument is its negation.
    """

    def __init__(self, solver: Z3Solver, variables: Sequence[int], outside: frozenset[int]) -> None:
        self.variables = variables
        self.outside = outside
        self.clauses = 0
        self._solver = solver
        self._places = {variable: place for place, variable in enumerate(variables)}
        self.arguments: dict[int, tuple[int, int]] = {}
        self._inputs: list[int] = []
        literals: list[int] = []
        terms = solver.terms
        for place, variable in enumerate(variables):
            if solver.gates.is_gate(variable):
                sign = 1 if variable in terms else -1
                self.arguments[place] = len(literals), sign
                literals.append(sign * variable)
                self.clauses += solver.gates.clauses_of(variable)
            elif variable in terms:
                self._inputs.append(place)
        many = addresses(terms[x] for x in literals)
        self._term = terms.kept(mk_and(solver.ref, len(literals), many))
        # Of an outside gate, both its term and its negation's may occur. Neither is searched any further.
        self._given = [x for variable in outside for x in (variable, -variable) if x in terms]
        self._from = addresses(terms[x] for x in (*(variables[at] for at in self._inputs), *self._given))

    @classmethod
    def of(cls, solver: Z3Solver, variables: Sequence[int], known: Collection[int]) -> Z3Copier | None:
        """See `Sink.copier`."""
        inside, outside, waiting = set(variables), set(), list(variables)
        while waiting:
            for literal in solver.gates.operands(waiting.pop()):
                variable = abs(literal)
                if variable in inside or variable == TRUE:
                    continue
                if variable in known:
                    outside.add(variable)
                elif solver.gates.is_gate(variable):
                    inside.add(variable)
                    waiting.append(variable)
                else:
                    return None
        several = sum(map(solver.gates.is_gate, inside)) > 1
        return cls(solver, sorted(inside), frozenset(outside)) if several else None

    def copy(self, images: Mapping[int, int]) -> int:
        terms, ref = self._solver.terms, self._solver.ref
        first = self._solver.new_variables(len(self.variables))
        given = (images[x] if x > 0 else -images[-x] for x in self._given)
        there = (*(first + place for place in self._inputs), *given)
        to = addresses(terms[x] for x in there)
        term = terms.kept(substitute(ref, self._term, len(there), self._from, to))
        if get_app_num_args(ref, term) != len(self.arguments):
            raise InternalError("Z3 has simplified the gates that it was to copy")
        self._solver.clauses += self.clauses
        terms.copies.add(Copy(self, first, term, {TRUE: TRUE, **{x: images[x] for x in self.outside}}))
        return first

    def operands(self, place: int, first: int, images: Mapping[int, int]) -> list[int]:
        """The literals that a gate combines in the copy whose first variable is `first`."""
        found = []
        for literal in self._solver.gates.operands(self.variables[place]):
            at = self._places.get(abs(literal))
            image = images[abs(literal)] if at is None else first + at
            found.append(image if literal > 0 else -image)
        return found


@dataclass(frozen=True)
class Copy:
    """One copy that a copier made.

    Attributes:
        copier: the copier.
        first: the copy's first variable.
        address: the address of the term that has the copied gates as arguments.
        images: the literal that replaces each variable from outside.
    """

    copier: Z3Copier
    first: int
    address: int
    images: Mapping[int, int]

    def term(self, ref: int, variable: int) -> tuple[int, int]:
        """The literal of a gate that is an argument of the term, and the argument's address."""
        place, sign = self.copier.arguments[variable - self.first]
        return sign * variable, get_app_arg(ref, self.address, place)

    def operands(self, variable: int) -> list[int]:
        """The literals that a gate combines."""
        return self.copier.operands(variable - self.first, self.first, self.images)

    def original(self, variable: int) -> int:
        """The variable that a variable is a copy of."""
        return self.copier.variables[variable - self.first]


class Copies:
    """All copies of a solver."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._copies: list[Copy] = []

    def add(self, copy: Copy) -> None:
        """Add a copy whose variables are the newest."""
        self._firsts.append(copy.first)
        self._copies.append(copy)

    def of(self, variable: int) -> Copy | None:
        """The copy in which a variable is a gate, or None."""
        place = bisect_right(self._firsts, variable) - 1
        if place < 0:
            return None
        copy = self._copies[place]
        return copy if variable - copy.first in copy.copier.arguments else None
