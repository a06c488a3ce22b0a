"""Names in a TLA+ module, and the types that need one. No name may hide another there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from leadline.symbolic.lang import (
    Fairness,
    ForEach,
    ForSome,
    Map,
    Model,
    Named,
    Property,
    Record,
    Sort,
    Type,
    Union,
    camel,
    formulas,
    nodes as n,
    pascal,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RESERVED = _words(
    """ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS
    DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW
    OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING SUBSET SUFFICES
    TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WITH WITNESS"""
)
"""The words of TLA+, which are no names."""

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
"""Standard modules, which a file of the same name would hide."""

OWN = ("Init", "Next", "Spec", "vars", "InBounds", "Symmetry", "Alias", "Min", "Max", "BoundedSeq", "None")
"""The names that every module defines."""

_NAME = re.compile(r"[A-Za-z_]\w*(?<!_)", re.ASCII)


def is_name(text: str) -> bool:
    """Whether the text is a name in TLA+ that modules written here may use.

    Names that begin with a digit or end in an underscore, as bound variables of types do, are left out.
    """
    return bool(_NAME.fullmatch(text)) and text not in RESERVED and not text.startswith(("WF_", "SF_"))


class Scope:
    """The names that are taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)

    def take(self, wanted: str) -> str:
        """Take a free name: the one wanted, or one close to it."""
        name = next(name for name in candidates(wanted) if is_name(name) and name not in self.taken)
        self.taken.add(name)
        return name


def candidates(wanted: str) -> Iterator[str]:
    """The name wanted, and then those close to it."""
    near = re.sub(r"\W", "_", wanted, flags=re.ASCII).strip("_")
    near = near if near[:1].isalpha() and not near.startswith(("WF_", "SF_")) else f"x{near}"
    return itertools.chain((wanted, near), (f"{near}{number}" for number in itertools.count(2)))


@dataclass(frozen=True)
class Words:
    """The names that a module declares or defines.

    Attributes:
        variables: by the variable's name in the protocol.
        types: the constant of each sort, and the operator of each other type that has one.
        actions: by the action's name.
        properties: by the property's name.
        fair: for each fairness condition, the operator that holds of its steps.
        taken: all of these and the reserved names, which no bound variable may have.
    """

    variables: Mapping[str, str]
    types: Mapping[Type, str]
    actions: Mapping[str, str]
    properties: Mapping[str, str]
    fair: tuple[str, ...]
    taken: frozenset[str]

    def picks(self, names: Iterable[str], around: Iterable[str] = ()) -> dict[str, str]:
        """The names of an action's picks, where the names `around` are taken too."""
        scope = Scope((*self.taken, *around))
        return {name: scope.take(camel(name)) for name in names}


def words_of(model: Model) -> Words:
    """The names in a model's module: those of the protocol, with a number where a name is taken."""
    sorts = [kind for kind in all_types(model) if isinstance(kind, Sort)]
    members = [member for kind in sorts for member in kind.members]
    scope = Scope((*RESERVED, *CONFIGURATION, *EXTENDED, *OWN, *members))
    variables = {variable.name: scope.take(variable.tla) for variable in model.variables}
    types: dict[Type, str] = {kind: scope.take(kind.name) for kind in sorts}
    actions = {action.name: scope.take(action.tla) for action in model.actions}
    stated = (*model.properties.values(), *model.constraints, *model.shown)
    properties = {one.name: scope.take(one.tla) for one in stated}
    types |= {kind: scope.take(kind.name) for kind in definable(model)}
    fair = tuple(_fair(model, one, actions, scope) for one in model.fairness)
    return Words(variables, types, actions, properties, fair, frozenset(scope.taken))


def _fair(model: Model, one: Fairness, actions: Mapping[str, str], scope: Scope) -> str:
    """The operator of a fairness condition: Next, an action, or one of its own."""
    if not one.types and len(one.arms) == len(model.actions):
        return "Next"
    if not one.types and len(one.arms) == 1:
        return actions[one.arms[0].action]
    wanted = one.name if is_name(one.name) else "Fair"
    return scope.take(f"{wanted}At" if wanted in scope.taken and one.types else wanted)


def module_name(model: Model) -> str:
    """The name of a model's module and its file: the protocol's name in UpperCamelCase."""
    return Scope(RESERVED | MODULES).take(pascal(model.protocol.replace("-", "_")))


# -- the types of a model --------------------------------------------------------------------------------


def all_types(model: Model) -> list[Type]:
    """Every type in the model once, the variables' types first, and parts before the types made of them."""
    return _with_parts((*_declared(model), *(node.type for node in nodes_of(model))))


def definable(model: Model) -> list[Named | Record | Union]:
    """The named types that the module uses as sets, parts first.

    The record behind a tag is not among them: it is printed as a part of its union.
    """
    shown = [*_declared(model)]
    for node in nodes_of(model):
        if isinstance(node, n.Universe):
            shown += node.type.parts
        elif isinstance(node, n.MapBuild):
            shown.append(node.var.type)
    kinds = _with_parts(shown, through_tags=True)
    named = (x for x in kinds if isinstance(x, (Named, Record, Union)))
    return [x for x in named if not isinstance(x, Sort)]


def nodes_of(model: Model) -> list[n.Node]:
    """Every expression of the model and every part of one."""
    roots = [root for action in (model.init, *model.actions) for root in action.roots]
    keys = [key for one in model.fairness for arm in one.arms for key in arm.keys]
    stated = [node for one in model.properties.values() for node in (one.formula, *_about_runs(one))]
    return n.postorder(*roots, *keys, *stated, *(one.formula for one in model.shown))


def _about_runs(one: Property) -> Iterator[n.Node]:
    """The predicates of a claim about runs, and the values of quantifiers that do not range over a type."""
    if one.temporal is None:
        return
    yield from one.nodes
    for part in formulas(one.temporal):
        if isinstance(part, (ForEach, ForSome)) and not ranges_over_type(part):
            yield from (n.make(n.Const, part.var.type, part.var.span, value) for value in part.domain)


def ranges_over_type(quantified: ForEach | ForSome) -> bool:
    """Whether the quantifier of a temporal formula ranges over all values of its variable's type."""
    return len(quantified.domain) == quantified.var.type.capped


def named_members(model: Model) -> set[str]:
    """The members of sorts that constants name; members of enumerations may be among them."""
    constants = [node for node in nodes_of(model) if isinstance(node, n.Const)]
    found = {name for node in constants for name in _strings(node.value)}
    for kind in _with_parts(node.type for node in constants):
        if isinstance(kind, Map):
            # The value of a map does not hold its keys, but its text does.
            keys = [part for part in _with_parts([kind.key]) if isinstance(part, Sort)]
            found.update(member for sort in keys for member in sort.members)
    return found


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, frozenset)):
        for item in value:
            yield from _strings(item)


def _declared(model: Model) -> Iterator[Type]:
    yield from (variable.type for variable in model.variables)
    yield from (pick.type for action in (model.init, *model.actions) for pick in action.picks)


def _with_parts(kinds: Iterable[Type], *, through_tags: bool = False) -> list[Type]:
    done: dict[Type, None] = {}
    stack = [(kind, False) for kind in reversed(list(kinds))]
    while stack:
        kind, ready = stack.pop()
        if ready:
            done[kind] = None
        elif kind not in done:
            parts = [kind.parts]
            if through_tags and isinstance(kind, Union):
                parts = [record.parts for record in kind.parts]
            stack.append((kind, True))
            stack += [(part, False) for group in reversed(parts) for part in reversed(group)]
    return list(done)
