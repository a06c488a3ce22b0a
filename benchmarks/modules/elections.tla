------------------------------ MODULE elections ------------------------------
\* Elections without end: servers stand, vote, lead, resign, crash and return. Its runs make long logs.
\* A vote binds until the server that it is for neither stands nor leads.
EXTENDS Naturals, FiniteSets
CONSTANTS Server, None
VARIABLES role, vote, up

vars == <<role, vote, up>>

Init ==
    /\ role = [s \in Server |-> "follower"]
    /\ vote = [s \in Server |-> None]
    /\ up = [s \in Server |-> TRUE]

Stand(s) ==
    /\ up[s] /\ role[s] = "follower" /\ vote[s] = None
    /\ role' = [role EXCEPT ![s] = "candidate"]
    /\ vote' = [vote EXCEPT ![s] = s]
    /\ UNCHANGED up

Grant(s, c) ==
    /\ up[s] /\ vote[s] = None /\ role[c] = "candidate"
    /\ vote' = [vote EXCEPT ![s] = c]
    /\ UNCHANGED <<role, up>>

Win(s) ==
    /\ role[s] = "candidate"
    /\ Cardinality({v \in Server : vote[v] = s}) * 2 > Cardinality(Server)
    /\ role' = [role EXCEPT ![s] = "leader"]
    /\ UNCHANGED <<vote, up>>

Resign(s) ==
    /\ up[s] /\ role[s] # "follower"
    /\ role' = [role EXCEPT ![s] = "follower"]
    /\ UNCHANGED <<vote, up>>

Release(s) ==
    /\ up[s] /\ vote[s] # None /\ \A c \in Server : vote[s] = c => role[c] = "follower"
    /\ vote' = [vote EXCEPT ![s] = None]
    /\ UNCHANGED <<role, up>>

Crash(s) ==
    /\ up[s]
    /\ role' = [role EXCEPT ![s] = "follower"]
    /\ up' = [up EXCEPT ![s] = FALSE]
    /\ UNCHANGED vote

Restart(s) ==
    /\ ~up[s]
    /\ up' = [up EXCEPT ![s] = TRUE]
    /\ UNCHANGED <<role, vote>>

Next ==
    \/ \E s \in Server : Stand(s)
    \/ \E s, c \in Server : Grant(s, c)
    \/ \E s \in Server : Win(s)
    \/ \E s \in Server : Resign(s)
    \/ \E s \in Server : Release(s)
    \/ \E s \in Server : Crash(s)
    \/ \E s \in Server : Restart(s)

Spec == Init /\ [][Next]_vars

OneLeader == \A a, b \in Server : role[a] = "leader" /\ role[b] = "leader" => a = b
==============================================================================
