------------------------- MODULE MCFastLeaderElection -------------------------
\* zookeeper-specifications/system-spec/zk-3.7/FastLeaderElection.tla with bounds: https://github.com/apache/zookeeper
EXTENDS FastLeaderElection

CONSTANTS MaxClock, MaxEpochs, MaxTransactions, MaxQueue, MaxVersion

Bounded ==
    \A s \in Server :
        /\ logicalClock[s] <= MaxClock /\ currentEpoch[s] <= MaxEpochs /\ Len(history[s]) <= MaxTransactions
        /\ Len(recvQueue[s]) <= MaxQueue
        /\ \A t \in Server :
            /\ Len(electionMsgs[s][t]) <= MaxQueue
            /\ receiveVotes[s][t].version <= MaxVersion /\ outOfElection[s][t].version <= MaxVersion
=============================================================================
