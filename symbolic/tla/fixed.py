"""Variables that an equation fixes.

`\\E x \\in S : x = e /\\ P(x)` is `e \\in S /\\ P(e)`, which asks for no choice.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.symbolic.lang import nodes as n


def conjuncts(formula: n.Node) -> Iterator[n.Node]:
    """The parts of a conjunction, in order."""
    if not isinstance(formula, n.And):
        yield formula
        return
    for item in formula.items:
        yield from conjuncts(item)


def fixed_value(var: n.Node, formula: n.Node) -> n.Node | None:
    """The value that an equation gives a variable, which may be of a wider type; None if it gives none."""
    if not isinstance(formula, n.Eq):
        return None
    for one, other in ((formula.left, formula.right), (formula.right, formula.left)):
        plain = one.item if isinstance(one, n.Coerce) else one
        if plain is var and not reads(other, var):
            return other
    return None


def reads(node: n.Node, var: n.Node) -> bool:
    """Whether an expression depends on a variable."""
    return any(one is var for one in n.postorder(node))
