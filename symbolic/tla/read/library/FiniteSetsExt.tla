---------------------------- MODULE FiniteSetsExt ----------------------------
(* Operators on finite sets, by the names of the community modules. *)
EXTENDS Integers, FiniteSets, Folds, Functions

LOCAL Own == INSTANCE LeadlineBuiltIn

(* TLC's order: the first element comes first. *)
FoldSet(Op(_, _), base, S) == Own!FoldInOrder(Op, base, S)

ReduceSet(Op(_, _), S, base) == FoldSet(Op, base, S)

SumSet(S) == FoldSet(LAMBDA x, y : x + y, 0, S)

ProductSet(S) == FoldSet(LAMBDA x, y : x * y, 1, S)

MapThenSumSet(f(_), S) == FoldSet(LAMBDA x, sum : f(x) + sum, 0, S)

FlattenSet(S) == UNION S

SymDiff(S, T) == {x \in S \cup T : ~(x \in S /\ x \in T)}

Quantify(S, P(_)) == Cardinality({x \in S : P(x)})

kSubset(k, S) == {T \in SUBSET S : Cardinality(T) = k}

Max(S) == CHOOSE x \in S : \A y \in S : x >= y

Min(S) == CHOOSE x \in S : \A y \in S : x <= y

Choices(Sets) ==
  LET functions == {f \in [Sets -> UNION Sets] : \A S \in Sets : f[S] \in S}
  IN  {{f[S] : S \in Sets} : f \in functions}

ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
=============================================================================
