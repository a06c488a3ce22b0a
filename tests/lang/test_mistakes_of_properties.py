"""Every mistake in a property: its place, and the key words of its text (`...` stands for any others)."""

from __future__ import annotations

import pytest

from tests.lang.sample import check, in_action

PROPERTIES = {
    "that names no state": (
        "@invariant(Sample)  #a\ndef one(p, now):\n    return forall(p.Node, lambda x: x == x)",
        "{a}: the property one names no state variable: it would say the same of every state",
    ),
    "that returns nothing": (
        "@invariant(Sample)  #a\ndef one(p, now):\n    now.count == 1",
        "{a}: the property one returns nothing: return its formula",
    ),
    "that is a claim about runs": (
        "@invariant(Sample)  #a\ndef one(p, now):\n    return eventually(now.count == 1)",
        "{a}: the invariant one returns a formula about runs: write @temporal above it",
    ),
    "that is no Boolean": (
        "@invariant(Sample)  #a\ndef one(p, now):\n    return now.count",
        "{a}: type clash: a value of Bool is needed, and this is of Int(0, 3)",
    ),
    "that uses a pick": (
        "@invariant(Sample)  #a\ndef one(p, now):\n    return (now.leader == PICKS[0]) | (now.count == 1)",
        "{a}: the property one uses the pick `who` of another action: picks are known in their own only",
    ),
    "named like what is no property": (
        "@invariant(Sample)  #a\ndef deadlock(p, now):\n    return now.count == 1",
        "{a}: the name deadlock ... rename the property",
    ),
    "that sees the next state": (
        "@invariant(Sample)  #a\ndef one(p, now, nxt):\n    return nxt.count > now.count",
        "{a}: takes (p, now, nxt) ... def one(protocol, now) ... one state ... variable",
    ),
    "without the protocol": (
        "@invariant(Sample)  #a\ndef one(now):\n    return now.count == 1",
        "{a}: takes (now) ... def one(protocol, now)",
    ),
    "stated twice": (
        "@invariant(Sample)  #a\ndef one(p, now):\n    return now.count == 1\nfirst = one\n"
        "@probe(Sample)  #b\ndef one(p, now):\n    return now.count == 2",
        "{a}: the property one is stated twice, first at {b}",
    ),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_property(name: str) -> None:
    body, told = PROPERTIES[name]
    source = in_action("who = nxt.pick('who', self.Node)\nPICKS.append(who)").replace(
        "class S", "PICKS = []\n\nclass S"
    )
    check(source + "\n" + body + "\n", told)
