"""Proofs for all depths: property-directed reachability, induction, k-induction, and certificates."""
