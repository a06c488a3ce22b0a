"""A model as a TLA+ module, and its configuration for TLC."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from leadline.symbolic.export.actions import Operator
from leadline.symbolic.export.layout import (
    WIDTH,
    Layout,
    Lines,
    bullets,
    commas,
    fill,
    hang,
)
from leadline.symbolic.export.limits import check_depths, check_names
from leadline.symbolic.export.runs import about_runs, fair_operators, formula_lines, specification
from leadline.symbolic.lang import (
    Action,
    Enum,
    Model,
    Option,
    Property,
    PropertyKind,
    Record,
    Sort,
    Type,
    Union,
    nodes as n,
    setting_text,
    symmetric_sorts,
)
from leadline.symbolic.notation.names import Words, all_types, module_name, named_members, nodes_of, words_of
from leadline.symbolic.notation.types import record_sets, set_text, variant_sets

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

_BOUNDS = """Where Leadline says that a step goes out of bounds, TLC says that InBounds is violated, or that
an expression cannot be evaluated. What has a value in TLA+ all the same passes unseen here: comparing what an
option holds where it is None, EXCEPT outside of a domain, a field that a message of another type has too."""

_CHOOSE = """TLA+ leaves open which of several values CHOOSE takes. Leadline takes the first in the order of
the type; TLC takes the first in an order of its own, which for integers is the same."""


def tla_module(model: Model) -> str:
    """The text of a module with the model's variables, initial states, actions, fairness and properties.

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
        *fair_operators(model, words),
        specification(model, words),
        *(_property(one, words) for one in (*model.properties.values(), *model.constraints, *model.shown)),
        *_alias(model, words),
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
    chosen = model.choose_properties(tuple(properties))
    lines = ["SPECIFICATION Spec", f"CHECK_DEADLOCK {'TRUE' if deadlock else 'FALSE'}"]
    sorts = _sorts(model)
    if constants := [
        *(f"{words.types[kind]} = {{{', '.join(kind.members)}}}" for kind in sorts),
        *(f"{name} = {name}" for name in _values(model)),
    ]:
        lines += ["CONSTANTS", *hang(_INDENT, constants)]
    invariants = [words.properties[one.name] for one in chosen if one.temporal is None]
    lines += ["INVARIANTS", *hang(_INDENT, ["InBounds", *invariants])]
    lines += about_runs([words.properties[one.name] for one in chosen if one.temporal is not None])
    if model.constraints:
        lines += ["CONSTRAINTS", *hang(_INDENT, [words.properties[one.name] for one in model.constraints])]
    if model.view is not None:
        lines += ["VIEW", *hang(_INDENT, [words.properties[model.view.name]])]
    if model.aliases:
        lines += ["ALIAS", *hang(_INDENT, ["Alias"])]
    if _interchangeable(model):
        runs = any(one.temporal is not None for one in chosen)
        told = "and wrong verdicts on PROPERTIES" if runs else "but counts that are not those of Leadline"
        lines += [f"\\* Fewer states, {told}:", "\\* SYMMETRY Symmetry"]
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
    if one.temporal is not None:
        lines = formula_lines(one.temporal, words)
        return [*told_of(one), *_definition(f"{words.properties[one.name]} ==", lines)]
    layout = Layout(words, {})
    layout.share([one.formula])
    body = layout.let(tuple(layout.parts), layout.lines(one.formula, WIDTH - len(_INDENT)))
    return [*told_of(one), *_definition(f"{words.properties[one.name]} ==", body)]


def _alias(model: Model, words: Words) -> list[list[str]]:
    """The operator that TLC's traces show: the variables and the aliases; none without aliases."""
    if not model.aliases:
        return []
    names = [*words.variables.values(), *(words.properties[one.name] for one in model.aliases)]
    return [["Alias == [", *commas(_INDENT, [[f"{name} |-> {name}"] for name in names], "]")]]


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
        lines += comment("A probe: it should be violated.")
    return lines


def _filled(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 96)
