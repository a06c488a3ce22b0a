--------------------------- MODULE MCNestedCRDTImpl ---------------------------
\* systems/nestedcrdtimpl/NestedCRDTImpl.tla with a counter that only grows: https://github.com/DistCompiler/pgo
EXTENDS NestedCRDTImpl

Zero == [n \in RESOURCE_IDS |-> 0]
Larger(a, b) == [n \in RESOURCE_IDS |-> IF a[n] > b[n] THEN a[n] ELSE b[n]]
Added(self, value, more) == [value EXCEPT ![self] = @ + more]
RECURSIVE Total(_, _)
Total(value, nodes) ==
    IF nodes = {} THEN 0 ELSE LET n == CHOOSE n \in nodes : TRUE IN value[n] + Total(value, nodes \ {n})
Shown(value) == Total(value, RESOURCE_IDS)
=============================================================================
