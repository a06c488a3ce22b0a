---- MODULE Snap ----
EXTENDS Naturals, FiniteSets, Sequences
CONSTANTS Txns, Keys, FirstCommitter
VARIABLES store, clock, state, start, reads, writes, commits
vars == <<store, clock, state, start, reads, writes, commits>>
Init == /\ store = [k \in Keys |-> <<0>>] /\ clock = 1 /\ state = [t \in Txns |-> "new"] /\ start = [t \in Txns |-> 0]
        /\ reads = [t \in Txns |-> {}] /\ writes = [t \in Txns |-> {}] /\ commits = [t \in Txns |-> 0]
Begin(t) == /\ state[t] = "new" /\ state' = [state EXCEPT ![t] = "open"] /\ start' = [start EXCEPT ![t] = clock]
            /\ UNCHANGED <<store, clock, reads, writes, commits>>
Read(t, k) == /\ state[t] = "open" /\ k \notin reads[t] /\ reads' = [reads EXCEPT ![t] = @ \cup {k}]
              /\ UNCHANGED <<store, clock, state, start, writes, commits>>
Write(t, k) == /\ state[t] = "open" /\ k \in reads[t] /\ k \notin writes[t] /\ writes' = [writes EXCEPT ![t] = @ \cup {k}]
               /\ UNCHANGED <<store, clock, state, start, reads, commits>>
Conflict(t) == \E u \in Txns : u # t /\ commits[u] > 0 /\ commits[u] >= start[t] /\ writes[u] \cap writes[t] # {}
Commit(t) == /\ state[t] = "open" /\ writes[t] # {} /\ (FirstCommitter => ~Conflict(t))
             /\ state' = [state EXCEPT ![t] = "committed"] /\ clock' = clock + 1 /\ commits' = [commits EXCEPT ![t] = clock]
             /\ store' = [k \in Keys |-> IF k \in writes[t] THEN Append(store[k], clock) ELSE store[k]]
             /\ UNCHANGED <<start, reads, writes>>
Abort(t) == /\ state[t] = "open" /\ state' = [state EXCEPT ![t] = "aborted"] /\ UNCHANGED <<store, clock, start, reads, writes, commits>>
Next == \E t \in Txns : Begin(t) \/ Commit(t) \/ Abort(t) \/ \E k \in Keys : Read(t, k) \/ Write(t, k)
Spec == Init /\ [][Next]_vars
NoLostUpdate == \A t, u \in Txns : t # u /\ commits[t] > 0 /\ commits[u] > 0 /\ commits[t] < commits[u] /\ start[u] <= commits[t] => writes[t] \cap writes[u] = {}
TypeOK == \A k \in Keys : Len(store[k]) <= 1 + Cardinality(Txns)
Sorted == \A k \in Keys : \A i, j \in 1..Len(store[k]) : i < j => store[k][i] < store[k][j]
====
