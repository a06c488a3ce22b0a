-------------------------- MODULE MCReplicaEngine --------------------------
\* ReplicaEngine/tla/ReplicaEngine.tla with bounds: https://github.com/elastic/elasticsearch-formal-models
EXTENDS ReplicaEngine

CONSTANT MaxRequests

BoundedSpec == request_count \in 1..MaxRequests /\ Init /\ [][Next]_vars
=============================================================================
