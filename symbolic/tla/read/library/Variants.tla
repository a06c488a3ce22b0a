------------------------------ MODULE Variants ------------------------------
(* Apalache's variants: records with one field, which is the tag. *)

UNIT == "U_OF_UNIT"
Variant(tag, value) == [t \in {tag} |-> value]
VariantTag(v) == CHOOSE tag \in DOMAIN v : TRUE
VariantGetUnsafe(tag, v) == v[tag]
VariantGetOrElse(tag, v, other) == IF tag \in DOMAIN v THEN v[tag] ELSE other
VariantFilter(tag, S) == {v[tag] : v \in {one \in S : tag \in DOMAIN one}}
=============================================================================
