"""The invariants that a claim about runs comes to, in other models: what is asked, and what a proof is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from leadline.symbolic.engines.liveness.changing import Changing
from leadline.symbolic.engines.liveness.formulas import normal, split
from leadline.symbolic.engines.liveness.history import bounds_model, history_model
from leadline.symbolic.engines.liveness.loops import loop_model
from leadline.symbolic.engines.liveness.product import Product, product_of
from leadline.symbolic.engines.liveness.rounds import rounds_model
from leadline.symbolic.engines.liveness.settling import Settling, understood
from leadline.symbolic.lang import Model, Property, UserError
from leadline.symbolic.lang.temporal import Temporal, expanded, expressions, is_step


class Method(StrEnum):
    """A way from a claim about runs to an invariant.

    The first is of the part that a finite run can violate, the last of the evaluation of the claim. The others
    are of the rest, by either.
    """

    HISTORY = "history"
    ROUNDS = "k-liveness"
    LOOPS = "liveness-to-safety"
    BOUNDS = "bounds"


@dataclass(frozen=True)
class Part:
    """One of the invariants.

    Attributes:
        method: how it comes about.
        rounds: with `Method.ROUNDS`, the number of rounds that a run has at most.
        settled: with `Method.ROUNDS`, the predicates that settle, by level, as texts.
    """

    method: Method
    rounds: int = 0
    settled: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def by_rounds(cls, rounds: int, settling: Settling) -> Part:
        """The part that counts rounds."""
        return cls(Method.ROUNDS, rounds, tuple(tuple(x.text for x in level) for level in settling))

    @property
    def text(self) -> str:
        """It in a few words."""
        return f"{self.method}, k = {self.rounds}" if self.method is Method.ROUNDS else str(self.method)


class Reduction:
    """The other models for a claim about runs.

    Args:
        model: the model.
        claim: the claim, which has a temporal formula.
    """

    def __init__(self, model: Model, claim: Property) -> None:
        assert claim.temporal is not None
        self.model, self.name = model, claim.name
        self.formula: Temporal = claim.temporal
        self.safety, self.rest = split(self.formula)

    @cached_property
    def product(self) -> Product:
        """The model beside a monitor of the negation of what is not safety."""
        assert self.rest is not None
        return product_of(self.model, normal(self.rest, negated=True), Changing(self.model))

    def needs(self, live: Method = Method.LOOPS) -> tuple[Method, ...]:
        """The methods whose invariants together come to the claim.

        Args:
            live: the method for what is not safety.
        """
        if self.rest is None:
            return (Method.HISTORY,)
        return (*(() if self.safety.empty else (Method.HISTORY,)), live, Method.BOUNDS)

    def check(self, parts: Sequence[Part]) -> None:
        """Check that parts of a proof, each of which holds, prove the claim.

        Raises:
            UserError: if they do not.
        """
        given = tuple(one.method for one in parts)
        if given not in (self.needs(Method.ROUNDS), self.needs(Method.LOOPS)):
            wanted = " and ".join(map(str, self.needs(Method.ROUNDS)))
            raise UserError(f"{' and '.join(given) or 'nothing'}: a proof of {self.name} is by {wanted}")

    def stated(self, part: Part) -> Model:
        """The model whose one property is the invariant of a part.

        Raises:
            UserError: if the part is of another model.
        """
        match part.method:
            case Method.HISTORY:
                return history_model(self.model, self.name, self.safety)
            case Method.LOOPS:
                return loop_model(self.product, self.name)
            case Method.ROUNDS:
                settling = understood(self.product.variables, part.settled)
                return rounds_model(self.product, self.name, part.rounds, settling)
        nodes = expressions(expanded(self.formula))
        states, steps = [x for x in nodes if not is_step(x)], [x for x in nodes if is_step(x)]
        return bounds_model(self.model, self.name, states, steps)


# -- proofs as data ------------------------------------------------------------------------------------

PARTS = "parts"
"""The member of a certificate that has the parts of a proof about runs."""

METHODS = "methods"
"""The member of an answer that says how a claim about runs is proved, a text for each part."""

_OWN = ("strengthenings", "clauses", "within_bounds")
"""The members of a certificate that are of one invariant."""


def runs_certificate(model: Model, proofs: Sequence[tuple[Part, Mapping[str, Any]]]) -> dict[str, Any]:
    """A proof of a claim about runs, as a JSON object that `certificates.read_certificate` reads.

    Args:
        model: the model.
        proofs: the parts, each with the certificate of its invariant.
    """
    _, first = proofs[0]
    return {
        **{name: value for name, value in first.items() if name not in _OWN},
        "parameters": dict(model.parameters),
        "fingerprint": model.fingerprint,
        PARTS: [
            {
                "method": str(part.method),
                **({"rounds": part.rounds} if part.method is Method.ROUNDS else {}),
                **({"settled": [list(level) for level in part.settled]} if part.settled else {}),
                **{name: made[name] for name in _OWN if name in made},
            }
            for part, made in proofs
        ],
    }
