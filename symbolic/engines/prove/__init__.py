"""Proofs for all depths: property-directed reachability, induction, and certificates."""
