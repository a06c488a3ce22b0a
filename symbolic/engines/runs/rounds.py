"""k-liveness: the number of rounds in which a fair run meets all conditions while the claim is unmet.

K. Claessen, N. Sörensson: A liveness checking algorithm that counts, FMCAD 2012. If no run has more than k
rounds, none has infinitely many, and the claim holds. The rounds are counted from a moment on that the run
chooses, after which no predicate of `leadline.symbolic.engines.runs.stabilizing` moves any more.

A strong condition is met in a round if its action is taken, or could not be taken since the counting began.
"""

from __future__ import annotations

from dataclasses import replace

from leadline.symbolic.engines.runs.product import FALSE, TRUE, Product, Watched, flags_of, read
from leadline.symbolic.engines.runs.stabilizing import Settling
from leadline.symbolic.lang import BOOL, NOWHERE, Action, Model, nodes as n
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.lang.rules import connective, equality, implication, negation

BEGIN = "(begin)"
"""The action after which rounds are counted. No method of a protocol can have the name."""

BEGUN = "(begun)"


def rounds_model(product: Product, name: str, most: int, settling: Settling = ()) -> Model:
    """A model with one property: that the run has at most some number of rounds, and predicates settle.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
        most: the number of rounds, 0 or more.
        settling: the predicates that settle.
    """
    # The i-th of the variables that count says that there were at least i rounds.
    counter = _Counter(product, [f"(round {number})" for number in range(1, most + 2)], settling)
    more = [*product.nothing_noted, *((bit, BOOL, FALSE) for bit in counter.rounds)]
    actions = [counter.counting(one) for one in product.watched]
    if counter.begun is not TRUE:
        more.append((BEGUN, BOOL, FALSE))
        actions.append(Action(BEGIN, BEGIN, "", NOWHERE, (negation(counter.begun),), ((BEGUN, TRUE),)))
    return product.model(name, negation(read(counter.rounds[-1], BOOL)), actions, more)


class _Counter:
    """Adds to the steps of a product what counts rounds.

    Attributes:
        rounds: the variables that count; the last is true, too, once a predicate moved that had settled.
        begun: whether the counting has begun.
    """

    def __init__(self, product: Product, rounds: list[str], settling: Settling) -> None:
        self._product, self._settling, self.rounds = product, settling, rounds
        self._kinds = {one.name: one.type for one in product.variables}
        self.begun = read(BEGUN, BOOL) if settling or product.strong else TRUE

    def counting(self, one: Watched) -> Action:
        """An action whose steps count."""
        updates = dict(one.action.updates)
        now = {
            flag: connective(n.And, [self.begun, connective(n.Or, [mark.at(read(flag, mark.type)), node])])
            for flag, mark, node in self._product.noted(one)
        }
        done = connective(n.And, [self.begun, *self._product.fulfilled(lambda flag, _: now[flag])])
        able = dict(flags_of(self._product.strong, "able"))
        for flag, mark in self._product.flags:
            kept = now[flag] if flag in able else connective(n.And, [now[flag], negation(done)])
            updates[flag] = mark.value(kept)
        before: n.Node = TRUE
        for bit in self.rounds:
            old = read(bit, BOOL)
            updates[bit] = connective(n.Or, [old, connective(n.And, [before, done])])
            before = old
        still, wrong = self._moves(one.action)
        updates[self.rounds[-1]] = connective(n.Or, [updates[self.rounds[-1]], wrong])
        body = (*one.action.body, *([] if still is TRUE else [implication(self.begun, still)]))
        return replace(one.action, body=body, updates=tuple(updates.items()))

    def _moves(self, action: Action) -> tuple[n.Node, n.Node]:
        """Whether a step moves none of the predicates; whether the first level that it moves goes back."""
        new = dict(action.updates)
        still: list[object] = []
        wrong: list[object] = []
        for level in self._settling:
            same: list[object] = []
            back: list[object] = []
            for one in level:
                variable, mark, node = one.predicate.variable, one.predicate.mark, one.predicate.node
                if variable not in new:
                    continue
                after = replaced(node, {read(variable, self._kinds[variable]): new[variable]})
                same.append(mark.every(equality(node, after)))
                order = (node, after) if one.rises else (after, node)
                back.append(negation(mark.every(implication(*order))))
            wrong.append(connective(n.And, [*still, connective(n.Or, back)]))
            still += same
        return connective(n.And, still), connective(n.Or, wrong)
