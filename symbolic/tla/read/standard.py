"""The standard modules that are built in: the arities of their operators.

An operator with operators as arguments has their arities too: `SelectSeq(s, Test(_))` has `(0, 1)`. The
modules that are written in TLA+ are in the folder `library`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Arities: TypeAlias = tuple[int, ...]

LIBRARY = Path(__file__).with_name("library")

OVERRIDDEN = frozenset({"Bitwise", "CSV", "IOUtils", "Json"})
"""The community modules whose text has no values: TLC takes them from Java, a copy beside a module too."""

NONE: Arities = ()
ONE: Arities = (0,)
TWO: Arities = (0, 0)


def _all(arities: Arities, names: str) -> dict[str, Arities]:
    return dict.fromkeys(names.split(), arities)


ANY_NUMBER = frozenset({"/\\", "\\/", "\\X"})
"""Operators that take as many arguments as there are."""

JOINING = frozenset({"+", "*", "\\cup", "\\cap"})
"""Operators for which neither the order nor the grouping of several arguments matters."""

CORE = {
    **_all(NONE, "TRUE FALSE BOOLEAN STRING"),
    **_all(ONE, "~ SUBSET UNION DOMAIN ' ENABLED UNCHANGED [] <>"),
    **_all(TWO, "/\\ \\/ => <=> = # \\in \\notin \\cup \\cap \\ \\subseteq \\X ~> -+-> \\cdot"),
}
"""The operators that need no module."""


@dataclass(frozen=True)
class Standard:
    """A module that is built in.

    Attributes:
        operators: its operators with their arities.
        extends: the modules whose operators it has too.
    """

    operators: dict[str, Arities]
    extends: tuple[str, ...] = ()


_NATURALS = {**_all(TWO, "+ - * ^ < > <= >= .. \\div %"), **_all(NONE, "Nat")}
STANDARD = {
    "Naturals": Standard(_NATURALS),
    "Integers": Standard({**_all(NONE, "Int"), **_all(ONE, "-.")}, ("Naturals",)),
    "Sequences": Standard(
        {
            **_all(ONE, "Seq Len Head Tail"),
            **_all(TWO, "\\o Append"),
            "SubSeq": (0, 0, 0),
            "SelectSeq": (0, 1),
        }
    ),
    "FiniteSets": Standard(_all(ONE, "IsFiniteSet Cardinality")),
    "TLC": Standard(
        {
            **_all(NONE, "JavaTime Any"),
            **_all(ONE, "PrintT TLCGet Permutations RandomElement ToString TLCEval"),
            **_all(TWO, "Print Assert TLCSet :> @@"),
            "SortSeq": (0, 2),
        }
    ),
    # Operators of the modules in `library` that their text cannot define, or only at a higher cost.
    "LeadlineBuiltIn": Standard(
        {
            **_all(ONE, "TLCModelValue atoi JsonText JsonRead JsonLinesRead TextRead"),
            **_all(TWO, "TLCGetOrDefault"),
            "FoldInOrder": (2, 0, 0),
        }
    ),
    "TLAPS": Standard({}),
    "NaturalsInduction": Standard({}, ("Integers",)),
    "WellFoundedInduction": Standard({}, ("Integers",)),
    # Names that such modules once had.
    "SequencesTheorems": Standard({}, ("Sequences",)),
    "SequenceOpTheorems": Standard({}, ("Sequences",)),
}
"""The modules that are built in, by name. Theorems of modules for provers are not read."""

BUILT_IN = frozenset(CORE).union(*(module.operators for module in STANDARD.values()))
"""The names of all built-in operators."""
