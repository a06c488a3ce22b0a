---------------------------- MODULE VectorClocks ----------------------------
(* Operators on vector clocks, by the names of the community modules. *)
EXTENDS Naturals, Sequences, Functions

LOCAL At(clock, d) == IF d \in DOMAIN clock THEN clock[d] ELSE 0

(* No entry happened after a later one: each is behind the later one somewhere. *)
IsCausalOrder(log, clock(_)) ==
  \A i \in 1..Len(log) : \A j \in 1..(i - 1) :
    \E d \in DOMAIN clock(log[i]) \cup DOMAIN clock(log[j]) : At(clock(log[j]), d) < At(clock(log[i]), d)

CausalOrder(log, clock(_), node(_), domain(_)) ==
  CHOOSE order \in {f \in [1..Len(log) -> Range(log)] : Range(f) = Range(log)} : IsCausalOrder(order, clock)
=============================================================================
