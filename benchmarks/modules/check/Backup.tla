---- MODULE Backup ----
EXTENDS Naturals, FiniteSets, Sequences
CONSTANTS Nodes, Ops, MaxView, Need
VARIABLES view, log, role, msgs, acks, committed, mode
vars == <<view, log, role, msgs, acks, committed, mode>>
Primary(v) == CHOOSE n \in Nodes : n = v % Cardinality(Nodes)
Init == /\ view = [n \in Nodes |-> 0] /\ log = [n \in Nodes |-> <<>>] /\ role = [n \in Nodes |-> IF n = Primary(0) THEN "primary" ELSE "backup"]
        /\ msgs = {} /\ acks = [n \in Nodes |-> {}] /\ committed = {} /\ mode = [n \in Nodes |-> "normal"]
Request(n, o) == /\ role[n] = "primary" /\ mode[n] = "normal" /\ Len(log[n]) < 2 /\ (\A i \in DOMAIN log[n] : log[n][i] # o)
                 /\ log' = [log EXCEPT ![n] = Append(@, o)]
                 /\ msgs' = msgs \cup {[type |-> "prepare", view |-> view[n], op |-> o, num |-> Len(log[n]) + 1, from |-> n]}
                 /\ UNCHANGED <<view, role, acks, committed, mode>>
Prepare(n, m) == /\ m.type = "prepare" /\ m.from # n /\ m.view = view[n] /\ mode[n] = "normal" /\ Len(log[n]) + 1 = m.num
                 /\ log' = [log EXCEPT ![n] = Append(@, m.op)]
                 /\ msgs' = msgs \cup {[type |-> "ok", view |-> m.view, num |-> m.num, from |-> n]}
                 /\ UNCHANGED <<view, role, acks, committed, mode>>
Ok(n, m) == /\ m.type = "ok" /\ role[n] = "primary" /\ m.view = view[n] /\ m.from # n /\ <<m.num, m.from>> \notin acks[n]
            /\ acks' = [acks EXCEPT ![n] = @ \cup {<<m.num, m.from>>}] /\ UNCHANGED <<view, log, role, msgs, committed, mode>>
Commit(n) == /\ role[n] = "primary" /\ \E i \in DOMAIN log[n] :
                /\ Cardinality({a \in acks[n] : a[1] = i}) + 1 >= Need /\ <<i, log[n][i]>> \notin committed
                /\ committed' = committed \cup {<<i, log[n][i]>>}
             /\ UNCHANGED <<view, log, role, msgs, acks, mode>>
StartView(n) == /\ view[n] < MaxView /\ view' = [view EXCEPT ![n] = @ + 1] /\ mode' = [mode EXCEPT ![n] = "changing"]
                /\ role' = [role EXCEPT ![n] = "backup"] /\ acks' = [acks EXCEPT ![n] = {}]
                /\ msgs' = msgs \cup {[type |-> "change", view |-> view[n] + 1, log |-> log[n], from |-> n]}
                /\ UNCHANGED <<log, committed>>
DoView(n) == /\ mode[n] = "changing" /\ n = Primary(view[n])
             /\ LET votes == {m \in msgs : m.type = "change" /\ m.view = view[n]} IN
                /\ Cardinality(votes) >= 2
                /\ LET best == CHOOSE m \in votes : \A o \in votes : Len(o.log) <= Len(m.log) IN
                   /\ log' = [log EXCEPT ![n] = best.log]
                   /\ msgs' = msgs \cup {[type |-> "start", view |-> view[n], log |-> best.log, from |-> n]}
             /\ mode' = [mode EXCEPT ![n] = "normal"] /\ role' = [role EXCEPT ![n] = "primary"] /\ UNCHANGED <<view, acks, committed>>
Start(n, m) == /\ m.type = "start" /\ m.view >= view[n] /\ m.from # n /\ (m.view > view[n] \/ mode[n] = "changing")
               /\ view' = [view EXCEPT ![n] = m.view] /\ log' = [log EXCEPT ![n] = m.log] /\ mode' = [mode EXCEPT ![n] = "normal"]
               /\ role' = [role EXCEPT ![n] = "backup"] /\ acks' = [acks EXCEPT ![n] = {}] /\ UNCHANGED <<msgs, committed>>
Next == \E n \in Nodes : \/ \E o \in Ops : Request(n, o)
                         \/ \E m \in msgs : Prepare(n, m) \/ Ok(n, m) \/ Start(n, m)
                         \/ Commit(n) \/ StartView(n) \/ DoView(n)
Spec == Init /\ [][Next]_vars
Agreement == \A a, b \in committed : a[1] = b[1] => a[2] = b[2]
Durable == \A c \in committed : \E n \in Nodes : Len(log[n]) >= c[1] /\ log[n][c[1]] = c[2]
TypeOK == \A n \in Nodes : view[n] \in 0..MaxView
====
