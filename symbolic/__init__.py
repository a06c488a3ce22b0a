"""The checker: from a protocol written as data to verdicts that can be checked without trusting a solver.

Each room sits on a floor and imports only from the floors below: `lang` 1; `catalog`, `concrete`,
`encode` and `solve` 2; `trace` 3; `engines` 4; `grid` and `report` 5; `cli` 6. No room knows a
protocol by name: protocols and properties are found at run time. This file imports nothing, so that
importing one room loads no other.
"""
