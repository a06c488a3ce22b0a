"""Random modules whose nodes send each other messages, with TLC's answers to them.

`python -m tests.tla.random_messages --count 300 -- timeout 20 java -cp tla2tools.jar tlc2.TLC` has TLC answer
them, as `tests.tla.random_modules` does. Messages are records of several shapes, some with sets in them. They lie
in a set, in a bag by hand, in a bag of the module Bags, or in a set for each node.
"""

from __future__ import annotations

import random

from tests.tla.random_modules import DATA, Family, main

_HEAD = r"""EXTENDS Integers, FiniteSets, TLC, Bags
CONSTANT Nodes
VARIABLES net, x, seen
vars == <<net, x, seen>>
"""
_NETS = {
    "set": r"""
Few == TRUE
None == {}
All == net
With(m, b) == b \cup {m}
Without(m, b) == b \ {m}
Everyone(ms) == net \cup ms
""",
    "filtered": r"""
Few == TRUE
None == {}
All == net
With(m, b) == {m} \cup b
Without(m, b) == {k \in b : k # m}
Everyone(ms) == UNION {net, ms}
""",
    "bag": r"""
Few == \A m \in DOMAIN net : net[m] < 3
None == <<>>
All == DOMAIN net
With(m, b) == IF m \in DOMAIN b THEN [b EXCEPT ![m] = @ + 1] ELSE b @@ (m :> 1)
Without(m, b) == IF b[m] = 1 THEN [k \in DOMAIN b \ {m} |-> b[k]] ELSE [b EXCEPT ![m] = @ - 1]
Everyone(ms) == [k \in ms \cup DOMAIN net |-> IF k \in DOMAIN net THEN net[k] ELSE 1]
""",
    "counts": r"""
Few == \A m \in DOMAIN net : net[m] < 3
None == [m \in {} |-> 0]
All == {m \in DOMAIN net : net[m] > 0}
With(m, b) == IF m \in DOMAIN b THEN [b EXCEPT ![m] = @ + 1] ELSE (m :> 1) @@ b
Without(m, b) == [b EXCEPT ![m] = @ - 1]
Everyone(ms) == net @@ [m \in ms |-> 1]
""",
    "bags": r"""
Few == \A m \in DOMAIN net : net[m] < 3
None == EmptyBag
All == BagToSet(net)
With(m, b) == b (+) SetToBag({m})
Without(m, b) == b (-) SetToBag({m})
Everyone(ms) == net (+) SetToBag(ms)
""",
    "inboxes": r"""
Few == TRUE
None == [n \in Nodes |-> {}]
All == UNION {net[n] : n \in Nodes}
With(m, b) == [b EXCEPT ![m.to] = @ \cup {m}]
Without(m, b) == [b EXCEPT ![m.to] = @ \ {m}]
Everyone(ms) == [n \in Nodes |-> net[n] \cup {m \in ms : m.to = n}]
""",
}
_SENT = (
    '[type |-> "ask", from |-> n, to |-> {to}, n |-> x[n]]',
    '[type |-> "ask", from |-> n, to |-> {to}, n |-> 1]',
    '[type |-> "tell", to |-> {to}, known |-> seen]',
    '[type |-> "tell", to |-> {to}, known |-> {{n}}]',
    '[type |-> "pair", to |-> {to}, pair |-> <<n, x[n]>>]',
    '[type |-> "stop", to |-> {to}]',
)
_BEGINS = (
    "x[n] < 2",
    "(x[n] = 0 \\/ n \\in seen)",
    "All = {}",
    "Cardinality(All) < 2",
    "(\\A m \\in All : m.to # n)",
    "TRUE",
)
_WHEN = {
    "ask": ("m.n >= x[n]", "m.n = x[n]", "m.from # n", "TRUE"),
    "tell": ("n \\notin m.known", "m.known # {}", "m.known \\subseteq seen", "TRUE"),
    "pair": ("m.pair[1] # n", "m.pair[2] > 0", "TRUE"),
    "stop": ("x[n] > 0", "TRUE"),
}
_THEN = {
    "ask": (
        "x' = [x EXCEPT ![n] = m.n] /\\ UNCHANGED seen",
        "x' = [x EXCEPT ![n] = @ + 1] /\\ seen' = seen \\cup {m.from}",
    ),
    "tell": (
        "seen' = seen \\cup m.known /\\ UNCHANGED x",
        "seen' = m.known /\\ x' = [x EXCEPT ![n] = Cardinality(seen')]",
    ),
    "pair": (
        "seen' = {m.pair[1]} /\\ UNCHANGED x",
        "x' = [x EXCEPT ![n] = m.pair[2] + 1] /\\ UNCHANGED seen",
    ),
    "stop": (
        "x' = [k \\in Nodes |-> 0] /\\ UNCHANGED seen",
        "seen' = {} /\\ UNCHANGED x",
        "UNCHANGED <<x, seen>>",
    ),
}
_CLAIMS = (
    "Cardinality(All) < {k}",
    "\\A n \\in Nodes : x[n] < {k}",
    "seen # Nodes",
    '\\A m, k \\in All : m.type = "ask" /\\ k.type = "ask" => m.n = k.n',
    "\\A m, k \\in All : m.type = k.type => m.to = k.to",
    '\\A m \\in All : m.type = "tell" => m.known \\subseteq seen',
    'Cardinality({{m \\in All : m.type = "tell"}}) < {k}',
    '\\E n \\in Nodes : [type |-> "stop", to |-> n] \\notin All',
    "{{m.to : m \\in All}} # Nodes",
    "seen = {{}} \\/ \\E n \\in Nodes : x[n] < {k}",
)


