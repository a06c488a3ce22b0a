"""Sets made of sets of images: lowered without listing the images, with the interpreter's values and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines import BmcOptions, Verdict
from leadline.symbolic.lang import nodes as n
from leadline.symbolic.tla.learning import Learner
from leadline.symbolic.tla.protocol import Source
from leadline.symbolic.tla.values.interpreter import Interpreter
from leadline.symbolic.trace.explainer import Explainer
from tests.exploring import explore
from tests.tla.loading import write
from tests.tla.lowered import asked, counts

MODULE = """
EXTENDS Integers
VARIABLES f, last
Items == {[at |-> i, it |-> f[i]] : i \\in 0..last}
Some == IF last < 0 THEN {} ELSE Items
Places(S) == {e.at : e \\in S}
Init == f = [i \\in 0..2 |-> i] /\\ last = -1
Next == \\/ last' = ((last + 2) %% 4) - 1 /\\ UNCHANGED f
        \\/ \\E i \\in 0..2 : f' = [f EXCEPT ![i] = (@ + 1) %% 5] /\\ UNCHANGED last
Spec == Init /\\ [][Next]_<<f, last>>
Best == IF Some = {} THEN 0 ELSE LET top == {e \\in Some : e.it > 1} IN
        IF top = {} THEN 0 ELSE CHOOSE i \\in Places(top) : \\A j \\in Places(top) : j <= i
Claim == %s
"""
CLAIMS = {
    "Best < 3": True,
    "Best = 2 => f[2] > 1": True,
    "Best = 0 => last < 0": False,
    "Places({e \\in Items : e.it < 5}) = 0..last": True,
    "{e.it : e \\in Some} \\subseteq 0..3": False,
    "{e \\in {[it |-> e.it + 1] : e \\in Some} : e.it > 4} = {}": False,
}


def written(folder: Path, claim: str, config: str = "INVARIANT Claim") -> Path:
    (folder / "M.cfg").write_text(f"SPECIFICATION Spec\n{config}\n")
    return write(folder, M=MODULE % claim)


@pytest.mark.parametrize("claim", CLAIMS)
def test_values(claim: str, tmp_path: Path) -> None:
    path = written(tmp_path, claim)
    model, result = asked(path, "Claim", BmcOptions(depth=6))
    found = explore(Semantics(model), ["Claim"])
    assert (found.properties["Claim"].violation is None) is CLAIMS[claim]
    assert (result.verdict is Verdict.SAFE) is CLAIMS[claim]
    assert result.verdict in (Verdict.SAFE, Verdict.VIOLATED)


def test_the_images_are_not_listed(tmp_path: Path) -> None:
    model = model_of(find(str(written(tmp_path, "Places({e \\in Some : e.it > 1}) # {5}"))), {})
    maps = [x for x in n.postorder(model.properties["Claim"].formula) if isinstance(x, n.SetMap)]
    assert not maps


HISTORY = """
EXTENDS Naturals, Sequences
VARIABLE history
Values == {history[i] : i \\in DOMAIN history}
Init == history = <<>>
Next == Len(history) < 2 /\\ \\E t \\in 1..6 :
        \\/ history' = Append(history, [op |-> "begin", tid |-> t])
        \\/ \\E k \\in 1..5 : history' = Append(history, [op |-> "read", tid |-> t, key |-> k])
Claim == {ev.tid : ev \\in Values} \\subseteq 1..6 /\\ \\A ev \\in Values : ev.op \\in {"begin", "read"}
         /\\ \\A r \\in {e \\in Values : e.op = "read"} : r.key < 6
