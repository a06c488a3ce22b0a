----------------------------- MODULE MCElection -----------------------------
\* The elections of ongardie/raft.tla, with bounds: https://github.com/ongardie/raft.tla
EXTENDS raft

CONSTANTS MaxTerm, MaxCopies

ElectionNext ==
    /\ \/ \E i \in Server : Restart(i) \/ Timeout(i) \/ BecomeLeader(i)
       \/ \E i, j \in Server : RequestVote(i, j)
       \/ \E m \in DOMAIN messages : Receive(m)
    /\ allLogs' = allLogs \cup {log[i] : i \in Server}

ElectionSpec == Init /\ [][ElectionNext]_vars

Bounded ==
    /\ \A s \in Server : currentTerm[s] <= MaxTerm
    /\ \A m \in DOMAIN messages : messages[m] <= MaxCopies

ElectionSafety == \A e, f \in elections : e.eterm = f.eterm => e.eleader = f.eleader

OneLeader ==
    \A i, j \in Server :
        state[i] = Leader /\ state[j] = Leader /\ currentTerm[i] = currentTerm[j] => i = j
=============================================================================
