"""`leadline completion`: the script with which a shell completes commands, options, protocols and files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from leadline.symbolic.catalog import entries
from leadline.symbolic.cli.terminal import Exit, put

SHELLS = ("bash", "zsh", "fish")

_INSTALL = """\
bash: leadline completion bash > ~/.local/share/bash-completion/completions/leadline
zsh:  leadline completion zsh > a folder of $fpath, as _leadline
fish: leadline completion fish > ~/.config/fish/completions/leadline.fish"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the command."""
    parser.description = (
        "Write the script with which a shell completes commands, options, protocols and files."
    )
    parser.epilog = _INSTALL
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> Exit:
    # Here, since nothing else needs it; and the parser has to have every command.
    import shtab

    from leadline.symbolic.cli import new_parser

    parser = new_parser([], whole=True)
    protocols = " ".join(entries())
    files = "find . -maxdepth 2 -name '*.py' -not -path '*/.*' | cut -c3-"
    _mark(parser, {Path: shtab.FILE}, {"protocol": shtab.cmd(f"printf '%s\\n' {protocols}; {files}")})
    put(shtab.complete(parser, args.shell))
    return Exit.HOLDS


def _mark(parser: argparse.ArgumentParser, by_type: dict[Any, Any], by_name: dict[str, Any]) -> None:
    """Say how the arguments of a parser and its commands are completed."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                _mark(one, by_type, by_name)
            continue
        found = by_type.get(action.type) if action.option_strings else by_name.get(action.dest)
        if found is None and action.type is Path:
            found = by_type[Path]
        if found is not None and not action.choices:
            action.complete = found  # type: ignore[attr-defined]  # shtab's own attribute
