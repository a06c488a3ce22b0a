------------------------------- MODULE BagsExt -------------------------------
(* Operators on bags, by the names of the community modules. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE Bags
LOCAL INSTANCE Folds

BagAdd(B, x) == B (+) SetToBag({x})

BagRemove(B, x) == B (-) SetToBag({x})

BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]

LOCAL Times(Op(_, _), x, n, y) ==
  LET times[k \in 0..n] == IF k = 0 THEN y ELSE Op(x, times[k - 1])
  IN  times[n]

FoldBag(Op(_, _), base, B) ==
  LET fold[T \in SUBSET DOMAIN B] ==
        IF T = {} THEN base
        ELSE LET x == CHOOSE y \in T : TRUE IN Times(Op, x, B[x], fold[T \ {x}])
  IN  fold[DOMAIN B]

SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)

ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
=============================================================================
