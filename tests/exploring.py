"""Exploration of a meaning in one call."""

from collections.abc import Callable, Sequence

from leadline.symbolic.meaning import Exploration, Explorer, Level, Meaning


def explore(
    semantics: Meaning,
    properties: Sequence[str] = (),
    depth: int | None = None,
    progress: Callable[[Level], None] = lambda _: None,
    max_states: int | None = None,
) -> Exploration:
    """Explore as `Explorer` does, to the end."""
    explorer = Explorer(semantics, properties, depth, progress, max_states)
    explorer.run()
    return explorer.summary()
