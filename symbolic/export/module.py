"""A model as a TLA+ module, and its configuration for TLC."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from leadline.symbolic.export.layout import (
    WIDTH,
    Layout,
    Lines,
    bare,
    bullets,
    commas,
    conjuncts_of,
    fill,
    hang,
    picks_in,
)
from leadline.symbolic.export.limits import check_depths, check_names
from leadline.symbolic.lang import (
    Action,
    Enum,
    Map,
    Model,
    Option,
    Pick,
    Property,
    PropertyKind,
    Record,
    Sort,
    Type,
    Union,
)
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.lang.model import symmetric_sorts
from leadline.symbolic.lang.names import setting_text
from leadline.symbolic.lang.tla_names import Words, all_types, module_name, named_members, nodes_of, words_of
from leadline.symbolic.lang.tla_types import record_sets, set_text, variant_sets

_INDENT = "  "
_OPERATORS = {
    "Min": r"Min(S_) == CHOOSE x_ \in S_ : \A y_ \in S_ : x_ <= y_",
    "Max": r"Max(S_) == CHOOSE x_ \in S_ : \A y_ \in S_ : y_ <= x_",
    # Not as the union of a set of sets of functions, which TLC would compare member by member.
    "BoundedSeq": "RECURSIVE BoundedSeq(_, _)\n"
    r"BoundedSeq(S_, n_) == IF n_ = 0 THEN {<<>>} ELSE BoundedSeq(S_, n_ - 1) \cup [1..n_ -> S_]",
}
"""Operators that expressions may need and no standard module defines. Their parameters end in an underscore,
as no other name does, so they hide none."""

_TAKEN = 12
"""Columns kept for the quantifiers and bullets around a conjunct."""

_MAY_FAIL = (
    n.Undefined,
    n.Div,
    n.Mod,
    n.Choose,
    n.MinOf,
    n.MaxOf,
    n.Get,
    n.Payload,
    n.Index,
    n.SeqUpdate,
    n.Slice,
)

_BOUNDS = """Where Leadline says that a step goes out of bounds, TLC says that InBounds is violated, or that
an expression cannot be evaluated. What has a value in TLA+ all the same passes unseen here: comparing what an
option holds where it is None, EXCEPT outside of a domain, a field that a message of another type has too."""

_CHOOSE = """TLA+ leaves open which of several values CHOOSE takes. Leadline takes the first in the order of
the type; TLC takes the first in an order of its own, which for integers is the same."""


def tla_module(model: Model) -> str:
    """The text of a module with the model's variables, initial states, actions and properties.

    Its behaviours are those of the model, except for steps that go out of bounds: the invariant `InBounds`
    says that every variable is of its declared type.

    Raises:
        UserError: if the model has names that TLA+ cannot write.
        ModelError: if an expression is nested too deeply.
    """
    check_names(model)
    check_depths(model)
    words = words_of(model)
    body = [
        *_definitions(words),
        _in_bounds(model, words),
        *(_operator(model, action, words) for action in (model.init, *model.unconstrained)),
        _next(model, words),
        ["Spec == Init /\\ [][Next]_vars"],
        *(
            _property(one, words)
            for one in (*model.properties.values(), *model.constraints)
            if one.temporal is None
        ),
    ]
    written = "\n\n".join("\n".join(lines) for lines in body)
    parts = [
        f"{f' MODULE {module_name(model)} ':-^80}",
        "\n".join(header(model)),
        "EXTENDS Integers, FiniteSets, Sequences, TLC",
        *_constants(model, words),
        "\n".join(["VARIABLES", *commas(_INDENT, [[name] for name in words.variables.values()], "")]),
        "\n".join(fill("vars == <<", tuple(words.variables.values()), ">>", WIDTH)),
        *_symmetry(model, words),
        *(text for name, text in _OPERATORS.items() if f"{name}(" in written),
        written,
        "=" * 80,
    ]
    return "\n\n".join(parts) + "\n"


def tlc_config(model: Model, properties: Sequence[str] = (), deadlock: bool = False) -> str:
    """The text of a configuration for TLC.

    Args:
        model: the model.
        properties: the names of the properties to check; all if there are none.
        deadlock: whether a state without a successor is an error.

    Raises:
        UserError: if a property is unknown, or the model has names that TLA+ cannot write.
    """
    check_names(model)
    words = words_of(model)
    chosen = model.about_states(tuple(properties))
    lines = ["SPECIFICATION Spec", f"CHECK_DEADLOCK {'TRUE' if deadlock else 'FALSE'}"]
    sorts = _sorts(model)
    if constants := [
        *(f"{words.types[kind]} = {{{', '.join(kind.members)}}}" for kind in sorts),
        *(f"{name} = {name}" for name in _values(model)),
    ]:
        lines += ["CONSTANTS", *hang(_INDENT, constants)]
    lines += ["INVARIANTS", *hang(_INDENT, ["InBounds", *(words.properties[one.name] for one in chosen)])]
    if model.constraints:
        lines += ["CONSTRAINTS", *hang(_INDENT, [words.properties[one.name] for one in model.constraints])]
    if _interchangeable(model):
        lines += ["\\* Fewer states, but counts that are not those of Leadline:", "\\* SYMMETRY Symmetry"]
    return "\n".join(lines) + "\n"


# -- constants and definitions ---------------------------------------------------------------------------


def _sorts(model: Model) -> list[Sort]:
    return [kind for kind in all_types(model) if isinstance(kind, Sort)]


def _values(model: Model) -> list[str]:
    """The model values that expressions name: None, and members of sorts."""
    kinds = all_types(model)
    found = ["None"] if any(isinstance(kind, Option) for kind in kinds) else []
    named = named_members(model)
    members = dict.fromkeys(member for kind in _sorts(model) for member in kind.members)
    return [*found, *(member for member in members if member in named)]


def _constants(model: Model, words: Words) -> Iterator[str]:
    names = [*(words.types[kind] for kind in _sorts(model)), *_values(model)]
    if names:
        yield "\n".join(["CONSTANTS", *commas(_INDENT, [[name] for name in names], "")])


def _interchangeable(model: Model) -> list[Sort]:
    """The sorts whose members TLC may swap."""
    return [kind for kind in symmetric_sorts(model, model.properties.values()) if kind.cardinality > 1]


def _symmetry(model: Model, words: Words) -> Iterator[str]:
    if sorts := _interchangeable(model):
        sets = " \\cup ".join(f"Permutations({words.types[kind]})" for kind in sorts)
        yield f"Symmetry == {sets}"


def _definitions(words: Words) -> Iterator[Lines]:
    for kind, name in words.types.items():
        if not isinstance(kind, Sort):
            yield _definition(f"{name} ==", _type_lines(kind, words))


def _type_lines(kind: Type, words: Words) -> Lines:
    inner = {other: name for other, name in words.types.items() if other is not kind}
    flat = set_text(kind, inner).text
    room = WIDTH - len(_INDENT)
    if len(flat) <= room:
        return [flat]
    if isinstance(kind, Enum):
        return fill("{", list(map(kind.tla, kind.members)), "}", room)
    if isinstance(kind, Record):
        return _record_lines(record_sets(kind, inner))
    assert isinstance(kind, Union)
    shapes = [_record_lines(fields) for fields in variant_sets(kind, inner)]
    return [*shapes[0], *(line for shape in shapes[1:] for line in hang("\\cup ", shape))]


def _record_lines(fields: dict[str, str]) -> Lines:
    return commas("[", [[f"{name} : {text}"] for name, text in fields.items()], "]")


def _definition(head: str, body: Lines) -> Lines:
    """An operator with its body on the same line if it fits, else below."""
    if len(body) == 1 and len(head) + 1 + len(body[0]) <= WIDTH:
        return [f"{head} {body[0]}"]
    return [head, *(_INDENT + line for line in body)]


# -- states, actions, properties -------------------------------------------------------------------------


def _in_bounds(model: Model, words: Words) -> Lines:
    named = words.types
    types = [
        [f"{words.variables[variable.name]} \\in {set_text(variable.type, named).above(5)}"]
        for variable in model.variables
    ]
    told = comment(
        "Every variable is of its declared type. Leadline calls a step that leaves it out of bounds."
    )
    return [*told, "InBounds ==", *(_INDENT + line for line in bullets("/\\", types))]


def _operator(model: Model, action: Action, words: Words) -> Lines:
    name = "Init" if action is model.init else words.actions[action.name]
    body = Operator(model, action, words).lines(action.body)
    return [*comment(action.doc), f"{name} ==", *(_INDENT + line for line in body)]


def _next(model: Model, words: Words) -> Lines:
    names = [[words.actions[action.name]] for action in model.actions]
    return ["Next ==", *(_INDENT + line for line in bullets("\\/", names or [["FALSE"]]))]


def _property(one: Property, words: Words) -> Lines:
    layout = Layout(words, {})
    layout.share([one.formula])
    body = layout.let(tuple(layout.parts), layout.lines(one.formula, WIDTH - len(_INDENT)))
    return [*told_of(one), *_definition(f"{words.properties[one.name]} ==", body)]


def comment(text: str) -> list[str]:
    """The lines of a text as comments; none for an empty text."""
    return [f"\\* {line}".rstrip() for line in text.strip().splitlines()]


def header(model: Model) -> list[str]:
    """The module's origin, and its differences from the model."""
    set_ = {name: value for name, value in model.parameters.items() if value is not None}
    lines = comment(f"{model.protocol}, written by Leadline" + (" at these parameters:" if set_ else "."))
    lines += [f"\\*   {name} = {setting_text(value)}" for name, value in set_.items()]
    lines += ["\\*", *comment(_filled(_BOUNDS))]
    if any(isinstance(node, n.Choose) for node in nodes_of(model)):
        lines += ["\\*", *comment(_filled(_CHOOSE))]
    return lines


