---------------------------- MODULE Randomization ----------------------------
(* Random sets. Another run has others, and so has each use. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

RECURSIVE RandomSubset(_, _)
RandomSubset(k, S) ==
  IF k = 0 THEN {} ELSE LET x == RandomElement(S) IN {x} \cup RandomSubset(k - 1, S \ {x})

RandomSetOfSubsets(k, n, S) ==
  {RandomSubset(RandomElement(0..(IF 2 * n > Cardinality(S) THEN Cardinality(S) ELSE 2 * n)), S) : i \in 1..k}

TestRandomSetOfSubsets(k, n, S) == [i \in 1..5 |-> Cardinality(RandomSetOfSubsets(k, n, S))]
=============================================================================
