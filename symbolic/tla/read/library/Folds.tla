-------------------------------- MODULE Folds --------------------------------
(* The fold from which others are made, by the name of the community modules. *)

MapThenFoldSet(Op(_, _), base, f(_), choose(_), S) ==
  LET fold[T \in SUBSET S] ==
        IF T = {} THEN base
        ELSE LET x == choose(T) IN Op(f(x), fold[T \ {x}])
  IN  fold[S]
=============================================================================
