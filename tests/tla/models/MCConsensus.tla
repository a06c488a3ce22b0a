---------------------------- MODULE MCConsensus ----------------------------
\* cluster/tla/consensus.tla with bounds: https://github.com/elastic/elasticsearch-formal-models
EXTENDS consensus

CONSTANTS MaxTerm, MaxSlot, MaxMessages

Bounded ==
    /\ \A n \in Nodes : currentTerm[n] <= MaxTerm /\ firstUncommittedSlot[n] <= MaxSlot
    /\ Cardinality(messages) <= MaxMessages

Spec == Init /\ [][Next]_<<messages, firstUncommittedSlot, currentTerm, currentConfiguration,
    currentClusterState, lastAcceptedTerm, lastAcceptedValue, joinVotes, electionWon, publishPermitted, publishVotes>>
=============================================================================
