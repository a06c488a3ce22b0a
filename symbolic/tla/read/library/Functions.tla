------------------------------ MODULE Functions ------------------------------
(* Operators on functions, by the names of the community modules. *)
EXTENDS Integers, Folds
LOCAL INSTANCE FiniteSets
LOCAL Own == INSTANCE LeadlineBuiltIn

Range(f) == {f[x] : x \in DOMAIN f}

Restrict(f, S) == [x \in S |-> f[x]]

RestrictDomain(f, Test(_)) == [x \in {y \in DOMAIN f : Test(y)} |-> f[x]]

RestrictValues(f, Test(_)) == [x \in {y \in DOMAIN f : Test(f[y])} |-> f[x]]

IsRestriction(f, g) == DOMAIN f \subseteq DOMAIN g /\ \A x \in DOMAIN f : f[x] = g[x]

Pointwise(f, g, Op(_, _)) == [x \in DOMAIN f |-> Op(f[x], g[x])]

AntiFunction(f) == [y \in Range(f) |-> CHOOSE x \in DOMAIN f : f[x] = y]

Inverse(f, S, T) == [t \in T |-> CHOOSE s \in S : t \in Range(f) => f[s] = t]

IsInjective(f) == \A a, b \in DOMAIN f : f[a] = f[b] => a = b

Injection(S, T) == {f \in [S -> T] : IsInjective(f)}

Surjection(S, T) == {f \in [S -> T] : \A t \in T : \E x \in S : f[x] = t}

Bijection(S, T) == Injection(S, T) \cap Surjection(S, T)

ExistsInjection(S, T) == Cardinality(S) <= Cardinality(T)

ExistsSurjection(S, T) == Surjection(S, T) # {}

ExistsBijection(S, T) == Cardinality(S) = Cardinality(T)

(* TLC's order: the value of the first argument comes first. *)
FoldFunctionOnSet(Op(_, _), base, f, S) == Own!FoldInOrder(LAMBDA x, result : Op(f[x], result), base, S)

FoldFunction(Op(_, _), base, f) == FoldFunctionOnSet(Op, base, f, DOMAIN f)

SumFunctionOnSet(f, S) == FoldFunctionOnSet(LAMBDA x, y : x + y, 0, f, S)

SumFunction(f) == SumFunctionOnSet(f, DOMAIN f)
=============================================================================
