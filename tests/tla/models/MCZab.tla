-------------------------------- MODULE MCZab --------------------------------
\* zookeeper-specifications/protocol-spec/Zab.tla with bounds: https://github.com/apache/zookeeper
EXTENDS Zab

CONSTANTS MaxTimeouts, MaxTransactions, MaxEpochs, MaxRestarts

Bounds == [
    MaxTimeoutFailures |-> MaxTimeouts, MaxTransactionNum |-> MaxTransactions, MaxEpoch |-> MaxEpochs,
    MaxRestarts |-> MaxRestarts]
=============================================================================
