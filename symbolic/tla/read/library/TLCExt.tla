------------------------------- MODULE TLCExt -------------------------------
(* Operators about TLC itself, by the names of the community modules, as far as they say something of a value. *)
LOCAL INSTANCE TLC

AssertEq(a, b) == (a = b) \/ (PrintT(<<"Assertion failed", a, b>>) /\ FALSE)

TLCDefer(e) == TRUE

TLCNoOp(v) == v

TLCCache(e, closure) == e

PickSuccessor(e) == TRUE

Trace == Assert(FALSE, "Trace is not known here: no operator knows the steps before a state")
=============================================================================
