"""A counterexample whose names are hostile to a page."""

from leadline.symbolic.trace import Stored
from tests.report.store import EVIL


def hostile() -> Stored:
    """A stored run with a script in every text."""
    state = {EVIL: EVIL, "b": {EVIL: [EVIL, None, True]}}
    return Stored(
        EVIL,
        {
            "protocol": EVIL,
            "source": EVIL,
            "parameters": {EVIL: EVIL},
            "property": EVIL,
            "ends": EVIL,
            "vars": [EVIL, "b"],
            "initial_picks": {EVIL: EVIL},
            "loop": EVIL,
            "actions": [{"name": EVIL, "picks": {EVIL: {EVIL: EVIL}}}],
            "states": [state, {**state, EVIL: "</script><script>document.title = 'ran'</script>"}],
        },
    )