def module(seed: int) -> tuple[str, str]:
    """The module and the configuration of a seed."""
    chance = random.Random(seed)
    k = chance.randrange(1, 4)
    kinds = chance.sample(list(_WHEN), chance.randrange(1, 4))
    sent = [one for one in _SENT if one.split('"')[1] in kinds]
    actions = [_sends(chance, number, sent) for number in range(chance.randrange(1, 3))]
    actions += [_receives(chance, kind, sent) for kind in kinds]
    actions += ["Lose(n, m) == net' = Without(m, net) /\\ UNCHANGED <<x, seen>>"] * (chance.random() < 0.3)
    actions += ["Again(n, m) == net' = With(m, net) /\\ UNCHANGED <<x, seen>>"] * (chance.random() < 0.2)
    names = [one.split(" ==")[0] for one in actions]
    takes = " \\/ ".join(one for one in names if one.endswith("m)"))
    begins = " \\/ ".join(one for one in names if not one.endswith("m)"))
    most, high = chance.randrange(2, 4), chance.randrange(2, 4)
    body = [
        _NETS[chance.choice(list(_NETS))],
        "Init == net = None /\\ x = [n \\in Nodes |-> 0] /\\ seen = {}",
        *actions,
        f"Next == \\E n \\in Nodes : {begins} \\/ \\E m \\in All : m.to = n /\\ ({takes})",
        "Spec == Init /\\ [][Next]_vars",
        f"Bound == Few /\\ Cardinality(All) <= {most} /\\ \\A n \\in Nodes : x[n] < {high}",
        f"Claim == {chance.choice(_CLAIMS).format(k=k)}",
    ]
    config = ["SPECIFICATION Spec", "CONSTANT Nodes = {n1, n2}", "CONSTRAINT Bound", "INVARIANT Claim"]
    config.append(f"CHECK_DEADLOCK {chance.choice(['TRUE', 'FALSE', 'FALSE'])}")
    return _HEAD + "\n".join(body), "\n".join(config) + "\n"


def _sends(chance: random.Random, number: int, sent: list[str]) -> str:
    """An action that sends a message to one node or to all others."""
    one = chance.choice(sent)
    if chance.random() < 0.6:
        net = f"\\E to \\in Nodes : net' = With({one.format(to='to')}, net)"
    else:
        net = f"net' = Everyone({{{one.format(to='to')} : to \\in Nodes \\ {{n}}}})"
    more = chance.choice(("UNCHANGED <<x, seen>>", "x' = [x EXCEPT ![n] = @ + 1] /\\ UNCHANGED seen"))
    return f"Send{number}(n) == {chance.choice(_BEGINS)} /\\ {net} /\\ {more}"


def _receives(chance: random.Random, kind: str, sent: list[str]) -> str:
    """An action that takes a message of a kind, and perhaps answers it or leaves it where it is."""
    answer = chance.choice(sent).format(to=chance.choice(("n", "CHOOSE k \\in Nodes : k # n")))
    net = chance.choice(
        ("net' = Without(m, net)", f"net' = With({answer}, Without(m, net))", "UNCHANGED net")
    )
    when, then = chance.choice(_WHEN[kind]), chance.choice(_THEN[kind])
    return f'{kind.title()}(n, m) == m.type = "{kind}" /\\ {when} /\\ {then} /\\ {net}'


MESSAGES = Family(module, DATA / "tlc_messages.json")

if __name__ == "__main__":
    main(MESSAGES)
