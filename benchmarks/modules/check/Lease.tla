---- MODULE Lease ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANTS Clients, MaxTime, MaxToken, Fenced
VARIABLES time, holder, expires, token, believes, mine, stored, history
vars == <<time, holder, expires, token, believes, mine, stored, history>>
Init == /\ time = 0 /\ holder = "none" /\ expires = 0 /\ token = 0 /\ stored = 0
        /\ believes = [c \in Clients |-> FALSE] /\ mine = [c \in Clients |-> 0] /\ history = <<>>
Tick == time < MaxTime /\ time' = time + 1 /\ UNCHANGED <<holder, expires, token, believes, mine, stored, history>>
Grant(c) == /\ holder = "none" \/ expires < time
            /\ token < MaxToken
            /\ holder' = c /\ expires' = time + 1 /\ token' = token + 1
            /\ believes' = [believes EXCEPT ![c] = TRUE] /\ mine' = [mine EXCEPT ![c] = token + 1]
            /\ UNCHANGED <<time, stored, history>>
Release(c) == /\ believes[c] /\ believes' = [believes EXCEPT ![c] = FALSE]
              /\ holder' = IF holder = c THEN "none" ELSE holder
              /\ UNCHANGED <<time, expires, token, mine, stored, history>>
Write(c) == /\ believes[c] /\ (Fenced => mine[c] >= stored)
            /\ stored' = mine[c]
            /\ history' = IF \E i \in DOMAIN history : history[i] = mine[c] THEN history ELSE Append(history, mine[c])
            /\ UNCHANGED <<time, holder, expires, token, believes, mine>>
Next == Tick \/ \E c \in Clients : Grant(c) \/ Release(c) \/ Write(c)
Spec == Init /\ [][Next]_vars
Monotone == \A i, j \in DOMAIN history : i < j => history[i] < history[j]
TypeOK == time \in 0..MaxTime /\ stored \in 0..MaxToken
====
