"""Names in a module: TLA+ knows one scope, and nothing in it may hide anything else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from leadline.symbolic.export.kinds import all_types, definable
from leadline.symbolic.lang import Model, Sort, Type
from leadline.symbolic.lang.names import camel, pascal


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _words(
    """ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS
    DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW
    OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING SUBSET SUFFICES
    TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WITH WITNESS"""
)
"""The words of TLA+."""

CONFIGURATION = _words(
    """ACTION_CONSTRAINT ACTION_CONSTRAINTS ALIAS CHECK_DEADLOCK CONSTRAINT CONSTRAINTS INIT INVARIANT
    INVARIANTS NEXT POSTCONDITION PROPERTIES PROPERTY SPECIFICATION SYMMETRY TYPE TYPE_CONSTRAINT VIEW"""
)
"""The words of a TLC configuration, which names properties."""

EXTENDED = _words(
    """Any Append Assert Cardinality Head Int IsFiniteSet JavaTime Len Nat Permutations Print PrintT
    RandomElement SelectSeq Seq SortSeq SubSeq TLCEval TLCGet TLCSet Tail ToString"""
)
"""The operators of the modules that ours extends."""

MODULES = frozenset(("Integers", "Naturals", "FiniteSets", "Sequences", "TLC", "Reals", "Functions"))
"""Modules that a file of the same name would hide."""

OWN = ("Init", "Next", "Spec", "vars", "InBounds", "Symmetry", "Min", "Max", "BoundedSeq", "None")
"""What the module itself defines whatever the protocol."""

_NAME = re.compile(r"[A-Za-z_]\w*(?<!_)", re.ASCII)


def is_name(text: str) -> bool:
    """Whether TLA+ takes the text for a name. (It would take more: ours neither begin with a digit nor end
    in an underscore, which the bound variables of types do.)"""
    return bool(_NAME.fullmatch(text)) and text not in KEYWORDS and not text.startswith(("WF_", "SF_"))


class Scope:
    """Names that mean something already."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)

    def take(self, wanted: str) -> str:
        """A free name, the one wanted if it is."""
        name = next(name for name in _candidates(wanted) if is_name(name) and name not in self.taken)
        self.taken.add(name)
        return name


def _candidates(wanted: str) -> Iterator[str]:
    near = re.sub(r"\W", "_", wanted, flags=re.ASCII).strip("_")
    near = near if near[:1].isalpha() and not near.startswith(("WF_", "SF_")) else f"x{near}"
    return itertools.chain((wanted, near), (f"{near}{number}" for number in itertools.count(2)))


@dataclass(frozen=True)
class Words:
    """The names of everything that the module declares or defines.

    Attributes:
        variables: by the variable's name in the protocol.
        types: the constant of each sort, the operator of each other type that has one.
        actions: by the action's name.
        properties: by the property's name.
        taken: all of them, and what no bound variable may be called besides.
    """

    variables: Mapping[str, str]
    types: Mapping[Type, str]
    actions: Mapping[str, str]
    properties: Mapping[str, str]
    taken: frozenset[str]

    def picks(self, names: Iterable[str]) -> dict[str, str]:
        """The names of an action's picks."""
        scope = Scope(self.taken)
        return {name: scope.take(camel(name)) for name in names}


def words_of(model: Model) -> Words:
    """The names in a model's module: those of the protocol, with a number where one is taken already."""
    sorts = [kind for kind in all_types(model) if isinstance(kind, Sort)]
    members = [member for kind in sorts for member in kind.members]
    scope = Scope((*KEYWORDS, *CONFIGURATION, *EXTENDED, *OWN, *members))
    variables = {variable.name: scope.take(variable.tla) for variable in model.variables}
    types: dict[Type, str] = {kind: scope.take(kind.name) for kind in sorts}
    actions = {action.name: scope.take(action.tla) for action in model.actions}
    properties = {one.name: scope.take(one.tla) for one in model.properties.values()}
    types |= {kind: scope.take(kind.name) for kind in definable(model)}
    return Words(variables, types, actions, properties, frozenset(scope.taken))


def module_name(model: Model) -> str:
    """The name of a model's module, which has to be that of its file: the protocol's in UpperCamelCase."""
    return Scope(KEYWORDS | MODULES).take(pascal(model.protocol.replace("-", "_")))
