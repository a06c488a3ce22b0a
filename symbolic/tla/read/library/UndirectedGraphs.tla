-------------------------- MODULE UndirectedGraphs --------------------------
(* Graphs whose edges are sets of two nodes, by the names of the community modules. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE Relation

IsUndirectedGraph(G) ==
  G = [node |-> G.node, edge |-> G.edge] /\ \A e \in G.edge : \E a, b \in G.node : e = {a, b}

IsLoopFreeUndirectedGraph(G) ==
  G = [node |-> G.node, edge |-> G.edge] /\ \A e \in G.edge : \E a, b \in G.node : a # b /\ e = {a, b}

UndirectedSubgraph(G) ==
  {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}

LOCAL IsPath(p, G) == p # <<>> /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge

Path(G) == {p \in Seq(G.node) : IsPath(p, G)}

SimplePath(G) == {p \in SeqOf(G.node, Cardinality(G.node)) : IsPath(p, G) /\ IsInjective(p)}

LOCAL Connections(G) == ReflexiveTransitiveClosure([p \in G.node \X G.node |-> {p[1], p[2]} \in G.edge], G.node)

AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ Connections(G)[m, n]

ConnectedComponents(G) ==
  LET connected == Connections(G) IN {{n \in G.node : connected[m, n]} : m \in G.node}

IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}

UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{s, t} : s, t \in S}]
=============================================================================
