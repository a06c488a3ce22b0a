-------------------------- MODULE SequenceTheorems ---------------------------
(* The theorems of the original are not read; these are the modules that it extends. *)
EXTENDS Sequences, Functions
==============================================================================
