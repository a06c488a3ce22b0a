"""Small TLA+ modules, each with its configuration, that use much of the language."""

MAILBOX = """
---- MODULE Mailbox ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANTS Procs, Max
VARIABLES pc, queue, msgs, count
vars == <<pc, queue, msgs, count>>
Message == [type : {"req"}, from : Procs] \\cup [type : {"ack"}, n : 0..Max]
Init == /\\ pc = [p \\in Procs |-> "idle"]
        /\\ queue = <<>>
        /\\ msgs = {}
        /\\ count = 0
Send(p) == /\\ pc[p] = "idle"
           /\\ pc' = [pc EXCEPT ![p] = "waiting"]
           /\\ msgs' = msgs \\cup {[type |-> "req", from |-> p]}
           /\\ UNCHANGED <<queue, count>>
Receive == \\E m \\in msgs :
             /\\ m.type = "req"
             /\\ queue' = Append(queue, m.from)
             /\\ msgs' = msgs \\ {m}
             /\\ UNCHANGED <<pc, count>>
Serve == /\\ queue # <<>>
         /\\ count < Max
         /\\ LET p == Head(queue) IN pc' = [pc EXCEPT ![p] = "served"]
         /\\ queue' = Tail(queue)
         /\\ count' = count + 1
         /\\ msgs' = msgs \\cup {[type |-> "ack", n |-> count]}
Next == (\\E p \\in Procs : Send(p)) \\/ Receive \\/ Serve
Spec == Init /\\ [][Next]_vars
NotAllServed == Cardinality({p \\in Procs : pc[p] = "served"}) < 2
TypeOK == msgs \\subseteq Message
====
"""
MAILBOX_CFG = """
CONSTANTS Procs = {p1, p2}
 Max = 2
SPECIFICATION Spec
INVARIANTS NotAllServed TypeOK
CHECK_DEADLOCK FALSE
"""

STOCK = """
---- MODULE Stock ----
EXTENDS Integers, FiniteSets, TLC
CONSTANTS Items, None
VARIABLES shelf, last, log
RECURSIVE Sum(_, _)
Sum(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE y \\in S : TRUE IN f[x] + Sum(f, S \\ {x})
Max(a, b) == IF a > b THEN a ELSE b
half[n \\in 0..4] == IF n < 2 THEN 0 ELSE 1 + half[n - 2]
Init == /\\ shelf \\in [Items -> 0..1]
        /\\ last = None
        /\\ log = [i \\in {} |-> 0]
Put == \\E i \\in Items, k \\in 1..2 :
         /\\ Sum(shelf, Items) + k <= 3
         /\\ shelf' = [shelf EXCEPT ![i] = @ + k]
         /\\ last' = i
         /\\ log' = [x \\in DOMAIN log \\cup {i} |-> IF x = i THEN shelf'[i] ELSE log[x]]
Take == /\\ last # None
        /\\ LET i == last IN
             CASE shelf[i] > 1 -> shelf' = [shelf EXCEPT ![i] = half[@]]
               [] shelf[i] = 1 -> shelf' = [shelf EXCEPT ![i] = 0] /\\ \\A j \\in Items \\ {i} : shelf[j] < 3
               [] OTHER -> UNCHANGED shelf
        /\\ last' \\in {None, last}
        /\\ UNCHANGED log
Next == Put \\/ Take
Few == Sum(shelf, Items) <= 3
Logged == \\A i \\in DOMAIN log : log[i] <= Max(2, 0)
Subsets == \\A S \\in SUBSET Items : Cardinality(S) < 2 => S # Items
====
"""
STOCK_CFG = """
CONSTANTS Items = {a, b}
 None = None
INIT Init
NEXT Next
INVARIANTS Few Logged Subsets
CHECK_DEADLOCK FALSE
"""

CLIMB = """
---- MODULE Climb ----
EXTENDS Naturals
VARIABLES height, path
Init == height = 0 /\\ path = <<>>
Up == height < 9 /\\ height' = height + 1 /\\ path' = IF height % 3 = 0 THEN <<height>> ELSE path
Next == Up
Spec == Init /\\ [][Next]_<<height, path>>
Low == height < 9
====
"""
CLIMB_CFG = """
SPECIFICATION Spec
INVARIANT Low
CHECK_DEADLOCK FALSE
"""

