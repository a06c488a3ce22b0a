"""What must hold of each protocol: invariants, probes, inductive strengthenings.

Properties live apart from the protocols they speak of, so that one protocol can be asked new
questions unchanged. They import `leadline.symbolic.lang`, `leadline.encodings` and each other. Each
says in its docstring where it comes from and what is known of it: that it holds, from which
parameters on it fails, its shortest counterexample.
"""
