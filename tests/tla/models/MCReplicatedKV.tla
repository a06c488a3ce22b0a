---------------------------- MODULE MCReplicatedKV ----------------------------
\* systems/replicatedkv/replicated_kv.tla with bounds: https://github.com/DistCompiler/pgo
EXTENDS replicated_kv

CONSTANT MaxClock

Bounded == \A c \in ClientSet : clocks[c] <= MaxClock
=============================================================================
