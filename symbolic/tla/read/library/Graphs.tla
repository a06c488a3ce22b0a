------------------------------- MODULE Graphs -------------------------------
(* Directed graphs as records of `node` and `edge`, by the names of the community modules. *)
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

IsDirectedGraph(G) == G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq (G.node \X G.node)

DirectedSubgraph(G) ==
  {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsDirectedGraph(H)}

Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]

IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge

UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}

LOCAL IsPath(p, G) == p # <<>> /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge

Path(G) == {p \in Seq(G.node) : IsPath(p, G)}

SimplePath(G) == {p \in SeqOf(G.node, Cardinality(G.node)) : IsPath(p, G) /\ IsInjective(p)}

LOCAL EdgesOf(G) == [p \in G.node \X G.node |-> p \in G.edge]

ConnectionsIn(G) == ReflexiveTransitiveClosure(EdgesOf(G), G.node)

AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ ConnectionsIn(G)[m, n]

IsStronglyConnected(G) == LET connected == ConnectionsIn(G) IN \A m, n \in G.node : connected[m, n]

IsTreeWithRoot(G, r) ==
  /\ IsDirectedGraph(G)
  /\ r \in G.node
  /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : e[1] = f[1] => e = f
  /\ \A n \in G.node : AreConnectedIn(n, r, G)

GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]

IsBipartiteWithPartitions(G, U, V) ==
  /\ U \cap V = {}
  /\ G.node \subseteq U \cup V
  /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[2] \in U /\ e[1] \in V)

HasCycle(G) == LET closure == TransitiveClosure(EdgesOf(G), G.node) IN \E n \in G.node : closure[n, n]

IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)

Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}

AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}

Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}

AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}

Ancestors(G, n) == LET closure == TransitiveClosure(EdgesOf(G), G.node) IN {m \in G.node : closure[m, n]}

Descendants(G, n) == LET closure == TransitiveClosure(EdgesOf(G), G.node) IN {m \in G.node : closure[n, m]}

InDegree(G, n) == Cardinality(Predecessors(G, n))

OutDegree(G, n) == Cardinality(Successors(G, n))

Roots(G) == {n \in G.node : Predecessors(G, n) = {}}

Leaves(G) == {n \in G.node : Successors(G, n) = {}}

EmptyGraph == [node |-> {}, edge |-> {}]

Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
=============================================================================
