----------------------------- MODULE MCWiredTiger -----------------------------
\* antithesis/wiredtiger/Storage.tla with bounds: https://github.com/DistCompiler/pgo
EXTENDS Storage

CONSTANT MaxLog

Bounded == \A n \in Node : Len(mlog[n]) <= MaxLog
=============================================================================
