"""k-liveness: the number of rounds in which a fair run meets all conditions while the claim is unmet.

K. Claessen, N. Sörensson: A liveness checking algorithm that counts, FMCAD 2012. If no run has more than k
rounds, none has infinitely many, and the claim holds. The rounds are counted from a moment on that the run
chooses, after which no predicate of `leadline.symbolic.engines.runs.stabilizing` moves any more.

A strong condition is met in a round if its action is taken, or could not be taken since the counting began.
"""

from __future__ import annotations

from leadline.symbolic.engines.prove.lemmas import claiming
from leadline.symbolic.engines.runs.loops import flags_of, read
from leadline.symbolic.engines.runs.product import FALSE, TRUE, Product, Watched
from leadline.symbolic.engines.runs.stabilizing import Settling
from leadline.symbolic.lang import BOOL, NOWHERE, Action, Model, Property, PropertyKind, Variable, nodes as n
from leadline.symbolic.lang.nodes import replaced
from leadline.symbolic.lang.rules import connective, equality, implication, negation

BEGIN = "(begin)"
"""The action after which rounds are counted. No method of a protocol can have the name."""

BEGUN = "(begun)"


def round_bits(most: int) -> list[str]:
    """The variables that count rounds: the i-th says that there were at least i.

    Args:
        most: the number of rounds that a run may have, 0 or more.
    """
    return [f"(round {number})" for number in range(1, most + 2)]


def rounds_model(product: Product, name: str, most: int, settling: Settling = ()) -> Model:
    """A model with one property: that the run has at most some number of rounds, and predicates settle.

    Args:
        product: the product of a model and the negation of a property.
        name: the name of the property.
        most: the number of rounds, 0 or more.
        settling: the predicates that settle.
    """
    counter = _Counter(product, round_bits(most), settling)
    marks = [*flags_of(product.recurrent, "met"), *flags_of(product.strong, "able", "taken")]
    kinds = {flag: mark.type for flag, mark in marks} | dict.fromkeys(counter.rounds, BOOL)
    first = [(flag, mark.value(FALSE)) for flag, mark in marks] + [(x, FALSE) for x in counter.rounds]
    actions = [counter.counting(one) for one in product.watched]
    if counter.begun is not TRUE:
        kinds[BEGUN] = BOOL
        first.append((BEGUN, FALSE))
        actions.append(Action(BEGIN, BEGIN, "", NOWHERE, (negation(counter.begun),), ((BEGUN, TRUE),)))
    init = Action("init", "Init", "", NOWHERE, product.init.body, (*product.init.updates, *first))
    within = negation(read(counter.rounds[-1], BOOL))
    claim = Property(name, name, PropertyKind.INVARIANT, "", NOWHERE, within)
    variables = (*product.variables, *(Variable(x, x, kind, NOWHERE) for x, kind in kinds.items()))
    return Model(product.base.protocol, {}, variables, init, tuple(actions), claiming(product.base, claim))


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
        action, updates = one.action, dict(one.action.updates)
        now = self._seen(one)
        done = connective(n.And, [self.begun, *self._all_met(now)])
        for flag, mark in flags_of(self._product.strong, "able"):
            updates[flag] = mark.value(now[flag])
        again = negation(done)
        pairs = [*flags_of(self._product.recurrent, "met"), *flags_of(self._product.strong, "taken")]
        for flag, mark in pairs:
            updates[flag] = mark.value(connective(n.And, [now[flag], again]))
        before: n.Node = TRUE
        for bit in self.rounds:
            old = read(bit, BOOL)
            updates[bit] = connective(n.Or, [old, connective(n.And, [before, done])])
            before = old
        still, wrong = self._moves(action)
        updates[self.rounds[-1]] = connective(n.Or, [updates[self.rounds[-1]], wrong])
        body = (*action.body, *([] if still is TRUE else [implication(self.begun, still)]))
        return Action(action.name, action.tla, action.doc, action.span, body, tuple(updates.items()))

    def _seen(self, one: Watched) -> dict[str, n.Node]:
        """For each flag, whether its condition was met in this round, this step included."""
        product = self._product
        found = [("met", product.recurrent, one.met), ("able", product.strong, product.able)]
        found.append(("taken", product.strong, one.taken))
        return {
            flag: connective(n.And, [self.begun, connective(n.Or, [mark.at(read(flag, mark.type)), node])])
            for word, marks, nodes in found
            for (flag, mark), node in zip(flags_of(marks, word), nodes, strict=True)
        }

    def _all_met(self, now: dict[str, n.Node]) -> list[object]:
        """Whether all conditions are met in the round."""
        found: list[object] = [mark.every(now[x]) for x, mark in flags_of(self._product.recurrent, "met")]
        strong = self._product.strong
        for (able, mark), (taken, _) in zip(flags_of(strong, "able"), flags_of(strong, "taken"), strict=True):
            found.append(mark.every(implication(now[able], now[taken])))
        return found

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
