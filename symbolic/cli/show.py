"""`leadline show`: one protocol at given parameters."""

from __future__ import annotations

import argparse
from typing import Any

from leadline.symbolic.catalog import Entry
from leadline.symbolic.cli.describe import bits, indented, size, sorts_of, tla_type
from leadline.symbolic.cli.exits import Exit
from leadline.symbolic.cli.inputs import add_protocol, chosen_model
from leadline.symbolic.cli.listing import default_text, parameter_json
from leadline.symbolic.cli.output import Report, add_format, as_json, columns, deliver
from leadline.symbolic.lang import Action, Enum, Model, Record, Sort, Type, Union
from leadline.symbolic.lang.names import camel
from leadline.symbolic.trace.trace import setting, title


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("show", help="a protocol's variables, actions and properties")
    add_protocol(parser)
    add_format(parser, "text", "json")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Show a protocol at the parameters given."""
    entry, _, model = chosen_model(args)
    written = as_json(_json(entry, model)) if args.format == "json" else None
    deliver(_report(entry, model), written, None)
    return Exit.HOLDS


def _report(entry: Entry, model: Model) -> Report:
    report = Report()
    report.say(title(model))
    for line in indented(entry.doc, 2):
        report.say(line)
    total = sum(bits(variable.type) for variable in model.variables)
    step = step_size(model)
    report.say(f"  one step is encoded in {step['variables']:,} variables and {step['clauses']:,} clauses")
    for head, part in (
        ("parameters", _parameters(entry, model)),
        ("sorts", [f"{kind.name} = {{{', '.join(kind.members)}}}" for kind in sorts_of(model)]),
        (f"variables (at most {size(total)} states)", _variables(model)),
        ("actions", _documented((_action(x), x.doc) for x in model.actions)),
        ("properties", _documented((f"{x.name} ({x.kind})", x.doc) for x in model.properties.values())),
    ):
        if part:
            report.say()
            report.say(head)
            for line in part:
                report.say(f"  {line}".rstrip())
    return report


def step_size(model: Model) -> dict[str, int]:
    """The variables and clauses of one layer of an unrolling by steps."""
    # Here, so that commands without an encoding do not wait for it to load.
    from leadline.symbolic.encode import Encoding

    template = Encoding(model).step.template
    return {"variables": template.variables, "clauses": template.clauses}


def _parameters(entry: Entry, model: Model) -> list[str]:
    rows = []
    for name, one in entry.protocol.parameters.items():
        value = model.parameters[name]
        shown = "derived" if value is None else setting(value)
        default = "" if value == one.default else f"default {default_text(one)}"
        rows.append([name, f"= {shown}", one.range, default, one.doc])
    return columns(rows) if rows else []


def _variables(model: Model) -> list[str]:
    rows = [[x.tla, size(bits(x.type)), tla_type(x.type)] for x in model.variables]
    return columns([["name", "values", "type"], *rows])


def _action(action: Action) -> str:
    picks = ", ".join(f"{camel(pick.name)} \\in {_domain(pick.type)}" for pick in action.picks)
    return f"{action.tla}({picks})" if picks else action.tla


def _domain(kind: Type) -> str:
    """A pick's type: by its own name if it has one, since a message's type in full is long."""
    return repr(kind) if isinstance(kind, (Sort, Enum, Record, Union)) else tla_type(kind)


def _documented(items: Any) -> list[str]:
    return [line for head, doc in items for line in (head, *indented(doc, 2))]


def _json(entry: Entry, model: Model) -> dict[str, Any]:
    declared = entry.protocol.parameters
    return {
        "protocol": model.protocol,
        "source": entry.source,
        "doc": entry.doc,
        "fingerprint": model.fingerprint,
        "step": step_size(model),
        "parameters": [{**parameter_json(declared[x]), "value": y} for x, y in model.parameters.items()],
        "variables": [
            {"name": x.name, "tla": x.tla, "type": tla_type(x.type), "bits": round(bits(x.type), 3)}
            for x in model.variables
        ],
        "actions": [_action_json(action) for action in model.actions],
        "properties": [
            {"name": x.name, "tla": x.tla, "kind": str(x.kind), "doc": x.doc}
            for x in model.properties.values()
        ],
    }


def _action_json(action: Action) -> dict[str, Any]:
    picks = [{"name": x.name, "type": tla_type(x.type)} for x in action.picks]
    return {"name": action.name, "tla": action.tla, "doc": action.doc, "picks": picks}
