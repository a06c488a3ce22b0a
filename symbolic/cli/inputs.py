"""Arguments that several commands share: a protocol, its parameters, properties, numbers with a range."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.symbolic.api.protocols import settings_of
from leadline.symbolic.catalog import (
    Entry,
    find,
    find_module,
    installed,
    model_of,
    naming,
    split_path,
)
from leadline.symbolic.cli.terminal import tell
from leadline.symbolic.engines import Limits
from leadline.symbolic.engines.run.limits import timely
from leadline.symbolic.lang import (
    Foreign,
    Model,
    Setting,
    UserError,
)

if TYPE_CHECKING:
    from leadline.symbolic.engines.prove.certificates import Certificate
    from leadline.symbolic.grid.remote import Place
    from leadline.symbolic.trace import Stored


def add_protocol(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Declare PROTOCOL and -p."""
    parser.add_argument(
        "protocol",
        metavar="PROTOCOL",
        nargs="?" if optional else None,
        help="a name from `leadline list`, or the path of a Python file or TLA+ module",
    )
    add_module(parser)
    about = "set a parameter; repeat it for several (default: the default of each)"
    add_many(parser, "-p", "NAME=VALUE", about, dest="settings")


def add_file(parser: argparse.ArgumentParser, flag: str, metavar: str, about: str, **options: Any) -> None:
    """Declare an option that takes a path."""
    parser.add_argument(flag, metavar=metavar, type=Path, help=about, **options)


def add_many(parser: argparse.ArgumentParser, flag: str, metavar: str, about: str, **options: Any) -> None:
    """Declare an option that may be given several times."""
    parser.add_argument(flag, metavar=metavar, action="append", default=[], help=about, **options)


def add_module(parser: argparse.ArgumentParser) -> None:
    """Declare the options about TLA+ modules."""
    of_module = "of a TLA+ module:"
    add_file(parser, "--config", "FILE.cfg", f"{of_module} its configuration (default: beside it)")
    add_path(parser)
    about = f"{of_module} the folder below which Json and IOUtils may read files (default: none)"
    add_file(parser, "--read", "FOLDER", about, dest="readable")
    about = f"{of_module} an invariant to check in place of the configuration's; repeat it"
    add_many(parser, "--invariant", "NAME", about, dest="invariants")


def add_path(parser: argparse.ArgumentParser) -> None:
    """Declare --path."""
    about = "of a TLA+ module: a folder with other modules; repeat it for several"
    add_many(parser, "--path", "FOLDER", about, type=Path)


def add_properties(parser: argparse.ArgumentParser) -> None:
    """Declare --property and --deadlock."""
    about = "a property to check; repeat it for several (default: all)"
    add_many(parser, "--property", "NAME", about, dest="properties")
    parser.add_argument(
        "--deadlock", action="store_true", help="report a state in which no action is enabled"
    )


def add_limits(parser: argparse.ArgumentParser, time: str = "", memory: str = "") -> None:
    """Declare --timeout and --memory; `time` and `memory` are what their help adds."""
    parser.add_argument("--timeout", type=seconds, metavar="S", help=f"stop after S seconds{time}")
    parser.add_argument(
        "--memory", type=at_least(1, Limits.LARGEST), metavar="MB", help=f"stop at MB megabytes{memory}"
    )


def chosen_entry(args: argparse.Namespace, stored: Mapping[str, Setting] | None = None) -> Entry:
    """The protocol of the command line.

    Args:
        args: the arguments.
        stored: the parameters that a trace or certificate has, in place of -p.

    Raises:
        UserError: if there is none, or an option about TLA+ modules is given for a protocol in Python.
    """
    name = args.protocol
    if name.endswith(".tla"):
        settings = args.settings if stored is None else [f"{name}={value}" for name, value in stored.items()]
        parts = (text.partition("=") for text in settings)
        given = {name: value for name, equals, value in parts if equals}
        named = args.config, args.path, args.invariants, getattr(args, "properties", [])
        return find_module(Path(name), *named, given=given, readable=args.readable)
    options = {"--config": args.config, "--path": args.path, "--read": args.readable}
    for flag, value in {**options, "--invariant": args.invariants}.items():
        if value:
            raise UserError(f"{flag} is for TLA+ modules: {name} is none")
    return find(name)


