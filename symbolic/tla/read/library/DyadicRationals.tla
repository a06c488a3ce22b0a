--------------------------- MODULE DyadicRationals ---------------------------
(* Fractions whose denominators are powers of two, by the names of the community modules. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE TLC

LOCAL Fraction(n, d) == [num |-> n, den |-> d]

LOCAL Reduced(n, d) ==
    LET common == Max({k \in 1..d : n % k = 0 /\ d % k = 0})
    IN  Fraction(n \div common, d \div common)

IsDyadicRational(r) == \E k \in 0..r.den : 2^k = r.den

Zero == Fraction(0, 1)

One == Fraction(1, 1)

Add(p, q) ==
    LET d == Max({p.den, q.den})
    IN  IF p = Zero THEN q ELSE Reduced(p.num * (d \div p.den) + q.num * (d \div q.den), d)

Half(p) == Reduced(p.num, p.den * 2)

PrettyPrint(p) ==
    CASE p = Zero -> "0"
      [] p = One -> "1"
      [] OTHER -> ToString(p.num) \o "/" \o ToString(p.den)
==============================================================================
