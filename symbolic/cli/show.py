"""`leadline list` and `leadline show`: the protocols, and one of them at given parameters."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

from leadline.symbolic.api.tables import columns, summary
from leadline.symbolic.catalog import Entry, complaints, entries, load_file, model_on_values, split_path
from leadline.symbolic.cli.inputs import add_protocol, chosen_model
from leadline.symbolic.cli.output import add_format, as_json, deliver
from leadline.symbolic.cli.terminal import Exit, tell, width
from leadline.symbolic.engines import Table
from leadline.symbolic.engines.run.limits import Limits, TimeIsOver, limited
from leadline.symbolic.lang import (
    Action,
    Claim,
    Known,
    Model,
    Named,
    Parameter,
    Property,
    Record,
    Sort,
    Type,
    Union,
    UserError,
    bits,
    expected,
    setting_text,
    spoken,
)
from leadline.symbolic.meaning.trace import title
from leadline.symbolic.notation.names import all_types
from leadline.symbolic.notation.types import set_text


def declare_list(parser: argparse.ArgumentParser) -> None:
    """Declare `list`."""

    parser.add_argument(
        "paths",
        nargs="*",
        metavar="FILE",
        help="list the protocols of Python files instead",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="also list the parameters and properties of the protocols that are built in or installed",
    )
    add_format(parser, "text", "json")
    parser.set_defaults(run=_list)


def _list(args: argparse.Namespace) -> Exit:
    found = _entries(args.paths)
    written = as_json([_entry_json(x) for x in found]) if args.format == "json" else None
    if not found:
        return deliver(["no protocols"], written, None)
    if args.all or args.paths:
        return deliver([line for x in found for line in ("", *_about(x))][1:], written, None)
    table = Table(["protocol", "about"], [[x.name, summary(x.doc)] for x in found])
    return deliver(
        [table, "", "`leadline list --all` lists their parameters and properties too"], written, None
    )


def _entries(paths: Sequence[str]) -> list[Entry]:
    if not paths:
        for complaint in complaints():
            tell(complaint)
        return list(entries().values())
    found: list[Entry] = []
    for path in paths:
        file = split_path(path)
        if file is None or file[1] is not None:
            raise UserError(f"{path} is not the path of a Python file")
        found += load_file(file[0])
    return found


def _default_text(one: Parameter) -> str:
    return "derived" if one.default is None else setting_text(one.default)


def _about(entry: Entry) -> Iterator[str]:
    """A protocol with its parameters, its properties and what is known of those, line by line."""
    yield entry.name if entry.source == entry.name else f"{entry.name} ({entry.source})"
    if entry.doc:
        yield f"  {summary(entry.doc)}"
    rows = [[x.name, _default_text(x), x.range, x.doc] for x in entry.protocol.parameters.values()]
    yield from _section("parameters", rows)
    claims = [[claim.name, str(claim.kind), summary(claim.doc)] for claim in entry.claims]
    known = [[f"{x.text()}: {x.where_text() or 'the defaults'}" for x in one.known] for one in entry.claims]
    yield from _section("properties", claims, known)


def _section(head: str, rows: list[list[str]], below: Sequence[Sequence[str]] = ()) -> Iterator[str]:
    """A section with a line for each row, followed by the row's lines in `below` if there are any."""
    if not rows:
        return
    yield f"  {head}"
    for line, more in zip(columns(rows, "    "), below or repeat(()), strict=False):
        yield line
        yield from (f"      {text}" for text in more)


def _entry_json(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "source": entry.source,
        "doc": entry.doc,
        "parameters": [_parameter_json(one) for one in entry.protocol.parameters.values()],
        "properties": [
            _property_json(claim, [{**_known_json(x), "where": x.where_text()} for x in claim.known])
            for claim in entry.claims
        ],
    }


def _property_json(one: Claim | Property, known: Any) -> dict[str, Any]:
    return {"name": one.name, "tla": one.tla, "kind": str(one.kind), "doc": one.doc, "known": known}


def _known_json(row: Known) -> dict[str, Any]:
    return {"status": str(row.status), "steps": row.steps, "exact": row.exact}


