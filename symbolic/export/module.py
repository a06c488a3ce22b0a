"""A model as a TLA+ module, and its configuration for TLC.

Fairness becomes conjuncts `WF_v(A)` and `SF_v(A)` of the specification, and a claim about runs a PROPERTY of TLC.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from leadline.symbolic.lang import (
    BOOL,
    TOO_MANY,
    Action,
    Always,
    Arm,
    Atoms,
    Both,
    Either,
    Eventually,
    Fairness,
    ForEach,
    ForSome,
    Happens,
    Holds,
    LeadsTo,
    Map,
    Mistake,
    Model,
    ModelError,
    Named,
    Negated,
    Option,
    Pick,
    Property,
    PropertyKind,
    Record,
    Set,
    Sort,
    Span,
    Temporal,
    Type,
    Union,
    UserError,
    camel,
    in_tla,
    key_variables,
    nodes as n,
    primed,
    setting_text,
    substituted,
    symmetric_sorts,
)
from leadline.symbolic.lang.rules import equality, negation
from leadline.symbolic.notation.expressions import Printer, bare, conjuncts_of, picks_in
from leadline.symbolic.notation.lines import WIDTH, Lines, bullets, commas, enclose, fill, hang
from leadline.symbolic.notation.names import (
    Scope,
    Words,
    all_types,
    is_name,
    module_name,
    named_members,
    nodes_of,
    ranges_over_type,
    words_of,
)
from leadline.symbolic.notation.types import record_sets, set_text, variant_sets

# -- limits of TLA+ and TLC: names that a module cannot hold, and sets that TLC cannot enumerate -----------------

_STRING = re.compile(r'[^"\\\x00-\x1f\x7f-\U0010ffff]*')

_MOST_ELEMENTS = 1_000_000  # TLC's default for -maxSetSize
_LARGEST_LIMIT = 2**31 - 1  # the greatest that -maxSetSize takes


def check_names(model: Model) -> None:
    """Check every name that the module must keep unchanged.

    Raises:
        UserError: with each name that TLA+ does not allow.
    """
    wrong = dict.fromkeys(text for kind in all_types(model) for text in _complaints(kind))
    if wrong:
        raise UserError("\n".join([f"{model.protocol} cannot be written as TLA+:", *wrong]))


_DEEPEST = 4_000
"""Levels to which an expression may be nested: text that is deeper overflows the parser of TLC, and the text
of each part is held, which is quadratic."""


def check_depths(model: Model) -> None:
    """Check that no expression is nested too deeply for a text.

    Raises:
        ModelError: with the place of each that is.
    """
    roots = [(one.span, one.roots) for one in (model.init, *model.actions)]
    roots += [(one.span, one.nodes) for one in (*model.properties.values(), *model.constraints, *model.shown)]
    told = []
    for span, own in roots:
        depths: dict[n.Node, int] = {}
        for node in n.postorder(*own):
            depths[node] = 1 + max((depths[child] for child in n.children(node)), default=0)
        deepest = max(depths.values(), default=0)
        if deepest > _DEEPEST:
            text = f"an expression here is nested {deepest} levels deep, and TLA+ text has {_DEEPEST} at most"
            told.append(Mistake(span, f"{text}: keep a part of it in a variable, or fold over a sequence"))
    if told:
        raise ModelError(told)


def _complaints(kind: Type) -> Iterator[str]:
    match kind:
        case Sort():
            wrong = [member for member in kind.members if not is_name(member)]
            yield from (f"the member {x} of {kind.name} is not a name in TLA+" for x in wrong)
        case Atoms():
            wrong = [x for x in kind.members if not (x.startswith('"') and _STRING.fullmatch(x[1:-1]))]
            yield from (f"the exported module would have no constant for the model value {x}" for x in wrong)
        case Named():
            wrong = [member for member in kind.members if not _STRING.fullmatch(member)]
            yield from (f"the member {x!r} of {kind.name} is not a string in TLA+" for x in wrong)
        case Union():
            wrong = [tag for tag, _ in kind.variants if not _STRING.fullmatch(tag)]
            yield from (f"the tag {x!r} of {kind.name} is not a string in TLA+" for x in wrong)
            for tag, record in kind.variants:
                if "type" in record.labels:
                    yield f"{kind.name}: {tag} has a field `type`, which is the name of the tag in TLA+"
        case Record():
            yield from _complaints_of_fields(kind)


def _complaints_of_fields(kind: Record) -> Iterator[str]:
    named: dict[str, str] = {}
    for field, name in zip(kind.positions, kind.labels, strict=True):
        if not is_name(name):
            yield f"the field {field} of {kind.name} is not a name in TLA+"
        if name in named:
            yield f"the fields {named[name]} and {field} of {kind.name} are both {name} in TLA+"
        named[name] = field


def large_sets(model: Model) -> list[str]:
    """The places where TLC enumerates a type of more than 1,000,000 values, one line each with the repair.

    TLC tests membership without enumeration, so such a test is not among them.
    """
    found = {(span, repr(kind)): _count(kind) for span, kind in _enumerated(model)}
    return [
        f"{place}: TLC has to enumerate {_repair(kind, count)}"
        for (place, kind), count in sorted(found.items())
        if count > _MOST_ELEMENTS
    ]


def _repair(kind: str, count: int) -> str:
    if count > _LARGEST_LIMIT:
        return f"more than {_LARGEST_LIMIT:,} values of {kind}, and it cannot: give smaller parameters"
    return (
        f"the {count:,} values of {kind}: give smaller parameters, or run TLC with -maxSetSize {count}, "
        f"since its limit for a set is {_MOST_ELEMENTS:,} elements"
    )


def _enumerated(model: Model) -> Iterator[tuple[Span, Type]]:
    """The types whose values TLC enumerates, with the place: types of picks, and ranges of quantifiers."""
    picks = (pick for action in (model.init, *model.actions) for pick in action.picks)
    yield from ((pick.span, pick.type) for pick in picks if pick.domain is None)
    for node in nodes_of(model):
        children = list(n.children(node))
        tested = children[-1:] if isinstance(node, (n.Member, n.Subset)) else ()
        for child in children:
            if isinstance(child, n.Universe) and child not in tested:
                yield from ((child.span, kind) for kind in child.type.parts)


def _count(kind: Type) -> int:
    """The number of values, or some number above `_LARGEST_LIMIT`, without computing a large one."""
    if kind.capped < TOO_MANY:
        return kind.capped
    largest = max(map(_count, kind.parts), default=0)
    too_large = 31 if isinstance(kind, Set) else _LARGEST_LIMIT
    if largest >= too_large:
        return _LARGEST_LIMIT + 1
    return kind.cardinality


# -- operators ----------------------------------------------------------------------------------------------

_TAKEN = 12
"""Columns kept for the quantifiers and bullets around a conjunct."""


class OperatorWriter:
    """The body of an operator: one action, or the initial states.

    Args:
        model: the model.
        action: the action.
        words: the module's names.
        given: the names of leaves whose values the operator is given, by the picks' names.
    """

    def __init__(
        self, model: Model, action: Action, words: Words, given: Mapping[str, str] | None = None
    ) -> None:
        self._initial = action is model.init
        self._variables = [words.variables[variable.name] for variable in model.variables]
        self._updates = {words.variables[name]: node for name, node in action.updates}
        given = given or {}
        self._picks = {**given, **words.picks((pick.name for pick in action.picks), given.values())}
        self._layout = Printer.of_module(words, self._picks)
        self._layout.share(action.roots)
        self._picked: set[str] = set(given)
        self._defined: set[n.Node] = set()

    def lines(self, body: Sequence[Pick | n.Node]) -> Lines:
        """The lines of the rest of the action's body and of its updates."""
        first = _first_picks(body)
        left = (part for part in self._layout.parts if part not in self._defined)
        parts = [part for part in left if picks_in(part) <= self._picked]
        if parts and (not first or self._waiting(first)):
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
    return isinstance(node, (*n.PARTIAL, n.Div, n.Mod))


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


