------------------------------- MODULE Option -------------------------------
(* Apalache's options: a variant with the tag "Some" and a value, or with the tag "None". *)
EXTENDS Apalache, Variants

Some(value) == Variant("Some", value)
None == Variant("None", UNIT)
IsSome(o) == VariantTag(o) = "Some"
IsNone(o) == VariantTag(o) = "None"

OptionCase(o, OfSome(_), OfNone(_)) ==
  IF IsSome(o) THEN OfSome(VariantGetUnsafe("Some", o)) ELSE OfNone(UNIT)
OptionMap(F(_), o) == IF IsSome(o) THEN Some(F(VariantGetUnsafe("Some", o))) ELSE None
OptionFlatMap(F(_), o) == IF IsSome(o) THEN F(VariantGetUnsafe("Some", o)) ELSE None
OptionGetOrElse(o, other) == IF IsSome(o) THEN VariantGetUnsafe("Some", o) ELSE other
OptionToSeq(o) == IF IsSome(o) THEN <<VariantGetUnsafe("Some", o)>> ELSE <<>>
OptionToSet(o) == IF IsSome(o) THEN {VariantGetUnsafe("Some", o)} ELSE {}
OptionGuess(S) ==
  LET First(found, x) == IF IsSome(found) THEN found ELSE Some(x)
  IN  ApaFoldSet(First, None, S)
OptionFunApp(f, o) == IF IsSome(o) THEN Some(f[VariantGetUnsafe("Some", o)]) ELSE None
OptionPartialFun(f, others) == [x \in DOMAIN f \union others |-> IF x \in others THEN None ELSE Some(f[x])]
=============================================================================