def chosen_model(
    args: argparse.Namespace, make: Callable[[Entry, Mapping[str, Setting]], Model] = model_of
) -> tuple[Entry, dict[str, Setting], Model]:
    """The protocol of the command line, its parameters, and the model that they make.

    Args:
        args: the arguments.
        make: makes the model.
    """
    with timely(args.protocol, Limits(getattr(args, "timeout", None))):
        entry = chosen_entry(args)
        settings = settings_of(entry, args.settings)
        model = make(entry, settings)
    if issubclass(entry.protocol, Foreign):
        for remark in (*entry.protocol.warnings, *(() if model.alone else entry.protocol.remarks)):
            tell(remark)
        if entry.protocol.deadlock and "deadlock" in args:
            args.deadlock = True
        if "properties" in args and args.properties:
            args.properties = [*args.invariants, *args.properties]
    return entry, settings, model


def entry_of_data(
    args: argparse.Namespace, data: Stored | Certificate, what: str, command: Sequence[str]
) -> Entry:
    """The protocol of a trace or certificate.

    Data may name built-in and installed protocols only. Loading a Python file runs it, which needs the user's
    word on the command line.

    Args:
        args: the arguments. Their protocol, if there is one, is the user's word.
        data: the trace or certificate.
        what: what the data is: "is a proof about", or "is a trace of".
        command: the command, for the advice to add --protocol to it.

    Raises:
        UserError: if it is not found, or differs from the protocol of the data.
    """
    protocol, source, about = data.protocol, data.source, f"{data.place} {what}"
    if args.protocol is not None:
        entry = chosen_entry(args, data.settings)
        if entry.name != protocol:
            raise UserError(f"{about} {protocol}, not {what.rpartition(' ')[2]} {entry.name}")
        return entry
    options = naming(source)
    if not options:
        with suppress(UserError):
            return installed(protocol)
    advice = shlex.join([*command, *(options or ["--protocol", "FILE.py"])])
    if not options:
        where = ", which is neither built in nor installed: if it is in a file that you trust"
    elif split_path(source) is None:
        where = f" in {options[1]}: if that is the module that you mean"
    else:
        where = f" in {source}, a file that would run: if you trust it"
    raise UserError(f"{about} {protocol}{where}, {advice}")


def chosen_properties(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    """The names of the properties to check, each once, or of all if none is given.

    Raises:
        UserError: if a name is unknown or the property does not apply at these parameters.
    """
    return tuple(one.name for one in model.choose_properties(tuple(dict.fromkeys(names))))


def store_place(text: str) -> Place:
    """Read the argument for a store of results, or a file in one: a path or a URI."""
    # Here, since most commands take none.
    from leadline.symbolic.grid.remote import place_of

    try:
        return place_of(text)
    except UserError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def at_least(low: int, most: int | None = None) -> Callable[[str], int]:
    """A reader of integer arguments that are at least `low` and at most `most`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low or (most is not None and number > most):
            upper = "" if most is None else f" and at most {most}"
            raise argparse.ArgumentTypeError(f"an integer, at least {low}{upper}, is needed, not {text!r}")
        return number

    return read


class Once(argparse.Action):
    """The action of an option that may be given once, unlike in other commands."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string} is given twice: one at a time")
        setattr(namespace, self.dest, values)


def seconds(text: str) -> float:
    """Read an argument that is a time in seconds."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= Limits.LONGEST:
        wanted = f"a number of seconds above 0, at most {Limits.LONGEST}, is needed"
        raise argparse.ArgumentTypeError(f"{wanted}, not {text!r}")
    return number


def add_conf(parser: argparse.ArgumentParser, when: str = "") -> None:
    """Declare --conf; `when` is what its help begins with."""
    about = f"{when}a setting for Spark, such as spark.executor.memory=2g; repeat it for several"
    add_many(parser, "--conf", "NAME=VALUE", about, type=_spark_setting)


def _spark_setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.startswith("spark."):
        raise argparse.ArgumentTypeError(f"spark.NAME=VALUE is needed, not {text}")
    return name, value
