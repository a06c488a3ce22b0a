------------------------------- MODULE BagsExt -------------------------------
(* Operators on bags, by the names of the community modules. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE Bags
LOCAL INSTANCE Folds
LOCAL Own == INSTANCE LeadlineBuiltIn

BagAdd(B, x) == B (+) SetToBag({x})

BagRemove(B, x) == B (-) SetToBag({x})

BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]

MapThenFoldBag(Op(_, _), base, f(_), choose(_), B) ==
  LET times(x) == LET power[n \in 1..B[x]] == Op(IF n = 1 THEN base ELSE power[n - 1], f(x)) IN power[B[x]]
  IN  MapThenFoldSet(Op, base, times, LAMBDA T : CHOOSE x \in T : TRUE, DOMAIN B)

LOCAL Times(Op(_, _), start, x, n) ==
  LET times[k \in 0..n] == IF k = 0 THEN start ELSE Op(times[k - 1], x) IN times[n]

(* TLC's order: the first element is added first, and the operator has it second. *)
FoldBag(Op(_, _), base, B) ==
  Own!FoldInOrder(LAMBDA x, sum : Times(Op, sum, x, B[x]), base, DOMAIN B)

SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)

ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
=============================================================================
