---------------------------- MODULE Combinatorics ----------------------------
(* Factorials and binomial coefficients, by the names of the community modules. *)
EXTENDS Naturals

factorial[n \in Nat] == IF n = 0 THEN 1 ELSE n * factorial[n - 1]

choose(n, k) == IF n < k THEN 0 ELSE factorial[n] \div (factorial[k] * factorial[n - k])
==============================================================================
