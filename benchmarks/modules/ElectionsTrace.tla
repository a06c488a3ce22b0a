---------------------------- MODULE ElectionsTrace ----------------------------
\* Is a log a run of `elections`? The usual way with TLC: the log bounds the steps, field by field as far as it
\* tells them, and a run that comes to its end shows as a violation of NotAll. Up to MaxHidden steps before a line
\* are not in the log.
EXTENDS elections, Naturals, Sequences, TLC, Json
CONSTANTS File, MaxHidden
VARIABLES line, hidden

Log == ndJsonDeserialize(File)
Told(e, f) == f \in DOMAIN e
Pick(e, f, x) == (Told(e, "picks") /\ Told(e.picks, f)) => e.picks[f] = x
Is(e, name) == Told(e, "action") => e.action = name
Part(e, f, g) == (Told(e, "after") /\ Told(e.after, f)) => \A s \in DOMAIN e.after[f] : e.after[f][s] = g[s]

Step(e) ==
    \/ Is(e, "Stand") /\ \E s \in Server : Pick(e, "s", s) /\ Stand(s)
    \/ Is(e, "Grant") /\ \E s, c \in Server : Pick(e, "s", s) /\ Pick(e, "c", c) /\ Grant(s, c)
    \/ Is(e, "Win") /\ \E s \in Server : Pick(e, "s", s) /\ Win(s)
    \/ Is(e, "Resign") /\ \E s \in Server : Pick(e, "s", s) /\ Resign(s)
    \/ Is(e, "Release") /\ \E s \in Server : Pick(e, "s", s) /\ Release(s)
    \/ Is(e, "Crash") /\ \E s \in Server : Pick(e, "s", s) /\ Crash(s)
    \/ Is(e, "Restart") /\ \E s \in Server : Pick(e, "s", s) /\ Restart(s)

Shown ==
    /\ line <= Len(Log)
    /\ Step(Log[line])
    /\ Part(Log[line], "role", role') /\ Part(Log[line], "vote", vote') /\ Part(Log[line], "up", up')
    /\ line' = line + 1 /\ hidden' = 0

Hidden ==
    /\ line <= Len(Log) /\ hidden < MaxHidden
    /\ Next
    /\ line' = line /\ hidden' = hidden + 1

TraceInit == Init /\ line = 1 /\ hidden = 0
TraceNext == Shown \/ Hidden
TraceSpec == TraceInit /\ [][TraceNext]_<<vars, line, hidden>>
NotAll == line <= Len(Log)
===============================================================================
