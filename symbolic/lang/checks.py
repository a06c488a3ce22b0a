"""What is wrong with finished expressions: mistakes kept in them, and leaves that strayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.errors import Mistake
from leadline.symbolic.lang.model import Pick, Variable
from leadline.symbolic.lang.span import Span


def mistakes_in(*roots: n.Node) -> list[Mistake]:
    """The mistakes that the gate and the type rules left in the expressions."""
    return [Mistake(x.mistake_span, x.mistake) for x in n.postorder(*roots) if isinstance(x, n.Invalid)]


def strays(
    roots: Sequence[n.Node], variables: Mapping[str, Variable], picks: Sequence[Pick], where: str, span: Span
) -> list[Mistake]:
    """The leaves that mean nothing here: kept from another protocol, action or quantifier.

    Args:
        roots: the expressions.
        variables: the state variables that they may read.
        picks: the picks that they may use.
        where: the action or property that they belong to, for the texts.
        span: its place. That of a leaf will not do: equal leaves are one node, with one line.
    """
    picked = {(pick.name, pick.type) for pick in picks}
    told = []
    for node in n.postorder(*roots):
        match node:
            case n.StateVar(name=name):
                if name not in variables or variables[name].type != node.type:
                    text = f"{where} reads `{name}`, a variable of another protocol or other parameters"
                    told.append(Mistake(span, text))
            case n.PickVar(name=name):
                if (name, node.type) not in picked:
                    text = (
                        f"{where} uses the pick `{name}` of another action: picks are known in their own only"
                    )
                    told.append(Mistake(span, text))
            case n.Bound(name=name) if node.level < 0:
                text = f"{where} uses `{name}` outside of the function whose argument it is"
                told.append(Mistake(node.span, text))
    return told
