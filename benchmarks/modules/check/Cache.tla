---- MODULE Cache ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANTS Readers, Keys, MaxVer, Tokens
VARIABLES db, cache, lease, pc, got, tok, queue
vars == <<db, cache, lease, pc, got, tok, queue>>
None == 99
Init == /\ db = [k \in Keys |-> 0] /\ cache = [k \in Keys |-> None] /\ lease = [k \in Keys |-> 0]
        /\ pc = [r \in Readers |-> [at |-> "idle", key |-> CHOOSE k \in Keys : TRUE]] /\ got = [r \in Readers |-> 0]
        /\ tok = [r \in Readers |-> 0] /\ queue = <<>>
Miss(r, k) == /\ pc[r].at = "idle" /\ cache[k] = None /\ pc' = [pc EXCEPT ![r] = [at |-> "miss", key |-> k]]
              /\ lease[k] < 3 /\ lease' = [lease EXCEPT ![k] = @ + 1] /\ tok' = [tok EXCEPT ![r] = lease[k] + 1]
              /\ UNCHANGED <<db, cache, got, queue>>
Load(r) == /\ pc[r].at = "miss" /\ got' = [got EXCEPT ![r] = db[pc[r].key]] /\ pc' = [pc EXCEPT ![r].at = "loaded"]
           /\ UNCHANGED <<db, cache, lease, tok, queue>>
Fill(r) == /\ pc[r].at = "loaded" /\ LET k == pc[r].key IN
              cache' = IF Tokens => tok[r] = lease[k] THEN [cache EXCEPT ![k] = got[r]] ELSE cache
           /\ pc' = [pc EXCEPT ![r].at = "idle"] /\ UNCHANGED <<db, lease, got, tok, queue>>
Update(k) == /\ db[k] < MaxVer /\ Len(queue) < 2 /\ db' = [db EXCEPT ![k] = @ + 1] /\ queue' = Append(queue, k)
             /\ UNCHANGED <<cache, lease, pc, got, tok>>
Invalidate == /\ queue # <<>> /\ LET k == Head(queue) IN
                 /\ cache' = [cache EXCEPT ![k] = None]
                 /\ lease[k] < 4 /\ lease' = [lease EXCEPT ![k] = @ + 1]
              /\ queue' = Tail(queue) /\ UNCHANGED <<db, pc, got, tok>>
Next == Invalidate \/ (\E k \in Keys : Update(k) \/ \E r \in Readers : Miss(r, k)) \/ \E r \in Readers : Load(r) \/ Fill(r)
Spec == Init /\ [][Next]_vars
Fresh == \A k \in Keys : (\A i \in 1..Len(queue) : queue[i] # k) /\ (\A r \in Readers : pc[r].at = "idle") => cache[k] \in {None, db[k]}
TypeOK == \A k \in Keys : db[k] \in 0..MaxVer
Order == Len(queue) <= 2
====
