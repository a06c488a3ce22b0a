"""Z3 behind the solver interface.

Gates go in as terms, made by the raw calls of Z3's C interface: the Python layer above them takes ten times
as long, and clauses as DIMACS text make Z3 go over all variables that there are at every layer.
"""

from __future__ import annotations

import ctypes
import inspect
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import z3
from z3 import z3core

from leadline.symbolic.solve.solver import TRUE, Answer, Solver

_CTRL_C = "interrupted from keyboard"
"""Z3's reason when it took the signal for itself, which Python then never sees."""


def _raw(name: str, *arguments: type) -> Any:
    """A function of the C interface over plain addresses.

    The binding's own wraps every address, and asks for errors after every call: that takes as long again.
    None of these takes long enough to let other threads of Python in.
    """
    binding = inspect.signature(getattr(z3core, name)).parameters["_elems"].default.f
    address = ctypes.cast(binding, ctypes.c_void_p).value
    assert address is not None
    return ctypes.PYFUNCTYPE(ctypes.c_void_p, *arguments)(address)


_ADDRESS = ctypes.c_void_p
_MANY = (_ADDRESS, ctypes.c_uint, ctypes.c_char_p)
_mk_symbol = _raw("Z3_mk_int_symbol", _ADDRESS, ctypes.c_int)
_mk_const = _raw("Z3_mk_const", _ADDRESS, _ADDRESS, _ADDRESS)
_mk_not = _raw("Z3_mk_not", _ADDRESS, _ADDRESS)
_mk_and, _mk_or = _raw("Z3_mk_and", *_MANY), _raw("Z3_mk_or", *_MANY)
_mk_xor, _mk_iff = (_raw(name, _ADDRESS, _ADDRESS, _ADDRESS) for name in ("Z3_mk_xor", "Z3_mk_iff"))
_mk_ite = _raw("Z3_mk_ite", _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
_inc_ref = _raw("Z3_inc_ref", _ADDRESS, _ADDRESS)
_get_app_decl = _raw("Z3_get_app_decl", _ADDRESS, _ADDRESS)
_model_get_const_interp = _raw("Z3_model_get_const_interp", _ADDRESS, _ADDRESS, _ADDRESS)
_pair = struct.Struct("2P").pack


def _bound(term: int) -> z3.Ast:
    """A term's address as the binding's own functions take it."""
    made = z3.Ast(None)
    made.value = term
    return made


class _Terms(dict[int, int]):
    """The address of each literal's term, which lives as long as the context.

    What nothing has mentioned so far is made when it is: a negation, or a constant of the literal's number.
    """

    def __init__(self, context: z3.Context) -> None:
        super().__init__()
        self._context = context
        self._ref: int = context.ref().value
        self._sort: int = z3.BoolSort(context).ast.value

    def kept(self, term: int | None) -> int:
        """A term that was just made, which from now on lives as long as the context.

        Raises:
            z3.Z3Exception: if it could not be made: there is no memory left.
        """
        if term is None:
            self.failed()
        _inc_ref(self._ref, term)
        return term

    def __missing__(self, literal: int) -> int:
        if literal < 0 or -literal in self:
            self[literal] = self.kept(_mk_not(self._ref, self[-literal]))
        else:
            self[literal] = self.kept(_mk_const(self._ref, _mk_symbol(self._ref, literal), self._sort))
        return self[literal]

    def failed(self) -> NoReturn:
        """A term could not be made."""
        ref = self._context.ref()
        raise z3.Z3Exception(z3core.Z3_get_error_msg(ref, z3core.Z3_get_error_code(ref)))


class Z3Solver(Solver):
    """Z3's incremental solver for finite domains.

    Args:
        seed: the random seed.
    """

    name = "z3"

    def __init__(self, seed: int = 0) -> None:
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_FD", ctx=self._context)
        self._solver.set("random_seed", seed)
        self._ref: int = self._context.ref().value
        self._terms = _Terms(self._context)
        self._terms[TRUE] = self._terms.kept(z3.BoolVal(True, self._context).ast.value)
        self._variables = TRUE
        self._clauses = 1
        # The operands of each gate: of a conjunction, and of a multiplexer or an exclusive or as one.
        self._conjunctions: dict[int, Sequence[int]] = {}
        self._choices: dict[int, tuple[int, int, int]] = {}
        self._names: dict[int, int] = {}
        self._model: z3.ModelRef | None = None
        self._values: dict[int, bool] = {}

    # -- terms ------------------------------------------------------------------------------------

    def new_variables(self, count: int) -> int:
        first = self._variables + 1
        self._variables += count
        return first

    def add(self, clauses: Sequence[tuple[int, ...]]) -> None:
        self._clauses += len(clauses)
        for clause in clauses:
            if len(clause) == 1:
                self._assert(self._terms[clause[0]])
            else:
                self._assert(_mk_or(self._ref, len(clause), self._terms_of(clause)))

    def conj(self, literals: Sequence[int]) -> int:
        self._variables = gate = self._variables + 1
        self._clauses += len(literals) + 1
        self._conjunctions[gate] = literals
        terms, ref, kept = self._terms, self._ref, self._terms.kept
        if len(literals) == 2:  # most are
            left, right = literals
            if left < 0 and right < 0:  # a disjunction, as it was meant: that saves the negations
                terms[-gate] = kept(_mk_or(ref, 2, _pair(terms[-left], terms[-right])))
            else:
                terms[gate] = kept(_mk_and(ref, 2, _pair(terms[left], terms[right])))
        elif max(literals) < 0:
            terms[-gate] = kept(_mk_or(ref, len(literals), self._terms_of([-x for x in literals])))
        else:
            terms[gate] = kept(_mk_and(ref, len(literals), self._terms_of(literals)))
        return gate

    def xor(self, left: int, right: int) -> int:
        self._variables = gate = self._variables + 1
        self._clauses += 4
        self._choices[gate] = (left, -right, right)
        self._terms[gate] = self._terms.kept(_mk_xor(self._ref, self._terms[left], self._terms[right]))
        return gate

    def mux(self, condition: int, then: int, orelse: int) -> int:
        self._variables = gate = self._variables + 1
        self._clauses += 6
        self._choices[gate] = (condition, then, orelse)
        terms = self._terms
        terms[gate] = terms.kept(_mk_ite(self._ref, terms[condition], terms[then], terms[orelse]))
        return gate

    def named(self, literals: Sequence[int]) -> tuple[int, ...]:
        # Z3 goes over the whole of a term again whenever something built on it is asserted.
        return tuple([self._named(x) if x > 0 else -self._named(-x) for x in literals])

    def _named(self, variable: int) -> int:
        if variable not in self._conjunctions and variable not in self._choices:
            return variable
        name = self._names.get(variable)
        if name is None:
            name = self._names[variable] = self.new_variables(1)
            self._clauses += 2
            self._assert(_mk_iff(self._ref, self._terms[name], self._terms[variable]))
        return name

    def _assert(self, term: int | None) -> None:
        if term is None:
            self._terms.failed()
        z3core.Z3_solver_assert(self._context.ref(), self._solver.solver, _bound(term))

    def _terms_of(self, literals: Sequence[int]) -> bytes:
        """The addresses of several terms as C takes them."""
        return struct.pack(f"{len(literals)}P", *map(self._terms.__getitem__, literals))

    # -- answers ----------------------------------------------------------------------------------

    def check(self, assumptions: Sequence[int]) -> Answer:
        if -TRUE in assumptions:
            return Answer.UNSATISFIABLE
        named = self.named([x for x in assumptions if x != TRUE])
        answer = self._solver.check(*map(self._wrapped, named))
        if answer == z3.sat:
            self._model, self._values = self._solver.model(), {TRUE: True}
            return Answer.SATISFIABLE
        if answer == z3.unknown and self.reason() == _CTRL_C:
            raise KeyboardInterrupt
        return Answer.UNSATISFIABLE if answer == z3.unsat else Answer.UNKNOWN

    def true(self, literal: int) -> bool:
        assert self._model is not None, "there is a model only after a satisfiable check"
        values, waiting = self._values, [abs(literal)]
        while waiting:
            variable = waiting[-1]
            if variable not in values:
                operands = self._conjunctions.get(variable) or self._choices.get(variable) or ()
                below = [abs(x) for x in operands if abs(x) not in values]
                if below:
                    waiting += below
                    continue
                values[variable] = self._value(variable)
            waiting.pop()
        return values[abs(literal)] == (literal > 0)

    def _value(self, variable: int) -> bool:
        """The value of a variable in the model, those of its operands given."""
        if variable in self._conjunctions:
            return all(self._values[abs(x)] == (x > 0) for x in self._conjunctions[variable])
        if variable in self._choices:
            condition, then, orelse = self._choices[variable]
            chosen = then if self._values[abs(condition)] == (condition > 0) else orelse
            return self._values[abs(chosen)] == (chosen > 0)
        assert self._model is not None
        constant = _get_app_decl(self._ref, self._terms[variable])
        # A variable that the model leaves open may have either value: false then.
        value: int | None = _model_get_const_interp(self._ref, self._model.model.value, constant)
        return value == self._terms[TRUE]

    def _wrapped(self, literal: int) -> z3.BoolRef:
        return z3.BoolRef(_bound(self._terms[literal]), self._context)

    def interrupt(self) -> None:
        self._context.interrupt()

    def reason(self) -> str:
        return str(self._solver.reason_unknown())

    def statistics(self) -> Mapping[str, int]:
        """Gates count as the clauses that define them."""
        return {"variables": self._variables, "clauses": self._clauses}
