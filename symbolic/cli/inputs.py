"""What several commands take: a protocol, its parameters, properties, numbers with a range."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from leadline.symbolic.catalog import Entry, find, model_of
from leadline.symbolic.engines import Limits
from leadline.symbolic.lang import Model, ParameterError, parse_setting
from leadline.symbolic.lang.expr import unknown_name
from leadline.symbolic.lang.parameters import Setting


def add_protocol(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """PROTOCOL, which may be optional, and its parameters."""
    parser.add_argument(
        "protocol",
        metavar="PROTOCOL",
        nargs="?" if optional else None,
        help="a name that `leadline list` shows, or the path of a Python file",
    )
    parser.add_argument(
        "-p",
        dest="settings",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="the value of a parameter; repeat it for each one that differs from its default",
    )


def add_properties(parser: argparse.ArgumentParser, *, deadlock: bool = True) -> None:
    """The properties to look at, and whether a deadlock counts."""
    parser.add_argument(
        "--property",
        dest="properties",
        metavar="NAME",
        action="append",
        default=[],
        help="a property to check; repeat it for several (default: all)",
    )
    if deadlock:
        parser.add_argument(
            "--deadlock", action="store_true", help="report a state in which no action is enabled"
        )


def settings_of(entry: Entry, texts: Sequence[str]) -> dict[str, Setting]:
    """The parameters on the command line, read by the kinds that the protocol declares.

    Raises:
        ParameterError: with everything that is wrong with them.
    """
    found: dict[str, Setting] = {}
    wrong: list[str] = []
    for text in texts:
        name, equals, value = text.partition("=")
        declared = entry.protocol.parameters.get(name)
        if not equals:
            wrong.append(f"-p {text}: write it as -p {text or 'name'}=value")
        elif declared is None:
            wrong.append(
                unknown_name(f"{entry.name} has no parameter", name, list(entry.protocol.parameters))
            )
        elif name in found:
            wrong.append(f"-p {name} is given twice")
        else:
            try:
                found[name] = parse_setting(declared, value)
            except ParameterError as error:
                wrong.append(str(error))
                continue
            complaint = declared.complaint(found[name])
            wrong += [complaint] if complaint else []
    if wrong:
        raise ParameterError("\n".join(dict.fromkeys(wrong)))
    return found


def chosen_model(args: argparse.Namespace) -> tuple[Entry, dict[str, Setting], Model]:
    """The protocol that the command line names, what it sets, and the model they make."""
    entry = find(args.protocol)
    settings = settings_of(entry, args.settings)
    return entry, settings, model_of(entry, settings)


def chosen_properties(model: Model, names: Sequence[str]) -> tuple[str, ...]:
    """The names of the properties to look at, each once, or all if none is named.

    Raises:
        UserError: if a name is unknown or the property does not apply at these parameters.
    """
    return tuple(one.name for one in model.choose_properties(tuple(dict.fromkeys(names))))


def store_folder(text: str) -> Path:
    """An argument that is a store of results: a folder of this machine, or one that is mounted here."""
    scheme, colon, rest = text.partition("://")
    if not colon:
        return Path(text)
    if scheme.lower() == "file" and rest.startswith("/"):
        return Path(unquote(rest))
    raise argparse.ArgumentTypeError(
        f"a store is a folder, and {text} is none: give the path of a folder, which may be mounted from "
        "elsewhere (on a cluster only the driver writes to it)"
    )


def at_least(low: int, most: int | None = None) -> Callable[[str], int]:
    """An argument that is an integer from `low` on, and to `most` if that is given."""

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
    """An option that other commands take several times, and this one does not."""

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
    """An argument that is a time."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= Limits.LONGEST:
        wanted = f"a number of seconds above 0, at most {Limits.LONGEST}, is needed"
        raise argparse.ArgumentTypeError(f"{wanted}, not {text!r}")
    return number
