------------------------------ MODULE MCZkV3_7_0 ------------------------------
\* zookeeper-specifications/system-spec/zk-3.7/ZkV3_7_0.tla with bounds: https://github.com/apache/zookeeper
EXTENDS ZkV3_7_0

CONSTANTS MaxTimeouts, MaxTransactions, MaxEpochs

Bounds == [
    MaxTimeoutFailures |-> MaxTimeouts, MaxTransactionNum |-> MaxTransactions, MaxEpoch |-> MaxEpochs,
    MaxCrashes |-> 0, MaxPartitions |-> 0]

Bounded ==
    \A s \in Server :
        /\ logicalClock[s] <= 1 /\ Len(recvQueue[s]) <= 1
        /\ \A t \in Server :
            /\ Len(electionMsgs[s][t]) <= 1
            /\ receiveVotes[s][t].version <= 1 /\ outOfElection[s][t].version <= 1
=============================================================================
