------------------------------- MODULE MCRaft -------------------------------
\* ongardie/raft.tla with bounds: https://github.com/ongardie/raft.tla
EXTENDS raft

CONSTANTS MaxTerm, MaxEntries, MaxMessages, MaxCopies

Bounded ==
    /\ \A s \in Server : currentTerm[s] <= MaxTerm /\ Len(log[s]) <= MaxEntries
    /\ Cardinality(DOMAIN messages) <= MaxMessages
    /\ \A m \in DOMAIN messages : messages[m] <= MaxCopies

ElectionSafety == \A e, f \in elections : e.eterm = f.eterm => e.eleader = f.eleader

OneLeader ==
    \A i, j \in Server :
        state[i] = Leader /\ state[j] = Leader /\ currentTerm[i] = currentTerm[j] => i = j

NoLeader == \A i \in Server : state[i] # Leader
=============================================================================
