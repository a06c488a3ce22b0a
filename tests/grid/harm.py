"""Harm to a grid that runs: killed workers, and protocols that wait for it."""

from pathlib import Path

from tests.soak.processes import processes

TRAP = Path(__file__).parent / "trap.py"


GRID = """
[[check]]
protocol = "trap.py"
solver = "cadical"
depth = 1
memory_mb = 1000
"""


def trapped(folder: Path, parameters: str, **keys: object) -> Path:
    """A folder with a grid of traps, each with these numbers."""
    folder.mkdir(exist_ok=True)
    (folder / "trap.py").write_text(TRAP.read_text())
    more = "".join(f"{key} = {value}\n" for key, value in keys.items())
    (folder / "grid.toml").write_text(f"{GRID}{more}parameters = {{ {parameters} }}\n")
    return folder


def runs(folder: Path) -> list[set[str]]:
    """The ids of the queries that each run stored a row of, the first run first."""
    found: dict[str, set[str]] = {}
    for file in sorted(
        (folder / "kept" / "results").glob("[!.]*.parquet"), key=lambda x: x.name.split(".")[1]
    ):
        query, run, _ = file.name.split(".")
        found.setdefault(run, set()).add(query)
    return list(found.values())


def waiting(folder: Path, trap: str = "wait") -> int | None:
    """The process of the query that waits, if it is there."""
    pids = [int(path.suffix[1:]) for path in folder.glob(f"{trap}s.*")]
    return next((pid for pid in pids if pid in processes()), None)


def kill_worker_of(pid: int) -> None:
    """Kill -9 the Python process of Spark's that asked for a query's process."""
    known = processes()
    known[known[known[pid].parent].parent].kill()
