------------------------------ MODULE ShiViz ------------------------------
(* Names of the community module. *)
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC
INSTANCE Toolbox

LOCAL Refused(name) == Assert(FALSE, name \o ": no operator knows the steps before a state")

Host == Refused("Host")
Clock == Refused("Clock")
===========================================================================
