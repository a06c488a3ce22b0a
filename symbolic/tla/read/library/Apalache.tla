------------------------------ MODULE Apalache ------------------------------
(* Apalache's operators, by the meaning that they have in plain TLA+. Gen and Guess are left out: they have none. *)

LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL Own == INSTANCE LeadlineBuiltIn

x := e == x = e
Skolem(e) == e
Expand(S) == S
ConstCardinality(e) == e

MkSeq(n, F(_)) == [i \in 1..n |-> F(i)]
FunAsSeq(f, length, capacity) == [i \in 1..length |-> f[i]]
SetAsFun(S) == [x \in {pair[1] : pair \in S} |-> (CHOOSE pair \in S : pair[1] = x)[2]]

ApaFoldSet(Op(_, _), base, S) ==
  LET Swapped(x, sum) == Op(sum, x)
  IN  Own!FoldInOrder(Swapped, base, S)
ApaFoldSeqLeft(Op(_, _), base, s) ==
  LET fold[n \in 0..Len(s)] == IF n = 0 THEN base ELSE Op(fold[n - 1], s[n])
  IN  fold[Len(s)]
Repeat(F(_, _), n, x) == ApaFoldSeqLeft(F, x, [i \in 1..n |-> i])
=============================================================================