_ATOM = re.compile(r"\w+")
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
    constants = [f"{words.types[kind]} = {{{', '.join(kind.members)}}}" for kind in _sorts(model)]
    runs = [words.properties[one.name] for one in chosen if one.temporal is not None]
    sections = {
        "CONSTANTS": [*constants, *(f"{name} = {name}" for name in _values(model))],
        "INVARIANTS": ["InBounds", *(words.properties[one.name] for one in chosen if one.temporal is None)],
        "PROPERTIES": runs,
        "CONSTRAINTS": [words.properties[one.name] for one in model.constraints],
        "VIEW": [] if model.view is None else [words.properties[model.view.name]],
        "ALIAS": ["Alias"] if model.aliases else [],
    }
    for section, entries in sections.items():
        if entries:
            lines += [section, *hang(_INDENT, entries)]
    if _interchangeable(model):
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
            yield _headed(f"{name} ==", _type_lines(kind, words))


def _type_lines(kind: Type, words: Words) -> Lines:
    inner = {other: name for other, name in words.types.items() if other is not kind}
    flat = set_text(kind, inner).text
    room = WIDTH - len(_INDENT)
    if len(flat) <= room:
        return [flat]
    if isinstance(kind, Named):
        return fill("{", [in_tla(kind, x) for x in kind.members], "}", room)
    if isinstance(kind, Record):
        return _record_lines(record_sets(kind, inner))
    assert isinstance(kind, Union)
    shapes = [_record_lines(fields) for fields in variant_sets(kind, inner)]
    return [*shapes[0], *(line for shape in shapes[1:] for line in hang("\\cup ", shape))]


