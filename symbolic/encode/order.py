"""An order of the actions from what they read and write: an action that may enable another comes first.

The order that leaves the fewest such pairs the wrong way round is a feedback arc set problem; the heuristic
is that of P. Eades, X. Lin, W. Smyth: A fast and effective heuristic for the feedback arc set problem,
Information Processing Letters 47, 1993.
"""

from __future__ import annotations

from collections.abc import Sequence

from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.model import Action, Model, Pick

Path = tuple[str | int, ...]
"""A part of the state: a variable and the positions of components inside; keys of maps do not count."""


def static_order(model: Model) -> tuple[Action, ...]:
    """The actions in an order in which few of them come after one that they may enable."""
    reads = {action.name: _read(action) for action in model.actions}
    writes = {action.name: _written(action) for action in model.actions}
    weight = {
        (a.name, b.name): sum(1 for w in writes[a.name] for r in reads[b.name] if _touch(w, r))
        for a in model.actions
        for b in model.actions
        if a is not b
    }
    ranks = _ranking([action.name for action in model.actions], weight)
    return tuple(sorted(model.actions, key=lambda action: ranks[action.name]))


def _ranking(names: list[str], weight: dict[tuple[str, str], int]) -> dict[str, int]:
    """Sources to the front, sinks to the back, else the largest surplus to the front."""
    left = list(names)
    front: list[str] = []
    back: list[str] = []

    def surplus(name: str) -> int:
        return sum(weight[name, x] - weight[x, name] for x in left if x != name)

    while left:
        sink = next((x for x in left if not any(weight[x, y] for y in left if y != x)), None)
        source = next((x for x in left if not any(weight[y, x] for y in left if y != x)), None)
        if sink is not None and sink != source:
            back.insert(0, sink)
            left.remove(sink)
        else:
            chosen = source if source is not None else max(left, key=surplus)
            front.append(chosen)
            left.remove(chosen)
    return {name: place for place, name in enumerate([*front, *back])}


def _touch(a: Path, b: Path) -> bool:
    shorter = min(len(a), len(b))
    return a[:shorter] == b[:shorter]


def _read(action: Action) -> set[Path]:
    """What the guards and the picks' domains look at."""
    roots = [item.domain if isinstance(item, Pick) else item for item in action.body]
    return reads([root for root in roots if root is not None])


def reads(roots: Sequence[n.Node]) -> set[Path]:
    """The parts of the state that expressions look at."""
    looked_at = list(roots)
    for node in n.postorder(*roots):
        # What a longer path leads through is not looked at by that path as a whole.
        through = _through(node) if path_of(node) is not None else None
        looked_at += [child for child in n.children(node) if child is not through]
    paths = (path_of(node) for node in looked_at)
    return {path for path in paths if path is not None}


def _through(node: n.Node) -> n.Node | None:
    if isinstance(node, n.Component):
        return node.item
    return node.map if isinstance(node, n.Apply) else None


def path_of(node: n.Node) -> Path | None:
    """The part of the state that a chain of components and applications leads to."""
    steps: list[int] = []
    while not isinstance(node, n.StateVar):
        if isinstance(node, n.Component):
            steps.append(node.position)
            node = node.item
        elif isinstance(node, n.Apply):
            node = node.map
        else:
            return None
    return (node.name, *reversed(steps))


def _written(action: Action) -> set[Path]:
    return {path for name, value in action.updates for path in changed((name,), value)}


def changed(path: Path, value: n.Node) -> set[Path]:
    """The parts at which an update may differ from the current value of the part at `path`."""
    if path_of(value) == path:
        return set()
    match value:
        case n.MapUpdate():
            return changed(path, value.map) | changed(path, value.value)
        case n.ComponentUpdate():
            return changed(path, value.item) | changed((*path, value.position), value.value)
        case n.Ite():
            return changed(path, value.then) | changed(path, value.orelse)
    return {path}
