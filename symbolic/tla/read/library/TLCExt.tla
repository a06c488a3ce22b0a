------------------------------- MODULE TLCExt -------------------------------
(* Operators about TLC itself, by the names of the standard module, as far as they say something of a value. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
LOCAL Own == INSTANCE LeadlineBuiltIn

LOCAL Refused(name, why) == Assert(FALSE, name \o ": " \o why)

AssertEq(a, b) == (a = b) \/ (PrintT(<<"Assertion failed", a, b>>) /\ FALSE)

AssertError(text, e) == Refused("AssertError", "errors have other words here than in TLC")

TLCModelValue(name) == Own!TLCModelValue(name)

TLCGetOrDefault(key, default) == Own!TLCGetOrDefault(key, default)

TLCGetAndSet(key, Op(_, _), value, default) ==
  LET old == TLCGetOrDefault(key, default) IN IF TLCSet(key, Op(old, value)) THEN old ELSE old

TLCDefer(e) == TRUE

TLCNoOp(v) == v

TLCCache(e, closure) == e

PickSuccessor(e) == TRUE

Trace == Refused("Trace", "no operator knows the steps before a state")

CounterExample == Refused("CounterExample", "no operator knows a counterexample")

ToTrace(c) == Refused("ToTrace", "no operator knows a counterexample")

TLCFP(v) == Refused("TLCFP", "states have no fingerprints here")

TLCEvalDefinition(name) == Refused("TLCEvalDefinition", "expected the definition by its name")
=============================================================================