def _parameter_json(one: Parameter) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind.__name__,
        "default": one.default,
        "at_least": one.at_least,
        "at_most": one.at_most,
        "choices": list(one.choices),
        "file": one.file,
        "doc": one.doc,
    }


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare `show`."""

    add_protocol(parser)
    add_format(parser, "text", "json")
    parser.set_defaults(run=_show)


def _show(args: argparse.Namespace) -> Exit:
    entry, _, model = chosen_model(args, model_on_values)
    if model.origin is not None:
        return deliver(
            _outline(model), as_json(_outline_json(model)) if args.format == "json" else None, None
        )
    written = as_json(_model_json(entry, model)) if args.format == "json" else None
    return deliver(_report(entry, model), written, None)


def _outline_json(model: Model) -> dict[str, Any]:
    """A specification in another language: the names in it."""
    about_runs = {one.name: one.kind.about_runs for one in model.properties.values()}
    return {
        "protocol": model.protocol,
        "parameters": dict(model.parameters),
        "variables": [one.tla for one in model.variables],
        "actions": [one.tla for one in model.actions],
        "invariants": [name for name, runs in about_runs.items() if not runs],
        "properties": [name for name, runs in about_runs.items() if runs],
    }


def _outline(model: Model) -> Iterator[str]:
    assert model.origin is not None
    told = _outline_json(model)
    yield f"{told.pop('protocol')}, {model.init.span.file}"
    constants = [f"{name} = {setting_text(value)}" for name, value in told.pop("parameters").items()]
    for head, names in {"constants": constants, **told}.items():
        yield from ("", f"{head}:{'' if names else ' none'}", *(f"  {name}" for name in names))


def _report(entry: Entry, model: Model) -> Iterator[str]:
    yield title(model)
    yield from indented(entry.doc, 2)
    total = sum(bits(variable.type) for variable in model.variables)
    sorts = (kind for kind in all_types(model) if isinstance(kind, Sort))
    variables = [[x.tla, size(bits(x.type)), set_text(x.type).text] for x in model.variables]
    step = _step_size(model)
    if step is None:
        yield f"  one step is so large that its encoding takes more than {_PATIENCE:g} s"
    else:
        yield f"  one step is encoded in {step['variables']:,} variables and {step['clauses']:,} clauses"
    for head, part in (
        ("parameters", _parameters(entry, model)),
        ("sorts", [f"{kind.name} = {{{', '.join(kind.members)}}}" for kind in sorts]),
        (f"variables (at most {size(total)} states)", columns([["name", "values", "type"], *variables])),
        ("actions", _documented((_action(x), x.doc) for x in model.actions)),
        ("properties", _documented((_property(entry, model, x), x.doc) for x in model.properties.values())),
    ):
        if part:
            yield from ("", head, *(f"  {line}".rstrip() for line in part))


_PATIENCE = 3.0
"""The most seconds that the size of a step may take."""


def _step_size(model: Model) -> dict[str, int] | None:
    """The variables and clauses of one layer of an unrolling by steps; None if that takes too long."""
    # Here, so that commands without an encoding do not wait for it to load.
    from leadline.symbolic.encode import Encoding

    try:
        with limited(Limits(_PATIENCE)):
            template = Encoding(model).step.template
    except TimeIsOver:
        return None
    return {"variables": template.variables, "clauses": template.clauses}


def _parameters(entry: Entry, model: Model) -> list[str]:
    rows = []
    for name, one in entry.protocol.parameters.items():
        value = model.parameters[name]
        shown = "derived" if value is None else setting_text(value)
        default = "" if value == one.default else f"default {_default_text(one)}"
        rows.append([name, f"= {shown}", one.range, default, one.doc])
    return columns(rows) if rows else []


def _action(action: Action) -> str:
    picks = ", ".join(f"{spoken(pick)} \\in {_domain(pick.type)}" for pick in action.picks)
    return f"{action.tla}({picks})" if picks else action.tla


def _domain(kind: Type) -> str:
    """A pick's type, by its name if it has one: the type of a message is long."""
    return repr(kind) if isinstance(kind, (Named, Record, Union)) else set_text(kind).text


def _known(entry: Entry, model: Model, claimed: Property) -> Known | None:
    claim = next(one for one in entry.claims if one.name == claimed.name)
    return expected(claim, entry.protocol, model.parameters) if claim.known else None


def _property(entry: Entry, model: Model, claimed: Property) -> str:
    known = _known(entry, model, claimed)
    return f"{claimed.name} ({claimed.kind}){'' if known is None else f': known, {known.text()}'}"


def _documented(items: Any) -> list[str]:
    return [line for head, doc in items for line in (head, *indented(doc, 2))]


def _model_json(entry: Entry, model: Model) -> dict[str, Any]:
    declared = entry.protocol.parameters
    return {
        "protocol": model.protocol,
        "source": entry.source,
        "doc": entry.doc,
        "fingerprint": model.fingerprint,
        "step": _step_size(model),
        "parameters": [{**_parameter_json(declared[x]), "value": y} for x, y in model.parameters.items()],
        "variables": [
            {"name": x.name, "tla": x.tla, "type": set_text(x.type).text, "bits": round(bits(x.type), 3)}
            for x in model.variables
        ],
        "actions": [_action_json(action) for action in model.actions],
        "properties": [
            _property_json(x, None if (known := _known(entry, model, x)) is None else _known_json(known))
            for x in model.properties.values()
        ],
    }


def _action_json(action: Action) -> dict[str, Any]:
    picks = [{"name": x.name, "type": set_text(x.type).text} for x in action.picks]
    return {"name": action.name, "tla": action.tla, "doc": action.doc, "picks": picks}


def size(exponent: float) -> str:
    """The number 2 to the exponent: in digits if it is small, else as a power.

    >>> size(3.0), size(70.25)
    ('8', '2^70.2')
    """
    return f"{round(2.0**exponent)}" if exponent < 20 else f"2^{exponent:.1f}"


def indented(doc: str, by: int) -> Iterable[str]:
    """A docstring's lines, indented. On a terminal its paragraphs and items fill the lines."""
    room = width()
    lines = doc.splitlines() if room is None else _filled(doc, room - by)
    return textwrap.indent("\n".join(lines), " " * by).splitlines()


def _filled(doc: str, room: int) -> Iterator[str]:
    """The lines of a text whose paragraphs and items fill the room."""
    for paragraph in re.split(r"\n\s*\n", doc.strip("\n")):
        # An item begins with a dash; what is indented below it belongs to it.
        for one in re.split(r"\n(?=- )", paragraph):
            further = "  " if one.startswith("- ") else ""
            text = " ".join(one.split())
            yield from textwrap.wrap(text, room, subsequent_indent=further, break_on_hyphens=False)
        yield ""
