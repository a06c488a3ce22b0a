"""How the page looks: its style sheet, and the signs and colours of the verdicts."""

from __future__ import annotations

from leadline.symbolic.grid.store.cells import Cell
from leadline.symbolic.report.svg import Palette

INLINE = Palette("none", "var(--ink)", "var(--line)", tuple(f"var(--series-{n})" for n in range(1, 8)))
"""The colours of a chart on the page: those of its light or dark mode."""

SIGNS = {
    "violated": ("\u2717", "violated, with the length of the shortest counterexample found, in steps"),
    "expected": ("\u25ce", "a probe was reached, as expected, with the length of the run"),
    "out-of-bounds": ("!", "a value leaves its declared bounds"),
    "unknown": ("?", "no answer: out of time or memory, a crash, or not inductive"),
    "unreached": ("\u2298", "a probe was not reached within the depth searched, with that depth"),
    "safe": ("\u2713", "no bug within the depth searched, with that depth"),
    "proved": ("\u220e", "proved for every depth"),
}
"""For each class of cells its sign, which tells it from the others without colours, and what it says."""


def look(cell: Cell) -> str:
    """The class of a cell: one of `SIGNS`."""
    if cell.probe and cell.verdict == "violated":
        return "expected"
    return "unreached" if cell.probe and cell.verdict in ("safe", "proved") else cell.verdict


# Okabe and Ito's colours, which those who see few colours tell apart.
STYLE = """
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1b1f24; --faint: #5b6570; --line: #d5dae0; --panel: #f5f7f9; --link: #0060a0;
  --violated: #d55e00; --expected: #0072b2; --out-of-bounds: #a8447f; --unknown: #8a8f98;
  --unreached: #e69f00; --safe: #009e73; --proved: #007a5a;
  --series-1: #0072b2; --series-2: #d55e00; --series-3: #009e73; --series-4: #cc79a7;
  --series-5: #e69f00; --series-6: #56b4e9; --series-7: #333;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e4e7ea; --faint: #9aa4ae; --line: #363c43; --panel: #1d2125; --link: #7cc4f2;
    --violated: #f08132; --expected: #4ba3dc; --out-of-bounds: #d884b5; --unknown: #8a8f98;
    --unreached: #e6b23c; --safe: #1fb58b; --proved: #35c99f;
    --series-1: #4ba3dc; --series-2: #f08132; --series-3: #1fb58b; --series-4: #d884b5;
    --series-5: #e6b23c; --series-6: #8fd0f5; --series-7: #c8ccd0;
  }
}
body {
  background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif;
  margin: 2rem auto 5rem; max-width: 76rem; padding: 0 1.2rem;
}
h1 { font-size: 1.7rem; margin: 0; }
h2 { font-size: 1.3rem; margin: 3rem 0 .4rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; }
code { background: var(--panel); border-radius: 3px; padding: .1em .35em; }
.note { color: var(--faint); }
.wide { overflow-x: auto; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; }
.hidden {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
nav ul { columns: 3 18rem; padding-left: 1.2rem; margin: .6rem 0; }
table { border-collapse: collapse; }
table.list { width: 100%; }
.list th, .list td { text-align: left; padding: .25rem .7rem; border-bottom: 1px solid var(--line); }
.list th { font-weight: 600; white-space: nowrap; }
.list .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.list tr:target { outline: 3px solid var(--link); outline-offset: -3px; }
.maps { display: flex; flex-wrap: wrap; gap: 1.2rem 2rem; align-items: flex-end; margin: .6rem 0; }
.map caption { color: var(--faint); text-align: left; padding-bottom: .2rem; }
.map th { font-weight: 500; padding: .15rem .5rem; white-space: nowrap; }
.map th.axis { color: var(--faint); font-weight: 400; }
.map thead th { text-align: center; }
.map tbody th { text-align: right; }
.map td { padding: 0; border: 2px solid var(--paper); min-width: 3.4rem; height: 2.2rem; text-align: center; }
.map td a {
  display: flex; align-items: center; justify-content: center; gap: .3em; height: 2.2rem; padding: 0 .4rem;
  color: inherit; text-decoration: none; font-variant-numeric: tabular-nums;
}
.map td.none { color: var(--faint); }
.look {
  background: color-mix(in srgb, var(--tone) calc(var(--heat, .35) * 100%), var(--paper));
}
.sign { font-weight: 700; }
td.verdict { border-left: .35rem solid var(--tone); min-width: 9rem; }
.violated { --tone: var(--violated); } .expected { --tone: var(--expected); }
.out-of-bounds { --tone: var(--out-of-bounds); } .unknown, .moot { --tone: var(--unknown); }
.unreached { --tone: var(--unreached); } .safe { --tone: var(--safe); } .proved { --tone: var(--proved); }
.legend {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: .3rem 1.5rem; padding: 0;
}
.legend li { display: flex; gap: .6rem; align-items: center; list-style: none; }
.legend .look { flex: none; width: 2.2rem; text-align: center; border-radius: 2px; }
.breaks {
  background: var(--panel); border-left: .35rem solid var(--link); padding: .6rem 1rem; margin: .8rem 0;
}
.breaks p { margin: .3rem 0; }
.breaks .condition { font-size: 1.05em; font-weight: 600; }
details { margin: .6rem 0; }
summary { cursor: pointer; }
pre.trace {
  background: var(--panel); overflow: auto; padding: .8rem 1rem; line-height: 1.4; max-height: 22rem;
}
.trace .head, .trace .end { font-weight: 700; }
.trace .step { color: var(--link); font-weight: 700; }
.trace .end { color: var(--violated); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1rem; }
.charts svg { width: 100%; max-width: 54rem; height: auto; font-family: inherit; }
@media print { details > * { display: block; } pre.trace { max-height: none; } }
"""