def _record_lines(fields: dict[str, str]) -> Lines:
    return commas("[", [[f"{name} : {text}"] for name, text in fields.items()], "]")


def _headed(head: str, body: Lines) -> Lines:
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
    body = OperatorWriter(model, action, words).lines(action.body)
    return [*comment(action.doc), f"{name} ==", *(_INDENT + line for line in body)]


def _next(model: Model, words: Words) -> Lines:
    names = [[words.actions[action.name]] for action in model.actions]
    return ["Next ==", *(_INDENT + line for line in bullets("\\/", names or [["FALSE"]]))]


def _property(one: Property, words: Words) -> Lines:
    if one.temporal is not None:
        after = {primed(name): f"{text}'" for name, text in words.variables.items()}
        lines = _Formulas(replace(words, variables={**words.variables, **after}), {}).lines(one.temporal)
        return [*told_of(one), *_headed(f"{words.properties[one.name]} ==", lines)]
    layout = Printer.of_module(words, {})
    layout.share([one.formula])
    body = layout.let(tuple(layout.parts), layout.lines(one.formula, WIDTH - len(_INDENT)))
    return [*told_of(one), *_headed(f"{words.properties[one.name]} ==", body)]


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


# -- fairness ------------------------------------------------------------------------------------------


def fair_operators(model: Model, words: Words) -> list[Lines]:
    """The operators of the steps that fairness conditions speak of, where no action is that operator."""
    known = {"Next", *words.actions.values()}
    pairs = zip(model.fairness, words.fair, strict=True)
    return [_Fair(model, words, one, name).operator() for one, name in pairs if name not in known]


def specification(model: Model, words: Words) -> Lines:
    """The specification: the initial states, the steps and the fairness conditions."""
    pairs = zip(model.fairness, words.fair, strict=True)
    fair = [_Fair(model, words, one, name).conjunct() for one, name in pairs]
    parts = ["Init", "[][Next]_vars", *dict.fromkeys(fair)]
    flat = "Spec == " + " /\\ ".join(parts)
    quantified = any(part.startswith("\\A") for part in parts)
    if len(flat) <= WIDTH and not quantified:
        return [flat]
    return ["Spec ==", *(f"  {line}" for line in bullets("/\\", [[part] for part in parts]))]


class _Fair:
    def __init__(self, model: Model, words: Words, fair: Fairness, name: str) -> None:
        self.model = model
        self.words = words
        self.fair = fair
        self.keys = key_variables(fair)
        scope = Scope(words.taken)
        self.parameters = [scope.take(_called(fair, place)) for place in range(len(fair.types))]
        self.called = f"{name}({', '.join(self.parameters)})" if self.parameters else name

    def conjunct(self) -> str:
        layout = Printer.of_module(self.words, {})
        pairs = zip(self.parameters, self.fair.types, strict=True)
        ranges = ", ".join(layout.range(name, kind) for name, kind in pairs)
        names = [self.words.variables[name] for name in self.fair.of]
        subscript = "vars" if not names else names[0] if len(names) == 1 else f"<<{', '.join(names)}>>"
        formula = f"{'SF' if self.fair.strong else 'WF'}_{subscript}({self.called})"
        return f"\\A {ranges} : {formula}" if ranges else formula

    def operator(self) -> Lines:
        """The definition of the operator that holds of the steps."""
        named = {action.name: action for action in self.model.unconstrained}
        if self.fair.types:
            arms = [self._arm(named[arm.action], arm) for arm in self.fair.arms]
        else:
            arms = [[self.words.actions[arm.action]] for arm in self.fair.arms]
        return [f"{self.called} ==", *(f"  {line}" for line in bullets("\\/", arms))]

    def _arm(self, action: Action, arm: Arm) -> Lines:
        """An action at the values of the parameters. A key that is a pick becomes a parameter in its place."""
        given: dict[str, str] = {}
        body: list[Pick | n.Node] = list(action.body)
        for key, leaf, name in zip(arm.keys, self.keys, self.parameters, strict=True):
            if isinstance(key, n.PickVar) and key.name not in given:
                given[key.name] = name
                body = [_given(item, key) for item in body]
            else:
                given[leaf.name] = name
                body.append(equality(key, leaf))
        kept = tuple(item for item in body if not (isinstance(item, n.Const) and item.value is True))
        return OperatorWriter(self.model, replace(action, body=kept), self.words, given).lines(kept)


