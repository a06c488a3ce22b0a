------------------------ MODULE SequencesExtTheorems -------------------------
(* The theorems of the original are not read; these are the modules that it extends. *)
EXTENDS Sequences, SequencesExt, Functions, Integers, WellFoundedInduction
==============================================================================