def told_of(one: Property) -> list[str]:
    """A property's documentation as comments."""
    lines = comment(one.doc)
    if one.kind is PropertyKind.PROBE:
        lines += comment("A probe: it is expected to be violated.")
    return lines


def _filled(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 96)


# -- actions ---------------------------------------------------------------------------------------------


class Operator:
    """The body of an operator: one action, or the initial states.

    Args:
        model: the model.
        action: the action.
        words: the module's names.
    """

    def __init__(self, model: Model, action: Action, words: Words) -> None:
        self._initial = action is model.init
        self._variables = [words.variables[variable.name] for variable in model.variables]
        self._updates = {words.variables[name]: node for name, node in action.updates}
        self._picks = words.picks(pick.name for pick in action.picks)
        self._layout = Layout(words, self._picks)
        self._layout.share(action.roots)
        self._picked: set[str] = set()
        self._defined: set[n.Node] = set()

    def lines(self, body: Sequence[Pick | n.Node]) -> Lines:
        """The lines of the rest of the action's body and of its updates."""
        first = _first_picks(body)
        if (not first or self._waiting(first)) and (parts := self._definable()):
            self._defined.update(parts)
            return self._layout.let(parts, self.lines(body))
        if first:
            self._picked.update(pick.name for pick in first)
            ranges = ", ".join(self._range(pick) for pick in first)
            return [f"\\E {ranges} :", *hang("  ", self.lines(body[len(first) :]))]
        conjuncts: list[Lines] = []
        for place, item in enumerate(body):
            if isinstance(item, Pick):
                return bullets("/\\", [*conjuncts, self.lines(body[place:])])
            conjuncts += map(self._guard, conjuncts_of(item))
        return bullets("/\\", [*conjuncts, *self._next()])

    def _definable(self) -> list[n.Node]:
        """The parts that are not yet defined and whose picks are all made."""
        found = [part for part in self._layout.parts if part not in self._defined]
        return [part for part in found if picks_in(part) <= self._picked]

    def _waiting(self, picks: Sequence[Pick]) -> bool:
        """Whether the picks' domains use parts that are not yet defined."""
        domains = n.postorder(*(pick.domain for pick in picks if pick.domain is not None))
        return any(part in domains for part in self._layout.parts if part not in self._defined)

    def _range(self, pick: Pick) -> str:
        domain = pick.type if pick.domain is None else pick.domain
        return self._layout.range(self._picks[pick.name], domain)

    def _guard(self, node: n.Node) -> Lines:
        if branches(node) and any(map(_may_fail, n.postorder(node))):
            # TLC would evaluate every branch, also those behind the first that is true.
            return hang("TRUE = ", self._layout.lines(node, WIDTH - _TAKEN - 7, 5))
        return self._layout.lines(node, WIDTH - _TAKEN)

    def _next(self) -> list[Lines]:
        prime = "" if self._initial else "'"
        room = WIDTH - _TAKEN
        assigned = []
        for name, node in self._updates.items():
            head = f"{name}{prime} = "
            assigned.append(hang(head, self._layout.lines_of_value(node, room - len(head))))
        kept = [name for name in self._variables if name not in self._updates]
        return [*assigned, unchanged(kept, self._variables, room)] if kept else assigned