TABLES = r"""
---- MODULE Tables ----
EXTENDS Integers, FiniteSets
CONSTANTS N
VARIABLES f, g, h, at
vars == <<f, g, h, at>>
Places == 0..4
Init == /\ f \in [Places -> {0}] /\ g \in [Places -> BOOLEAN]
        /\ \E a, b \in 1..N : h = <<a, b>>
        /\ at = 0
Below(n) == LET sum[i \in 0..N] == IF i = 0 THEN 0 ELSE i + sum[i - 1] IN sum[n]
Becomes(v, e) == v' = e
Keep(v) == UNCHANGED v
Go(p) == /\ g[p] /\ at < N
         /\ Becomes(at, at + 1)
         /\ LET new == [f EXCEPT ![p] = Below(at')] IN f' = new
         /\ Becomes(g, [g EXCEPT ![p] = FALSE])
         /\ Keep(<<h>>)
Next == \E p \in Places : Go(p)
Spec == Init /\ [][Next]_vars
TypesKnown == f \in UNION {[Places -> Nat]} /\ h \in UNION {{1, 2} \X {1, 2}, Nat \X Nat}
Sums == \A p \in Places : f[p] # 3
====
"""
TABLES_CFG = """
CONSTANT N = 2
SPECIFICATION Spec
INVARIANTS TypesKnown Sums
CHECK_DEADLOCK FALSE
"""

VOTES = r"""
---- MODULE Votes ----
EXTENDS Naturals, TLC
CONSTANTS Voters
VARIABLES ready, chosen, seen
vars == <<ready, chosen, seen>>
Init == ready = {} /\ chosen = 0 /\ seen = <<>>
Quorums == {q \in SUBSET Voters : q # {}}
Join(v) == v \notin ready /\ ready' = ready \cup {v} /\ UNCHANGED <<chosen, seen>>
Note(v) == v \in ready /\ v \notin DOMAIN seen /\ UNCHANGED <<ready, chosen>>
           /\ seen' = [v :> chosen @@ [seen EXCEPT ![v] = 5] EXCEPT !["none"] = 7]
Decide == /\ chosen < 2
          /\ \E q \in Quorums : \A v \in q : v \in ready /\ chosen' = chosen + 1 /\ UNCHANGED <<ready, seen>>
Clear == \A v \in ready : chosen' = 0 /\ ready' = ready \ {v} /\ seen' = [w \in {v} |-> chosen] @@ seen
Next == (\E v \in Voters : Join(v) \/ Note(v)) \/ Decide \/ (ready # {} /\ chosen = 2 /\ Clear)
Spec == Init /\ [][Next]_vars
Seen == \A v \in DOMAIN seen : seen[v] < 2
====
"""
VOTES_CFG = """
CONSTANT Voters = {a, b}
SPECIFICATION Spec
INVARIANTS Seen
CHECK_DEADLOCK FALSE
"""

SACK = r"""
---- MODULE Sack ----
EXTENDS Integers, FiniteSets
CONSTANT Most
VARIABLES sack, weight, left
vars == <<sack, weight, left>>
Init == sack = {} /\ weight = 0 /\ left = 0
Put(i) == i \notin sack /\ sack' = sack \cup {i} /\ UNCHANGED <<weight, left>>
RECURSIVE Weigh(_, _), Pour(_, _)
Weigh(S, n) == IF S = {} THEN weight' = n /\ sack' = {}
               ELSE LET i == CHOOSE x \in S : TRUE IN Weigh(S \ {i}, n + i)
Pour(n, i) == \/ n = 0 /\ weight' = i /\ left' = 1
              \/ n > 0 /\ left' = 1 /\ \E by \in {1, 3} : by <= n /\ Pour(n - by, by)
Next == \/ \E i \in 1..Most : Put(i)
        \/ sack # {} /\ Weigh(sack, 0) /\ left' \in {left, 2}
        \/ Pour(weight, 0) /\ UNCHANGED sack
Spec == Init /\ [][Next]_vars
Light == weight < 6
Fits == Cardinality(sack) <= 3
====
"""
SACK_CFG = """
CONSTANT Most = 3
SPECIFICATION Spec
INVARIANTS Light Fits
CHECK_DEADLOCK FALSE
"""

ALL = {
    "Mailbox": (MAILBOX, MAILBOX_CFG),
    "Stock": (STOCK, STOCK_CFG),
    "Climb": (CLIMB, CLIMB_CFG),
    "Tables": (TABLES, TABLES_CFG),
    "Votes": (VOTES, VOTES_CFG),
    "Sack": (SACK, SACK_CFG),
}
