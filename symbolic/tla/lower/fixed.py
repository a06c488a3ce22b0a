"""Variables that an equation fixes.

`\\E x \\in S : x = e /\\ P(x)` is `e \\in S /\\ P(e)`, which asks for no choice.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.symbolic.lang import nodes as n


def conjuncts(formula: n.Node) -> Iterator[n.Node]:
    """The parts of a conjunction, in order; that values may be compared is one, before their comparison."""
    match formula:
        case n.And(items=items):
            for item in items:
                yield from conjuncts(item)
        case n.Ite(condition=refused, then=n.Undefined() as nothing, orelse=answer):
            allowed = n.make(n.Const, formula.type, formula.span, True)
            yield n.make(n.Ite, formula.type, formula.span, refused, nothing, allowed)
            if not isinstance(answer, n.Const) or not answer.value:
                yield from conjuncts(answer)
        case _:
            yield formula


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
    return var in n.leaves_of(node)
