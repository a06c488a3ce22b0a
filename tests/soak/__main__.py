"""A grid on a cluster of this machine while a seeded adversary does harm: `python -m tests.soak`.

A master and two workers of Spark's run on this machine. A grid of small queries to every engine runs there, and is
started again each time that it ends. Meanwhile the adversary kills drivers, Javas, workers, solver children and
the master, fills the disk, cuts off the store, corrupts files of rows, compacts the store, and runs a second grid
on it. At the end every query must have one answer, equal to that of an undisturbed run; nothing that was stored
may be lost or have been computed again; the driver's memory must not grow; and no process and no temporary file
may be left.

A seed gives the order and the times of the harms. The exit code is 1 if there is a finding; the files are kept
then.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.soak.findings import soak


def main() -> int:
    """Run a soak and print its page."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=3.0, help="how long harm is done (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the adversary (default: 1)")
    parser.add_argument(
        "--queries", type=int, help="about how many queries the grid has (default: 100 for each minute)"
    )
    parser.add_argument("--folder", type=Path, help="where its files go (default: a temporary folder)")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = args.folder or Path(tempfile.mkdtemp(prefix="leadline-soak-"))
    page, found = soak(folder.resolve(), args.minutes, args.seed, args.queries or round(100 * args.minutes))
    print(page)
    if not found and args.folder is None:
        shutil.rmtree(folder)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
