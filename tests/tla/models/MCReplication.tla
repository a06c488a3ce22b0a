---------------------------- MODULE MCReplication ----------------------------
\* data/tla/replication.tla with bounds: https://github.com/elastic/elasticsearch-formal-models
EXTENDS replication

CONSTANTS MaxValues, MaxMessages

Bounded ==
    /\ nextClientValue <= MaxValues
    /\ Cardinality(messages) <= MaxMessages
    /\ 0 < Cardinality(Assigned(clusterStateOnMaster.routingTable))

RoutingTableOk == WellFormedRoutingTable(clusterStateOnMaster.routingTable)
=============================================================================
