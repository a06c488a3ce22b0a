"""`leadline bench` in the table of commands: its module is loaded once it is chosen."""

from leadline.symbolic.cli import Command

COMMAND = Command(
    help="measure hard cases by every way to an answer, side by side",
    place="leadline.benchmarks.bench:declare",
)