"""


def test_the_records_of_a_sequence_are_gone_through_by_their_places(tmp_path: Path) -> None:
    """Records of several shapes are more than the places, and their fields have fewer values."""
    (tmp_path / "H.cfg").write_text("INIT Init NEXT Next INVARIANT Claim")
    claim = model_of(find(str(write(tmp_path, H=HISTORY))), {}).properties["Claim"].formula
    assert all(x.var.type.cardinality <= 2 for x in n.postorder(claim) if isinstance(x, n.BINDERS))


def test_an_image_without_a_value_is_still_an_error(tmp_path: Path) -> None:
    """`f[i]` has no value beyond its domain, though only the other field of the record is asked for."""
    path = written(tmp_path, "Places({[at |-> i, it |-> f[i]] : i \\in 0..(last + 1)}) = 0..(last + 1)")
    _, result = asked(path, "Claim", BmcOptions(depth=4))
    assert result.verdict is Verdict.OUT_OF_BOUNDS


INNER = """
EXTENDS Integers
VARIABLES f, last
Image(y) == f[y] * 2 + last
Some == {z \\in 0..2 : f[z] > 0 /\\ last # f[z] + f[0] + 5 /\\ last # f[1] + f[2] + 25}
Low == \\A t \\in {Image(y) : y \\in Some} : \\E u \\in {Image(1)} : t + u < 7
"""


def test_a_reason_tells_the_element_of_an_image_and_the_set_as_written(tmp_path: Path) -> None:
    body = MODULE.replace("Best ==", "I == INSTANCE Inner\nBest ==") % "I!Low"
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nINVARIANT Claim\n")
    model = model_of(find(str(write(tmp_path, M=body, Inner=INNER))), {})
    formula = model.properties["Claim"].formula
    found = explore(Semantics(model), ["Claim"]).properties["Claim"].violation
    assert found is not None and found[-1].state is not None
    chosen, *others = Explainer(model, formula).reason(found[-1].state).lines()
    written = "{z \\in 0..2 : f[z] > 0 /\\ last # f[z] + f[0] + 5 /\\ last # f[1] + f[2] + 25}"
    assert chosen == f"for y = 2 in {written}:"
    assert [line.split()[0] for line in others] == ["FALSE", "for", "FALSE"]


LINKS = """
EXTENDS Naturals, Sequences
CONSTANTS a, b, Nodes
VARIABLES links, seen
Sent(p) == {links[p][i] : i \\in DOMAIN links[p]}
All == UNION {Sent(p) : p \\in Nodes}
Late == {m \\in All : m.y > 38} \\cup Sent(a)
First(p) == IF links[p] # <<>> THEN {Head(links[p])} ELSE {}
Init == links = [p \\in Nodes |-> <<>>] /\\ seen = 0
Send(p) == /\\ Len(links[p]) < 2 /\\ seen < 2
           /\\ \\E k \\in {0, 20, 40} :
                links' = [links EXCEPT ![p] = Append(@, [x |-> k, y |-> k, z |-> k, w |-> k])]
           /\\ UNCHANGED seen
Take(p) == \\E m \\in First(p) : m.x > seen /\\ seen' = m.x /\\ links' = [links EXCEPT ![p] = Tail(@)]
Drop == \\E m \\in {m \\in All : m.x = 20} : /\\ seen' = m.z
        /\\ links' = [p \\in Nodes |-> SelectSeq(links[p], LAMBDA o : o # m)]
Next == Drop \\/ \\E p \\in Nodes : Send(p) \\/ Take(p)
Even == \\A m \\in All : m.x = m.w
Small == \\A m \\in Late : m.x = 0 \\/ m \\notin Sent(b)
Sorted == \\E m \\in All : m.x = 40 => ~\\E o \\in {o \\in All : o.x = 0} : o \\in Sent(a)
Union == [x |-> 20, y |-> 20, z |-> 20, w |-> 20] \\in All => \\E p \\in Nodes : Len(links[p]) > 0
"""


@pytest.mark.parametrize("symmetric", [False, True])
def test_the_messages_of_all_links_are_gone_through_by_their_places(symmetric: bool, tmp_path: Path) -> None:
    """A record of four numbers up to 40 has millions of values, and none is listed in a union of their sets."""
    claims = ["Even", "Small", "Sorted", "Union"]
    nodes = "{a, b}" if not symmetric else "{a, b, c}"
    body = LINKS if not symmetric else LINKS.replace("Sent(a)", "All").replace("Sent(b)", "All")
    constants = f"CONSTANTS a = a b = b Nodes = {nodes}"
    (tmp_path / "L.cfg").write_text(
        f"{constants}\nINIT Init NEXT Next INVARIANTS {' '.join(claims)}\nCHECK_DEADLOCK FALSE"
    )
    path = write(tmp_path, L=body)
    model = model_of(find(str(path)), {})
    found = explore(Semantics(model), claims)
    assert list(found.states_within_steps) == counts(Learner(Interpreter(Source(path).load({}))))
    wide = [
        x for x in n.postorder(*(p.formula for p in model.properties.values())) if isinstance(x, n.BINDERS)
    ]
    assert all(x.var.type.cardinality <= 3 for x in wide)
    for claim in claims:
        violated = found.properties[claim].violation is not None
        _, result = asked(path, claim, BmcOptions(depth=5))
        assert result.verdict is (Verdict.VIOLATED if violated else Verdict.SAFE)
