---- MODULE ReadIndex ----
EXTENDS Naturals, FiniteSets, Sequences
CONSTANTS Nodes, MaxTerm, MaxWrites, Confirm
VARIABLES term, leader, commit, beats, read, msgs, written
vars == <<term, leader, commit, beats, read, msgs, written>>
Init == /\ term = [n \in Nodes |-> 1] /\ leader = [n \in Nodes |-> FALSE] /\ commit = [n \in Nodes |-> 0]
        /\ beats = [n \in Nodes |-> {}] /\ read = [n \in Nodes |-> [st |-> "none", floor |-> 0, idx |-> 0]] /\ msgs = {} /\ written = 0
Elect(n) == \E Q \in SUBSET Nodes : /\ n \in Q /\ 2 * Cardinality(Q) > Cardinality(Nodes)
   /\ (\A q \in Q : term[q] <= term[n]) /\ term[n] < MaxTerm
   /\ term' = [q \in Nodes |-> IF q \in Q THEN term[n] + 1 ELSE term[q]]
   /\ leader' = [q \in Nodes |-> IF q = n THEN TRUE ELSE IF q \in Q THEN FALSE ELSE leader[q]]
   /\ commit' = [commit EXCEPT ![n] = written]
   /\ beats' = [beats EXCEPT ![n] = {}] /\ read' = [q \in Nodes |-> IF q \in Q THEN [st |-> "none", floor |-> 0, idx |-> 0] ELSE read[q]] /\ UNCHANGED <<msgs, written>>
Put(n) == /\ leader[n] /\ written < MaxWrites /\ 2 * Cardinality({q \in Nodes : term[q] = term[n]}) > Cardinality(Nodes)
          /\ (\A q \in Nodes : leader[q] => term[q] <= term[n])
          /\ written' = written + 1 /\ commit' = [commit EXCEPT ![n] = written + 1] /\ UNCHANGED <<term, leader, beats, read, msgs>>
Ask(n) == /\ leader[n] /\ read[n].st = "none" /\ read' = [read EXCEPT ![n] = [st |-> "wait", floor |-> written, idx |-> commit[n]]]
          /\ beats' = [beats EXCEPT ![n] = {n}] /\ msgs' = msgs \cup {[type |-> "beat", from |-> n, term |-> term[n]]} /\ UNCHANGED <<term, leader, commit, written>>
Beat(q, m) == /\ m.type = "beat" /\ m.from # q /\ m.term >= term[q] /\ msgs' = msgs \cup {[type |-> "ack", from |-> q, to |-> m.from, term |-> m.term]}
              /\ UNCHANGED <<term, leader, commit, beats, read, written>>
Ack(m) == /\ m.type = "ack" /\ leader[m.to] /\ term[m.to] = m.term /\ m.from \notin beats[m.to] /\ read[m.to].st = "wait"
          /\ beats' = [beats EXCEPT ![m.to] = @ \cup {m.from}] /\ msgs' = msgs \ {m} /\ UNCHANGED <<term, leader, commit, read, written>>
Serve(n) == /\ read[n].st = "wait" /\ (Confirm => 2 * Cardinality(beats[n]) > Cardinality(Nodes)) /\ read' = [read EXCEPT ![n].st = "done"]
            /\ UNCHANGED <<term, leader, commit, beats, msgs, written>>
Again(n) == /\ read[n].st = "done" /\ read' = [read EXCEPT ![n] = [st |-> "none", floor |-> 0, idx |-> 0]] /\ UNCHANGED <<term, leader, commit, beats, msgs, written>>
Next == \/ \E n \in Nodes : Elect(n) \/ Put(n) \/ Ask(n) \/ Serve(n) \/ Again(n)
        \/ \E m \in msgs : Ack(m) \/ \E q \in Nodes : Beat(q, m)
Spec == Init /\ [][Next]_vars
Linear == \A n \in Nodes : read[n].st = "done" => read[n].idx >= read[n].floor
OneLeader == \A a, b \in Nodes : leader[a] /\ leader[b] /\ term[a] = term[b] => a = b
TypeOK == \A n \in Nodes : term[n] \in 1..MaxTerm
====
