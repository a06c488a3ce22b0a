"""Expressions with their values: one corpus for every meaning of the language.

A row is an expression, closed or over the state `STATE` of the model `MODEL`, and the value that it must
have there, or `OutOfBounds`. The values are worked out by hand from the docstrings of the kinds of nodes;
no meaning of the language takes part in it.
"""

from tests.corpus.binders import BUILDERS, NESTED, QUANTIFIERS
from tests.corpus.logic import CONVERSIONS, INTEGERS, LEAVES, LOGIC
from tests.corpus.sets import SEQUENCES, SETS
from tests.corpus.structures import STRUCTURES
from tests.corpus.subject import MODEL, NOW, STATE, VARIABLES, Row

ROWS: tuple[Row, ...] = (
    *LEAVES,
    *CONVERSIONS,
    *LOGIC,
    *INTEGERS,
    *QUANTIFIERS,
    *BUILDERS,
    *SETS,
    *STRUCTURES,
    *SEQUENCES,
    *NESTED,
)

__all__ = ["MODEL", "NOW", "ROWS", "STATE", "VARIABLES", "Row"]
