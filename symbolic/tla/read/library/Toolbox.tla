------------------------------ MODULE Toolbox ------------------------------
(* Names of TLC's module of trace exploration. Its configuration replaces _TETrace by the states of a counterexample. *)
LOCAL INSTANCE TLC

_TETrace == Assert(FALSE, "_TETrace: no operator knows a counterexample")
_TEPosition == TLCGet("level")
============================================================================
