"""A grid on a cluster of this machine while a seeded adversary does harm: `python -m tests.soak`."""
