"""The measurement of making a model tells the phases, and the one in which a module ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.benchmarks.making import PHASES, main
from tests.tla.modules import ALL


def test_a_line_for_each_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module, config = ALL["Climb"]
    (tmp_path / "Climb.tla").write_text(module)
    (tmp_path / "Climb.cfg").write_text(config)
    endless = tmp_path / "Endless.tla"
    endless.write_text(
        "---- MODULE Endless ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        "Next == \\E k \\in Nat : k > 2 /\\ x > 9 /\\ x' = k\n====\n"
    )
    endless.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    assumed = tmp_path / "Assumed.tla"
    assumed.write_text("---- MODULE Assumed ----\nASSUME TRUE\n====\n")
    assumed.with_suffix(".cfg").touch()
    main([str(tmp_path / "Climb.tla"), str(endless), str(assumed)])
    head, made, refused, still = capsys.readouterr().out.splitlines()
    assert head.split() == ["module", *PHASES, "all", "nodes", "gates"]
    name, *seconds, nodes, gates = made.split()
    assert name == "Climb" and int(nodes) > 0 and int(gates) > 0
    assert float(seconds[-1]) == pytest.approx(sum(map(float, seconds[:-1])), abs=0.05)
    assert "no model: " in refused and "infinite set" in refused
    assert "no model: " in still and "no behaviour" in still
