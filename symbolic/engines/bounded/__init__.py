"""Search within a bound: steps, sweeps, cubes, and refutations with a proof."""
