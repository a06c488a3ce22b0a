----------------------------- MODULE MCStorage -----------------------------
\* Storage/tla/Storage.tla with bounds: https://github.com/elastic/elasticsearch-formal-models
EXTENDS Storage

Bounded == newMeta < MaxNewMeta
=============================================================================
