"""Z3 behind the solver interface.

Gates become terms. Clauses as DIMACS text would make Z3 go over all its variables at every layer. Terms are
addresses: these functions call Z3's C interface directly, since the Python layer above it takes ten times as long.
"""

from __future__ import annotations

import ctypes
import inspect
import struct
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import z3
from z3 import z3core

from leadline.symbolic.solve.interface import TRUE, Clause, Satisfiability, Solver


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


class TermTable(dict[int, int]):
    """The address of each literal's term, which lives as long as the context.

    A missing term is made when it is first asked for: a negation, or a constant of the literal's number.
    """

    def __init__(self, context: z3.Context) -> None:
        super().__init__()
        self._context = context
        self._ref: int = context.ref().value
        self._sort: int = z3.BoolSort(context).ast.value

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
        if literal > 0 and -literal not in self:
            term = mk_const(self._ref, mk_symbol(self._ref, literal), self._sort)
        else:
            term = mk_not(self._ref, self[-literal])
        self[literal] = self.kept(term)
        return self[literal]

    def failed(self) -> NoReturn:
        """Raise the context's latest error."""
        ref = self._context.ref()
        raise z3.Z3Exception(z3core.Z3_get_error_msg(ref, z3core.Z3_get_error_code(ref)))


_CTRL_C = "interrupted from keyboard"
"""The reason that Z3 gives when it caught the signal itself. Python then never sees the signal."""


def _bound(term: int) -> z3.Ast:
    """A term's address in the form that the binding's own functions take."""
    made = z3.Ast(None)
    made.value = term
    return made


class Z3Solver(Solver):
    """Z3's incremental solver for finite domains.

    Args:
        seed: the random seed.

    Attributes:
        ref: the address of its context.
        terms: the address of each literal's term.
        conjunctions: the operands of each conjunction.
        choices: those of each multiplexer; an exclusive or is stored as one.
    """

    name = "z3"

    def __init__(self, seed: int = 0) -> None:
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_FD", ctx=self._context)
        self._solver.set("random_seed", seed)
        self._address: int = self._solver.solver.value
        self.ref: int = self._context.ref().value
        self.terms = TermTable(self._context)
        self.terms[TRUE] = self.terms.kept(z3.BoolVal(True, self._context).ast.value)
        self.conjunctions: dict[int, Sequence[int]] = {}
        self.choices: dict[int, tuple[int, int, int]] = {}
        self.clauses = 1
        self._names: dict[int, int] = {}
        self._model: z3.ModelRef | None = None
        self._values: dict[int, bool] = {}

    # -- terms ------------------------------------------------------------------------------------

    def add(self, clauses: Sequence[Clause]) -> None:
        self.clauses += len(clauses)
        for clause in clauses:
            if len(clause) == 1:
                self._assert(self.terms[clause[0]])
            else:
                self._assert(mk_or(self.ref, len(clause), self._terms_of(clause)))

    def conj(self, literals: Sequence[int]) -> int:
        self.variables = gate = self.variables + 1
        self.clauses += len(literals) + 1
        self.conjunctions[gate] = literals
        terms, ref, kept = self.terms, self.ref, self.terms.kept
        if len(literals) == 2:  # Most gates have two operands.
            left, right = literals
            if left < 0 and right < 0:  # A disjunction saves the negations.
                terms[-gate] = kept(mk_or(ref, 2, pair(terms[-left], terms[-right])))
            else:
                terms[gate] = kept(mk_and(ref, 2, pair(terms[left], terms[right])))
        elif max(literals) < 0:
            terms[-gate] = kept(mk_or(ref, len(literals), self._terms_of([-x for x in literals])))
        else:
            terms[gate] = kept(mk_and(ref, len(literals), self._terms_of(literals)))
        return gate

    def xor(self, left: int, right: int) -> int:
        self.variables = gate = self.variables + 1
        self.clauses += 4
        self.choices[gate] = (left, -right, right)
        self.terms[gate] = self.terms.kept(mk_xor(self.ref, self.terms[left], self.terms[right]))
        return gate

    def mux(self, condition: int, then: int, orelse: int) -> int:
        self.variables = gate = self.variables + 1
        self.clauses += 6
        self.choices[gate] = (condition, then, orelse)
        terms = self.terms
        terms[gate] = terms.kept(mk_ite(self.ref, terms[condition], terms[then], terms[orelse]))
        return gate

    def named(self, literals: Sequence[int]) -> tuple[int, ...]:
        # Whenever a term is asserted, Z3 goes over all terms below it again.
        return tuple([self._named(x) if x > 0 else -self._named(-x) for x in literals])

    def _named(self, variable: int) -> int:
        name = self._names.get(variable)
        if name is not None:
            return name
        if not self._operands(variable):
            return variable
        name = self._names[variable] = self.new_variables(1)
        self.clauses += 2
        self._assert(mk_iff(self.ref, self.terms[name], self.terms[variable]))
        return name

    def _operands(self, variable: int) -> Sequence[int]:
        """The literals that a gate combines; empty for any other variable."""
        return self.conjunctions.get(variable) or self.choices.get(variable) or ()

    def _assert(self, term: int | None) -> None:
        """Assert a term; the solver keeps it alive."""
        if term is None:
            self.terms.failed()
        solver_assert(self.ref, self._address, term)
        if get_error_code(self.ref):
            self.terms.failed()

    def _terms_of(self, literals: Sequence[int]) -> bytes:
        """The addresses of several literals' terms as C takes them."""
        return addresses(map(self.terms.__getitem__, literals))

    # -- answers ----------------------------------------------------------------------------------

    def check(self, assumptions: Sequence[int]) -> Satisfiability:
        if -TRUE in assumptions:
            return Satisfiability.UNSATISFIABLE
        named = self.named([x for x in assumptions if x != TRUE])
        answer = self._solver.check(*map(self._wrapped, named))
        if answer == z3.sat:
            self._model, self._values = self._solver.model(), {TRUE: True}
            return Satisfiability.SATISFIABLE
        if answer == z3.unknown and self.reason() == _CTRL_C:
            raise KeyboardInterrupt
        return Satisfiability.UNSATISFIABLE if answer == z3.unsat else Satisfiability.UNKNOWN

    def true(self, literal: int) -> bool:
        assert self._model is not None, "only a satisfiable check has a model"
        values, waiting = self._values, [abs(literal)]
        while waiting:
            variable = waiting[-1]
            if variable not in values:
                below = [abs(x) for x in self._operands(variable) if abs(x) not in values]
                if below:
                    waiting += below
                    continue
                values[variable] = self._value(variable)
            waiting.pop()
        return values[abs(literal)] == (literal > 0)

    def _value(self, variable: int) -> bool:
        """The value of a variable in the model, once those of its operands are known."""
        if variable in self.choices:
            condition, then, orelse = self.choices[variable]
            chosen = then if self._values[abs(condition)] == (condition > 0) else orelse
            return self._values[abs(chosen)] == (chosen > 0)
        if variable in self.conjunctions:
            return all(self._values[abs(x)] == (x > 0) for x in self.conjunctions[variable])
        assert self._model is not None
        constant = get_app_decl(self.ref, self.terms[variable])
        # A variable that the model leaves open may have either value; it counts as false.
        value: int | None = model_get_const_interp(self.ref, self._model.model.value, constant)
        return value == self.terms[TRUE]

    def _wrapped(self, literal: int) -> z3.BoolRef:
        return z3.BoolRef(_bound(self.terms[literal]), self._context)

    def reason(self) -> str:
        return str(self._solver.reason_unknown())
