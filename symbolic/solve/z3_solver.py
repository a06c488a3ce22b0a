"""Z3 behind the solver interface.

Gates become terms. Clauses as DIMACS text would make Z3 go over all its variables at every layer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import z3

from leadline.symbolic.solve.interface import TRUE, Clause, Copier, Satisfiability, Solver
from leadline.symbolic.solve.z3_terms import (
    GateTable,
    Terms,
    Z3Copier,
    addresses,
    get_app_decl,
    get_error_code,
    mk_and,
    mk_iff,
    mk_ite,
    mk_or,
    mk_xor,
    model_get_const_interp,
    pair,
    solver_assert,
)

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
        gates: the operands of the gates.
        clauses: the number of clauses given; a gate counts as the clauses that define it.
    """

    name = "z3"
    copies = True

    def __init__(self, seed: int = 0) -> None:
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_FD", ctx=self._context)
        self._solver.set("random_seed", seed)
        self._address: int = self._solver.solver.value
        self.ref: int = self._context.ref().value
        self.terms = Terms(self._context)
        self.terms[TRUE] = self.terms.kept(z3.BoolVal(True, self._context).ast.value)
        self.gates = GateTable(self.terms.copies)
        self._variables = TRUE
        self.clauses = 1
        self._names: dict[int, int] = {}
        self._model: z3.ModelRef | None = None
        self._values: dict[int, bool] = {}

    # -- terms ------------------------------------------------------------------------------------

    def new_variables(self, count: int) -> int:
        first = self._variables + 1
        self._variables += count
        return first

    def add(self, clauses: Sequence[Clause]) -> None:
        self.clauses += len(clauses)
        for clause in clauses:
            if len(clause) == 1:
                self._assert(self.terms[clause[0]])
            else:
                self._assert(mk_or(self.ref, len(clause), self._terms_of(clause)))

    def conj(self, literals: Sequence[int]) -> int:
        self._variables = gate = self._variables + 1
        self.clauses += len(literals) + 1
        self.gates.conjunctions[gate] = literals
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
        self._variables = gate = self._variables + 1
        self.clauses += 4
        self.gates.choices[gate] = (left, -right, right)
        self.terms[gate] = self.terms.kept(mk_xor(self.ref, self.terms[left], self.terms[right]))
        return gate

    def mux(self, condition: int, then: int, orelse: int) -> int:
        self._variables = gate = self._variables + 1
        self.clauses += 6
        self.gates.choices[gate] = (condition, then, orelse)
        terms = self.terms
        terms[gate] = terms.kept(mk_ite(self.ref, terms[condition], terms[then], terms[orelse]))
        return gate

    def copier(self, variables: Sequence[int], known: Collection[int]) -> Copier | None:
        return Z3Copier.of(self, variables, known)

    def named(self, literals: Sequence[int]) -> tuple[int, ...]:
        # Whenever a term is asserted, Z3 goes over all terms below it again.
        return tuple([self._named(x) if x > 0 else -self._named(-x) for x in literals])

    def _named(self, variable: int) -> int:
        name = self._names.get(variable)
        if name is not None:
            return name
        if not self.gates.is_gate(variable):
            return variable
        name = self._names[variable] = self.new_variables(1)
        self.clauses += 2
        self._assert(mk_iff(self.ref, self.terms[name], self.terms[variable]))
        return name

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
                below = [abs(x) for x in self.gates.operands(variable) if abs(x) not in values]
                if below:
                    waiting += below
                    continue
                values[variable] = self._value(variable)
            waiting.pop()
        return values[abs(literal)] == (literal > 0)

    def _value(self, variable: int) -> bool:
        """The value of a variable in the model, once those of its operands are known."""
        operands = self.gates.operands(variable)
        if operands and self.gates.is_choice(variable):
            condition, then, orelse = operands
            chosen = then if self._values[abs(condition)] == (condition > 0) else orelse
            return self._values[abs(chosen)] == (chosen > 0)
        if operands:
            return all(self._values[abs(x)] == (x > 0) for x in operands)
        assert self._model is not None
        constant = get_app_decl(self.ref, self.terms[variable])
        # A variable that the model leaves open may have either value; it counts as false.
        value: int | None = model_get_const_interp(self.ref, self._model.model.value, constant)
        return value == self.terms[TRUE]

    def _wrapped(self, literal: int) -> z3.BoolRef:
        return z3.BoolRef(_bound(self.terms[literal]), self._context)

    def interrupt(self) -> None:
        self._context.interrupt()

    def reason(self) -> str:
        return str(self._solver.reason_unknown())

    def statistics(self) -> Mapping[str, int]:
        return {"variables": self._variables, "clauses": self.clauses}
