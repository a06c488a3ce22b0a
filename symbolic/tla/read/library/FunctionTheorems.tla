-------------------------- MODULE FunctionTheorems ---------------------------
(* The theorems of the original are not read; these are the modules that it extends. *)
EXTENDS Functions, Integers, FiniteSets
==============================================================================