def _called(fair: Fairness, place: int) -> str:
    """A name for a parameter: that of a pick, or one made of the type's."""
    key = fair.arms[0].keys[place]
    kind = fair.types[place]
    if isinstance(key, n.PickVar):
        return camel(key.name)
    return kind.name[:1].lower() if isinstance(kind, Named) else "value"


def _given(item: Pick | n.Node, key: n.PickVar) -> Pick | n.Node:
    """An item of a body in which a pick is given: the pick is a guard that its value is in the domain."""
    if not isinstance(item, Pick) or item.name != key.name:
        return item
    if item.domain is None:
        return n.make(n.Const, BOOL, item.span, True)
    return n.make(n.Member, BOOL, item.span, key, item.domain)


# -- claims about runs ---------------------------------------------------------------------------------


class _Formulas:
    """Writes temporal formulas.

    Args:
        words: the module's names, with those of the variables after a step.
        bound: the names that quantifiers around a formula bind, by the names of the leaves for them.
    """

    def __init__(self, words: Words, bound: Mapping[str, str]) -> None:
        self.words = words
        self.bound = bound

    def lines(self, formula: Temporal) -> Lines:
        """A formula that nothing stands before or behind on its lines."""
        match formula:
            case Holds(node=node):
                return self._predicate(node)
            case Always(item=Negated(item=Happens(node=node))):
                return enclose("[][", self._predicate(negation(node)), "]_vars")
            case Happens(node=node):
                return enclose("<<", self._predicate(node), ">>_vars")
            case Negated(item=item):
                return hang("~", self._closed(item))
            case Always(item=item) | Eventually(item=item):
                return hang("[]" if isinstance(formula, Always) else "<>", self._closed(item))
            case Either(items=(Negated(item=premise), conclusion)):
                return self._infix("=>", premise, conclusion)
            case LeadsTo(premise=premise, conclusion=conclusion):
                return self._infix("~>", premise, conclusion)
            case Both(items=items) | Either(items=items):
                sign = "/\\" if isinstance(formula, Both) else "\\/"
                if not items:
                    return ["TRUE" if isinstance(formula, Both) else "FALSE"]
                return bullets(sign, [self._closed(item, listed=True) for item in items])
            case ForEach() | ForSome():
                return self._quantified(formula)
        raise TypeError(f"{type(formula).__name__} is no temporal formula")

    def _closed(self, formula: Temporal, listed: bool = False) -> Lines:
        """A formula to stand behind a prefix or beside an infix operator or, `listed`, behind a bullet."""
        alone = len(formula.items) == 1 if isinstance(formula, (Both, Either)) else False
        prefixed = isinstance(formula, (Always, Eventually, Negated, Happens))
        if prefixed or alone or (listed and not isinstance(formula, (ForEach, ForSome))):
            return self.lines(formula)
        lines = self.lines(formula)
        return lines if _ATOM.fullmatch("".join(lines)) else enclose("(", lines, ")")

    def _infix(self, sign: str, left: Temporal, right: Temporal) -> Lines:
        before, behind = self._closed(left), self._closed(right)
        if len(before) == len(behind) == 1 and len(before[0] + behind[0]) < WIDTH:
            return [f"{before[0]} {sign} {behind[0]}"]
        return [*before, *hang(f"  {sign} ", behind)]

    def _quantified(self, formula: ForEach | ForSome) -> Lines:
        kind, span = formula.var.type, formula.var.span
        name = Scope((*self.words.taken, *self.bound.values())).take(camel(formula.var.name))
        leaf = n.make(n.PickVar, kind, span, f"bound {len(self.bound)}")
        layout = Printer.of_module(self.words, self.bound)
        chosen = n.make(n.Const, Set(kind), span, frozenset(formula.domain))
        within = layout.range(name, kind if ranges_over_type(formula) else chosen)
        inside = _Formulas(self.words, {**self.bound, leaf.name: name})
        sign = "\\A" if isinstance(formula, ForEach) else "\\E"
        head = f"{sign} {within} :"
        return _headed(head, inside.lines(substituted(formula.item, {formula.var: leaf})))

    def _predicate(self, node: n.Node) -> Lines:
        layout = Printer.of_module(self.words, self.bound)
        layout.share([node])
        return layout.let(tuple(layout.parts), layout.lines(node, WIDTH - 20))