def _may_fail(node: n.Node) -> bool:
    """Whether TLC may fail to evaluate a node whose parts it can evaluate."""
    if isinstance(node, n.Apply):
        kind = node.map.type
        return isinstance(kind, Map) and not kind.key.includes(bare(node.key).type)
    return isinstance(node, _MAY_FAIL)


def unchanged(kept: Sequence[str], variables: Sequence[str], room: int) -> Lines:
    """The conjunct that keeps the values of these variables."""
    if len(kept) == len(variables):
        return ["UNCHANGED vars"]
    return [f"UNCHANGED {kept[0]}"] if len(kept) == 1 else fill("UNCHANGED <<", kept, ">>", room)


def branches(node: n.Node) -> bool:
    """Whether TLC splits a guard into several actions: it evaluates every side of a disjunction in one."""
    todo = [node]
    while todo:
        one = todo.pop()
        match one:
            case n.Or() | n.Exists():
                return True
            case n.And():
                todo += one.items
            case n.Forall():
                todo.append(one.body)
            case n.Ite():
                todo += (one.then, one.orelse)
    return False


def _first_picks(body: Sequence[Pick | n.Node]) -> list[Pick]:
    """The picks that one quantifier can bind: the first ones, as long as their domains use none of them."""
    found: list[Pick] = []
    for item in body:
        if not isinstance(item, Pick):
            break
        names = picks_in(item.domain) if item.domain is not None else set()
        if not names.isdisjoint(pick.name for pick in found):
            break
        found.append(item)
    return found
