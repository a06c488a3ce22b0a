"""A checker of DRUP proofs that shares nothing with the solvers, and is short enough to be read.

A line of a proof adds a clause that must follow by reverse unit propagation: with all its literals false,
unit propagation over the clauses so far ends in a conflict. Deletions ("d") only spare time; those of the
clauses that are unit are passed over, as in drat-trim (what they forced stays forced, and still follows).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

Clause = tuple[int, ...]


class NoProof(Exception):
    """A line does not follow from what is above it, or the empty clause is missing."""


def read_dimacs(text: str) -> list[Clause]:
    """The clauses of a DIMACS formula, one a line as Leadline writes them."""
    lines = [line.split() for line in text.splitlines() if line and line[0] not in "cp"]
    return [_clause(words) for words in lines]


def read_proof(text: str) -> Iterator[tuple[bool, Clause]]:
    """For each line of a proof whether it deletes, and its clause."""
    for line in text.splitlines():
        words = line.split()
        deletes = words[:1] == ["d"]
        yield deletes, _clause(words[deletes:])


def _clause(words: list[str]) -> Clause:
    *literals, end = map(int, words)
    assert end == 0 and 0 not in literals, f"a clause ends with its only 0: {words}"
    return tuple(dict.fromkeys(literals))


class Checker:
    """The clauses so far, each of two or more literals watched by its first two."""

    def __init__(self, formula: Iterable[Clause]) -> None:
        self.true: set[int] = set()
        self.trail: list[int] = []
        self.watching: defaultdict[int, list[list[int]]] = defaultdict(list)
        self.known: defaultdict[frozenset[int], list[list[int]]] = defaultdict(list)
        self.refuted = False
        for clause in formula:
            self.add(clause)

    def add(self, clause: Clause) -> None:
        """Take a clause as given, and what it forces for good."""
        # Literals that are not false come first: a clause of the others is unit, or in conflict.
        literals = sorted(clause, key=lambda literal: -literal in self.true)
        open_literals = [literal for literal in literals if -literal not in self.true]
        if len(literals) > 1:
            self.known[frozenset(literals)].append(literals)
            for literal in literals[:2]:
                self.watching[literal].append(literals)
        if not open_literals:
            self.refuted = True
        elif len(open_literals) == 1:
            self.refuted |= self.assume(open_literals)

    def delete(self, clause: Clause) -> None:
        """Forget a clause, unless it is what forces a literal."""
        same = self.known.get(frozenset(clause))
        if same and sum(-literal in self.true for literal in clause) < len(clause) - 1:
            literals = same.pop()
            for literal in literals[:2]:
                self.watching[literal] = [one for one in self.watching[literal] if one is not literals]

    def assume(self, literals: Iterable[int]) -> bool:
        """Make literals true and propagate; whether that ends in a conflict."""
        start = len(self.trail)
        for literal in literals:
            if -literal in self.true:
                return True
            self._set(literal)
        while start < len(self.trail):
            if self._propagate(-self.trail[start]):
                return True
            start += 1
        return False

    def _set(self, literal: int) -> None:
        if literal not in self.true:
            self.true.add(literal)
            self.trail.append(literal)

    def _propagate(self, false: int) -> bool:
        watching, self.watching[false] = self.watching[false], []
        for place, clause in enumerate(watching):
            if clause[0] == false:
                clause[0], clause[1] = clause[1], clause[0]
            for i in range(2, len(clause)):
                if clause[0] not in self.true and -clause[i] not in self.true:
                    clause[1], clause[i] = clause[i], false
                    self.watching[clause[1]].append(clause)
                    break
            else:
                self.watching[false].append(clause)
                if -clause[0] in self.true:
                    self.watching[false] += watching[place + 1 :]
                    return True
                self._set(clause[0])
        return False

    def follows(self, clause: Clause) -> bool:
        """Whether a clause follows by reverse unit propagation."""
        before = len(self.trail)
        conflict = self.refuted or self.assume([-literal for literal in clause])
        self.true.difference_update(self.trail[before:])
        del self.trail[before:]
        return conflict


def check(formula: Iterable[Clause], proof: Iterable[tuple[bool, Clause]]) -> int:
    """Check that a proof refutes a formula.

    Returns:
        How many clauses were looked at until the formula was refuted.

    Raises:
        NoProof: if it does not.
    """
    checker, added = Checker(formula), 0
    for deletes, clause in proof:
        if deletes:
            checker.delete(clause)
            continue
        added += 1
        if not checker.follows(clause):
            raise NoProof(f"clause {added} does not follow: {clause}")
        if not clause:
            return added
        checker.add(clause)
    raise NoProof("the empty clause is missing")
