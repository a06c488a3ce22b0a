"""Properties of each protocol: invariants, probes, inductive strengthenings.

Properties are apart from the protocols, so that a protocol can be asked new questions unchanged. They import
`leadline.symbolic.lang`, `leadline.encodings` and each other. The docstring of each says where it comes from
and why it holds or fails; `known` says at which parameters, and how long a shortest counterexample is.
"""
