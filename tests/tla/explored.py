"""TLA+ modules explored by the interpreter."""

from __future__ import annotations

from pathlib import Path

from leadline.symbolic.engines import Limits, Result
from leadline.symbolic.engines.ask.query import SILENT
from leadline.symbolic.engines.explore.explore import ExploreOptions
from leadline.symbolic.engines.explore.specifications import explore_specification
from leadline.symbolic.tla.values.behaviour import Behaviour
from tests.tla.loading import specification

MUTEX = r"""
EXTENDS Naturals
CONSTANTS P
VARIABLES pc, turn
vars == <<pc, turn>>
Init == pc = [p \in P |-> "try"] /\ turn \in P
Set(v, e) == v' = e
Enter(p) == pc[p] = "try" /\ turn = p /\ pc' = [pc EXCEPT ![p] = "in"] /\ UNCHANGED turn
Leave(p) == pc[p] = "in" /\ Set(pc, [pc EXCEPT ![p] = "try"]) /\ \E q \in P : Set(turn, q)
Next == \E p \in P : Enter(p) \/ Leave(p)
Machine == Init /\ [][Next]_vars
None == Machine
Weak == Machine /\ \A p \in P : WF_vars(Enter(p)) /\ WF_vars(Leave(p))
Strong == Machine /\ \A p \in P : SF_vars(Enter(p) /\ turn' = turn) /\ WF_vars(Leave(p)) /\ SF_turn(Next)
Every == WF_vars(Next) /\ Machine
Inside(p) == pc[p] = "in"
Often(f) == []<>f
Live == \A p \in P : []<>Inside(p)
Some == Often(\E p \in P : Inside(p))
Leads == \A p \in P : LET now == Inside(p) IN now ~> pc[p] = "try"
Stay == <>[](\E p \in P : Inside(p))
Changing == []<><<turn' # turn>>_turn
Step == [][\A p \in P : Inside(p) => turn' \in P]_pc
BadStep == [][turn' = turn]_pc
Always == [](\A p, q \in P : Inside(p) /\ Inside(q) => p = q)
Enabled == [](\E p \in P : ENABLED Enter(p) \/ ENABLED Leave(p))
Begin == pc = [p \in P |-> "try"] /\ (Leads => Leads)
"""


def config(name: str, *claims: str) -> str:
    stated = " ".join(claims)
    return f"SPECIFICATION {name}\nPROPERTY {stated}\nCONSTANT P = {{p1, p2}}\nCHECK_DEADLOCK FALSE\n"


def explored(folder: Path, body: str, text: str, **modules: str) -> list[Result]:
    behaviour = Behaviour(specification(folder, body, text, **modules))
    return list(
        explore_specification(
            behaviour, ExploreOptions(), Limits(), SILENT, deadlock=False
        ).results
    )  # fmt: skip
