"""`leadline export`: write a protocol at given parameters in the language of another tool."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from leadline.symbolic.cli.inputs import add_properties, add_protocol, chosen_model
from leadline.symbolic.cli.output import check_places, check_writable, make_folder, write_out
from leadline.symbolic.cli.terminal import Exit, put, tell
from leadline.symbolic.engines.bounded.search import deadlock_property
from leadline.symbolic.export import SequentialCircuit, aiger, large_sets, module_name, tla_module, tlc_config
from leadline.symbolic.lang import Model, UserError


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""

    add_protocol(parser)
    add_properties(parser)
    parser.add_argument(
        "--to",
        choices=("tla", "aiger"),
        required=True,
        help="the language: TLA+, for TLC; AIGER 1.9, for hardware model checkers",
    )
    parser.add_argument(
        "--out",
        metavar="PATH",
        type=Path,
        help="tla: the folder for the module and its configuration (default: print the module); aiger: the "
        "file, in the binary form if it ends in .aig and in ASCII if in .aag (default: print ASCII)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Exit:
    """Write the model with the properties to check."""
    if args.to == "tla" and args.protocol.endswith(".tla"):
        raise UserError(
            f"{args.protocol} is a TLA+ module, which TLC reads as it is: --to aiger writes a circuit"
        )
    entry, _, model = chosen_model(args)
    named = tuple(dict.fromkeys(args.properties))
    if args.to == "tla":
        _write_tla(args, model, tuple(one.name for one in model.choose_properties(named)))
    else:
        other = "" if args.protocol.endswith(".tla") else "; --to tla writes them"
        _write_aiger(args, model, _about_states(model, named, other), entry.source)
    return Exit.HOLDS


def _write_tla(args: argparse.Namespace, model: Model, names: Sequence[str]) -> None:
    module = tla_module(model)
    for text in large_sets(model):
        tell(text)
    if args.out is None:
        put(module)
        return
    make_folder(args.out)
    base = args.out / module_name(model)
    texts = {
        base.with_suffix(".tla"): module,
        base.with_suffix(".cfg"): tlc_config(model, names, args.deadlock),
    }
    check_places(args, [("--out", path) for path in texts])
    for path, text in texts.items():
        write_out(path, text)
        tell(f"wrote {path}")


def _about_states(model: Model, named: tuple[str, ...], other: str) -> tuple[str, ...]:
    """The properties for AIGER. Claims about runs are left out with a message, and refused where named.

    Args:
        model: the model.
        named: the properties that the command names.
        other: the end of the message, which tells the other format that has claims about runs.

    Raises:
        UserError: if one is named.
    """
    chosen = model.choose_properties(named)
    about_runs = [one.name for one in chosen if one.temporal is not None]
    if about_runs:
        which = f"{', '.join(about_runs)}: claims about runs, and fairness, are not written as AIGER"
        text = f"{which} (its sections of justice and fairness){other}"
        if named:
            raise UserError(text)
        tell(f"left out: {text}")
    return tuple(one.name for one in chosen if one.temporal is None)


def _write_aiger(args: argparse.Namespace, model: Model, names: Sequence[str], source: str) -> None:
    form = ".aag" if args.out is None else args.out.suffix
    if form not in (".aag", ".aig"):
        raise UserError(f"--out {args.out}: a file that ends in .aig (binary) or .aag (ASCII) is needed")
    check_writable(args, "out")
    properties = [model.properties[name] for name in names]
    if args.deadlock:
        properties.append(deadlock_property(model))
    content = aiger(SequentialCircuit(model, properties), source, binary=form == ".aig")
    if args.out is None:
        put(content.decode())
    else:
        write_out(args.out, content)
        tell(f"wrote {args.out}")
