------------------------------ MODULE Relation ------------------------------
(* Relations as functions of pairs to BOOLEAN, by the names of the community modules. *)
EXTENDS Naturals, FiniteSets

LOCAL Under(Op(_, _), S) == [p \in S \X S |-> Op(p[1], p[2])]

IsReflexive(R, S) == \A x \in S : R[x, x]
IsReflexiveUnder(Op(_, _), S) == IsReflexive(Under(Op, S), S)

IsIrreflexive(R, S) == \A x \in S : ~R[x, x]
IsIrreflexiveUnder(Op(_, _), S) == IsIrreflexive(Under(Op, S), S)

IsSymmetric(R, S) == \A x, y \in S : R[x, y] <=> R[y, x]
IsSymmetricUnder(Op(_, _), S) == IsSymmetric(Under(Op, S), S)

IsAntiSymmetric(R, S) == \A x, y \in S : R[x, y] /\ R[y, x] => x = y
IsAntiSymmetricUnder(Op(_, _), S) == IsAntiSymmetric(Under(Op, S), S)

IsAsymmetric(R, S) == \A x, y \in S : ~(R[x, y] /\ R[y, x])
IsAsymmetricUnder(Op(_, _), S) == IsAsymmetric(Under(Op, S), S)

IsTransitive(R, S) == \A x, y, z \in S : R[x, y] /\ R[y, z] => R[x, z]
IsTransitiveUnder(Op(_, _), S) == IsTransitive(Under(Op, S), S)

IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyPartiallyOrderedUnder(Op(_, _), S) == IsStrictlyPartiallyOrdered(Under(Op, S), S)

IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrderedUnder(Op(_, _), S) == IsPartiallyOrdered(Under(Op, S), S)

LOCAL IsTotal(R, S) == \A x, y \in S : x # y => R[x, y] \/ R[y, x]

IsStrictlyTotallyOrdered(R, S) == IsStrictlyPartiallyOrdered(R, S) /\ IsTotal(R, S)
IsStrictlyTotallyOrderedUnder(Op(_, _), S) == IsStrictlyTotallyOrdered(Under(Op, S), S)

IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ IsTotal(R, S)
IsTotallyOrderedUnder(Op(_, _), S) == IsTotallyOrdered(Under(Op, S), S)

(* Paths are doubled: within[n] relates what a path of at most n pairs of R joins, or of a few more. *)
\* A CHOOSE would take elements in an order, and SYMMETRY would have to try every other order.
TransitiveClosure(R, S) ==
  LET within[n \in 0..Cardinality(S)] ==
        IF n <= 1 THEN [x, y \in S |-> R[x, y]]
        ELSE LET half == within[(n + 1) \div 2]
             IN  [x, y \in S |-> half[x, y] \/ \E z \in S : half[x, z] /\ half[z, y]]
  IN  within[Cardinality(S)]

ReflexiveTransitiveClosure(R, S) ==
  LET closure == TransitiveClosure(R, S) IN [x, y \in S |-> x = y \/ closure[x, y]]

IsConnected(R, S) == LET closure == ReflexiveTransitiveClosure(R, S) IN \A x, y \in S : closure[x, y]
=============================================================================
