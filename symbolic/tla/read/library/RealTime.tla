------------------------------ MODULE RealTime ------------------------------
(* Bounds on the time between steps, as in "Specifying Systems", chapter 9. *)
EXTENDS Reals
VARIABLE now

LOCAL Later(v) == now' \in {r \in Real : r > now} /\ UNCHANGED v

RTnow(v) == now \in Real /\ [][Later(v)]_now /\ \A r \in Real : WF_now(Later(v) /\ now' > r)

RTBound(A, v, D, E) ==
  LET Runs(t) == t' = IF <<A>>_v \/ ~(ENABLED <<A>>_v)' THEN 0 ELSE t + (now' - now)
      Timer(t) == t = 0 /\ [][Runs(t)]_<<t, v, now>>
  IN  \EE t : Timer(t) /\ [](t <= E) /\ [][A => t >= D]_v
=============================================================================
