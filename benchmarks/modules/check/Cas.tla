---- MODULE Cas ----
EXTENDS Naturals, FiniteSets
CONSTANTS Clients, MaxVal, Versioned, Nobody
VARIABLES reg, ver, msgs, pc, seen, done, wins
vars == <<reg, ver, msgs, pc, seen, done, wins>>
Init == /\ reg = 0 /\ ver = 0 /\ msgs = {} /\ pc = [c \in Clients |-> "idle"]
        /\ seen = [c \in Clients |-> [val |-> 0, ver |-> 0]] /\ done = [c \in Clients |-> 0] /\ wins = {}
Read(c) == /\ pc[c] = "idle" /\ done[c] < MaxVal /\ pc' = [pc EXCEPT ![c] = "reading"]
           /\ msgs' = msgs \cup {[type |-> "read", from |-> c]} /\ UNCHANGED <<reg, ver, seen, done, wins>>
ServeRead(m) == /\ m.type = "read" /\ msgs' = (msgs \ {m}) \cup {[type |-> "value", to |-> m.from, val |-> reg, ver |-> ver]}
                /\ UNCHANGED <<reg, ver, pc, seen, done, wins>>
Got(m) == /\ m.type = "value" /\ msgs' = msgs \ {m} /\ pc' = [pc EXCEPT ![m.to] = "read"]
          /\ seen' = [seen EXCEPT ![m.to] = [val |-> m.val, ver |-> m.ver]] /\ UNCHANGED <<reg, ver, done, wins>>
Swap(c) == /\ pc[c] = "read" /\ pc' = [pc EXCEPT ![c] = "swapping"]
           /\ msgs' = msgs \cup {[type |-> "cas", from |-> c, old |-> seen[c], new |-> (seen[c].val + 1) % 3]}
           /\ UNCHANGED <<reg, ver, seen, done, wins>>
ServeCas(m) == /\ m.type = "cas"
               /\ LET ok == IF Versioned THEN m.old.ver = ver ELSE m.old.val = reg IN
                  /\ reg' = IF ok THEN m.new ELSE reg
                  /\ ver' = IF ok THEN ver + 1 ELSE ver
                  /\ wins' = IF ok THEN wins \cup {[who |-> m.from, base |-> m.old.ver, at |-> ver]} ELSE wins
                  /\ msgs' = (msgs \ {m}) \cup {[type |-> "reply", to |-> m.from, ok |-> ok]}
               /\ UNCHANGED <<pc, seen, done>>
Reply(m) == /\ m.type = "reply" /\ msgs' = msgs \ {m} /\ pc' = [pc EXCEPT ![m.to] = "idle"]
            /\ done' = [done EXCEPT ![m.to] = IF m.ok THEN @ + 1 ELSE @] /\ UNCHANGED <<reg, ver, seen, wins>>
Next == \/ \E c \in Clients : Read(c) \/ Swap(c)
        \/ \E m \in msgs : ServeRead(m) \/ Got(m) \/ ServeCas(m) \/ Reply(m)
Spec == Init /\ [][Next]_vars
NoLostUpdate == \A w \in wins : w.base = w.at
TypeOK == reg \in 0..2
Bounded == Cardinality(wins) <= 6
====
