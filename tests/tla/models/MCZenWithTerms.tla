--------------------------- MODULE MCZenWithTerms ---------------------------
\* ZenWithTerms/tla/ZenWithTerms.tla with bounds: https://github.com/elastic/elasticsearch-formal-models
EXTENDS ZenWithTerms

CONSTANTS MaxTerm, MaxVersion, MaxMessages

BoundedTerms == 0..MaxTerm
BoundedVersions == 0..MaxVersion
OneInitialVersion == {0}

Bounded ==
    /\ \A n \in Nodes : currentTerm[n] <= MaxTerm /\ lastPublishedVersion[n] <= MaxVersion
    /\ Cardinality(messages) <= MaxMessages
=============================================================================
