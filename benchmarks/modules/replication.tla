---- MODULE replication ----
\* An election and the replication of a log, with a message for each request and each reply, and fairness for each node.
EXTENDS Naturals, FiniteSets, Sequences
CONSTANTS Node, MaxTerm, MaxLen
VARIABLES term, role, voted, log, msgs, acked, drops
vars == <<term, role, voted, log, msgs, acked, drops>>
Quorum == {Q \in SUBSET Node : 2 * Cardinality(Q) > Cardinality(Node)}
Others(n) == Node \ {n}
Init == /\ term = [n \in Node |-> 0] /\ role = [n \in Node |-> "follower"] /\ voted = [n \in Node |-> {}]
        /\ log = [n \in Node |-> <<>>] /\ acked = [n \in Node |-> [m \in Node |-> 0]]
        /\ msgs = {} /\ drops = 0
Timeout(n) ==
  /\ role[n] # "leader" /\ term[n] < MaxTerm /\ \A m \in Node : term[m] <= term[n]
  /\ term' = [term EXCEPT ![n] = @ + 1] /\ role' = [role EXCEPT ![n] = "candidate"]
  /\ voted' = [voted EXCEPT ![n] = {n}] /\ acked' = [acked EXCEPT ![n] = [m \in Node |-> 0]]
  /\ msgs' = msgs \cup {[type |-> "vote", term |-> term'[n], from |-> n, to |-> m, len |-> Len(log[n])] : m \in Others(n)}
  /\ UNCHANGED <<log, drops>>
Vote(n) == \E m \in msgs :
  /\ m.type = "vote" /\ m.to = n /\ m.term > term[n] /\ m.len >= Len(log[n])
  /\ term' = [term EXCEPT ![n] = m.term] /\ role' = [role EXCEPT ![n] = "follower"]
  /\ voted' = [voted EXCEPT ![n] = {}]
  /\ msgs' = (msgs \ {m}) \cup {[type |-> "granted", term |-> m.term, from |-> n, to |-> m.from]}
  /\ UNCHANGED <<log, acked, drops>>
Granted(n) == \E m \in msgs :
  /\ m.type = "granted" /\ m.to = n /\ m.term = term[n] /\ role[n] = "candidate"
  /\ voted' = [voted EXCEPT ![n] = @ \cup {m.from}]
  /\ role' = [role EXCEPT ![n] = IF voted'[n] \in Quorum THEN "leader" ELSE @]
  /\ msgs' = msgs \ {m} /\ UNCHANGED <<term, log, acked, drops>>
Write(n) ==
  /\ role[n] = "leader" /\ Len(log[n]) < MaxLen /\ log' = [log EXCEPT ![n] = Append(@, term[n])]
  /\ msgs' = msgs \cup {[type |-> "append", term |-> term[n], from |-> n, to |-> m, log |-> log'[n]] : m \in Others(n)}
  /\ UNCHANGED <<term, role, voted, acked, drops>>
Accept(n) == \E m \in msgs :
  /\ m.type = "append" /\ m.to = n /\ m.term >= term[n]
  /\ term' = [term EXCEPT ![n] = m.term] /\ role' = [role EXCEPT ![n] = "follower"]
  /\ log' = [log EXCEPT ![n] = IF Len(m.log) > Len(@) THEN m.log ELSE @]
  /\ msgs' = (msgs \ {m}) \cup {[type |-> "ack", term |-> m.term, from |-> n, to |-> m.from, len |-> Len(m.log)]}
  /\ UNCHANGED <<voted, acked, drops>>
Ack(n) == \E m \in msgs :
  /\ m.type = "ack" /\ m.to = n /\ m.term = term[n]
  /\ acked' = [acked EXCEPT ![n][m.from] = IF m.len > @ THEN m.len ELSE @]
  /\ msgs' = msgs \ {m} /\ UNCHANGED <<term, role, voted, log, drops>>
Stale(n) == \E m \in msgs :
  /\ m.to = n
  /\ m.term < term[n] \/ (m.type = "granted" /\ role[n] # "candidate") \/ (m.type = "vote" /\ m.term = term[n])
  /\ msgs' = msgs \ {m} /\ UNCHANGED <<term, role, voted, log, acked, drops>>
Drop == /\ drops < 1 /\ drops' = drops + 1 /\ \E m \in msgs : m.type = "vote" /\ msgs' = msgs \ {m}
        /\ UNCHANGED <<term, role, voted, log, acked>>
Next == Drop \/ \E n \in Node :
  Timeout(n) \/ Vote(n) \/ Granted(n) \/ Write(n) \/ Accept(n) \/ Ack(n) \/ Stale(n)
Fair(n) == WF_vars(Timeout(n)) /\ WF_vars(Vote(n)) /\ WF_vars(Granted(n)) /\ WF_vars(Write(n)) /\ WF_vars(Accept(n))
           /\ WF_vars(Ack(n)) /\ WF_vars(Stale(n))
Spec == Init /\ [][Next]_vars /\ \A n \in Node : Fair(n)
OneLeader == \A a, b \in Node : role[a] = "leader" /\ role[b] = "leader" /\ term[a] = term[b] => a = b
Drained == [](msgs # {} => <>(\A m \in msgs : m.type = "vote"))
====
