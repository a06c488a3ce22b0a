-------------------------------- MODULE Reals --------------------------------
(* The integers. As in TLC, there are no other numbers: what needs them has no value. *)
EXTENDS Integers
LOCAL INSTANCE TLC

a / b == Assert(FALSE, "a / b: there are no real numbers")
Real == Assert(FALSE, "Real: there are no real numbers")
Infinity == Assert(FALSE, "Infinity: there are no real numbers")
=============================================================================
