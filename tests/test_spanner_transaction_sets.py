"""A user's own set of transactions in a TOML file: what is read from it, and every complaint."""

from pathlib import Path

import pytest

from leadline.encodings.spanner_transactions import SpannerTransactions
from leadline.encodings.spanner_transactions.transaction_sets import SETS, transaction_set
from leadline.symbolic.catalog import find, model_of
from leadline.symbolic.concrete import Semantics
from leadline.symbolic.engines.prove.induction.engine import Checker
from leadline.symbolic.engines.prove.induction.obligation import conjuncts, obligations
from leadline.symbolic.lang import ParameterError
from leadline.symbolic.solve import SOLVERS
from tests.exploring import explore

READ_ONLY = """
# The set of that name.
[[transaction]]
read = ["k1"]
write = { k1 = 1, k2 = 1 }

[[transaction]]
read = ["k2"]
write = { k1 = 2, k2 = 2 }

[[transaction]]
read = ["k1", "k2"]
"""

TWO = """
[[transaction]]
{first}

[[transaction]]
read = ["x"]
"""

KEY = "a key (letters, digits, _ and -)"
MISTAKES = [
    ("", "transaction must be 1 to 5 tables [[transaction]]"),
    ("transaction = 3", "transaction must be 1 to 5 tables [[transaction]]"),
    ("[[transaction]]\nread = ['x']\n" * 6, "transaction must be 1 to 5 tables [[transaction]]"),
    ("transaction = [3]", "transaction[1] must be a table [[transaction]], and is 3"),
    (f"keys = 2\n{READ_ONLY}", "keys has no meaning: write [[transaction]] for each transaction"),
    (TWO.format(first="reads = ['x']\nwrite = {x = 1}"),
     "transaction[1].reads has no meaning: a transaction has read and write"),
    (TWO.format(first="read = []\nwrite = {}"), "transaction[1] neither reads nor writes"),
    (TWO.format(first="read = 'x'"), "transaction[1].read must be a list of keys, and is 'x'"),
    (TWO.format(first="read = ['x', 3]"), f"transaction[1].read[2] must be {KEY}, and is 3"),
    (TWO.format(first="read = ['x y']"), f"transaction[1].read[1] must be {KEY}, and is 'x y'"),
    (TWO.format(first="read = ['x', 'x']"), "transaction[1].read[2] is 'x' a second time"),
    (TWO.format(first="write = ['x']"),
     "transaction[1].write must be a table of values by key, and is ['x']"),
    (TWO.format(first="write = {'x y' = 1}"),
     "transaction[1].write has the key 'x y': a key is made of letters, digits, _ and -"),
    (TWO.format(first="write = {x = 64}"),
     "transaction[1].write.x must be a whole number from 0 to 63, and is 64"),
    (TWO.format(first="write = {x = -1}"),
     "transaction[1].write.x must be a whole number from 0 to 63, and is -1"),
    (TWO.format(first="write = {x = true}"),
     "transaction[1].write.x must be a whole number from 0 to 63, and is True"),
    (TWO.format(first="write = {x = '__import__(\"os\")'}"),
     "transaction[1].write.x must be a whole number from 0 to 63, and is '__import__(\"os\")'"),
]  # fmt: skip


def written(folder: Path, text: str) -> Path:
    file = folder / "own.toml"
    file.write_text(text)
    return file


def test_a_file_can_say_what_a_named_set_says(tmp_path: Path) -> None:
    file = written(tmp_path, READ_ONLY)
    assert transaction_set(str(file)) == SETS["read-only"]
    own = model_of(find("spanner-transactions"), {"transactions": str(file)})
    named = model_of(find("spanner-transactions"), {"transactions": "read-only"})
    assert own.fingerprint == named.fingerprint


def test_read_only_transactions_alone_read_what_was_there_before(tmp_path: Path) -> None:
    file = written(tmp_path, "[[transaction]]\nread = ['x']\n" * 2)
    model = model_of(find("spanner-transactions"), {"transactions": str(file), "tt_max_si": 1})
    exploration = explore(Semantics(model), ["strict-serializability"])
    assert exploration.complete
    assert exploration.steps_out_of_bounds == 0
    assert exploration.actions["ro_tx_read"] > 0
    assert exploration.properties["strict-serializability"].violations == 0


def test_a_transaction_may_write_without_reading(tmp_path: Path) -> None:
    file = written(tmp_path, "[[transaction]]\nwrite = { x = 1 }\n")
    model = model_of(find("spanner-transactions"), {"transactions": str(file), "tt_max_si": 0})
    exploration = explore(Semantics(model), ["strict-serializability"])
    assert exploration.complete
    assert exploration.steps_out_of_bounds == 0
    assert exploration.actions["clean_committed"] > 0


ONE_KEY = """
[[transaction]]
read = ["x"]
write = { x = 1 }

[[transaction]]
read = ["x"]
"""


def test_a_reader_and_a_writer_of_one_key_are_not_strictly_serializable(tmp_path: Path) -> None:
    """The coordinator chooses a timestamp before that of a read which it has served."""
    settings: dict[str, int | str] = {"transactions": str(written(tmp_path, ONE_KEY)), "tt_max_si": 1}
    model = model_of(find("spanner-transactions"), settings)
    found = explore(Semantics(model), ["strict-serializability"]).properties["strict-serializability"]
    assert found.steps == 11
    assert [one.name for one in conjuncts(model, "strict-serializability")] == ["strict-serializability"]


SEPARABLE = [
    # Each writes a key that the other reads, but not both the keys that the other writes.
    """
    [[transaction]]
    read = ["x"]
    write = { x = 1, y = 2 }

    [[transaction]]
    read = ["y"]
    write = { x = 3 }
    """,
    # The reader reads the key of a participant that prepares.
    """
    [[transaction]]
    write = { x = 1, y = 1 }

    [[transaction]]
    read = ["y", "z"]
    """,
]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name, marks=[pytest.mark.slow] if name == "reader" else [])
        for name, text in zip(("writers", "reader"), SEPARABLE, strict=True)
    ],
)
def test_strict_serializability_of_own_sets_is_proved(text: str, tmp_path: Path) -> None:
    settings: dict[str, int | str] = {"tt_max_si": 3, "tt_interval": 2, "tt_init_abs": 2}
    settings["transactions"] = str(written(tmp_path, text))
    model = model_of(find("spanner-transactions"), settings)
    checker = Checker(model, "strict-serializability", SOLVERS["cadical"])
    parts = obligations(model, "strict-serializability")
    assert len(parts) > 100
    assert [one.name for one in parts if not checker.check(one).holds] == []


@pytest.mark.parametrize(("text", "complaint"), MISTAKES, ids=[complaint for _, complaint in MISTAKES])
def test_mistake_is_told_with_its_place(text: str, complaint: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ParameterError) as caught:
        model_of(find("spanner-transactions"), {"transactions": str(file)})
    assert str(caught.value) == f"transactions: {file}: {complaint}"


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    file = written(tmp_path, TWO.format(first="read = [1]\nwrite = {x = 99}\nname = 'first'"))
    with pytest.raises(ParameterError) as caught:
        transaction_set(str(file))
    assert str(caught.value).splitlines() == [
        f"transactions: {file}: transaction[1].name has no meaning: a transaction has read and write",
        f"transactions: {file}: transaction[1].read[1] must be {KEY}, and is 1",
        f"transactions: {file}: transaction[1].write.x must be a whole number from 0 to 63, and is 99",
    ]


def test_a_file_that_is_not_toml(tmp_path: Path) -> None:
    file = written(tmp_path, "[[transaction]]\nread =\n")
    with pytest.raises(ParameterError, match=r"own\.toml is not TOML: .*line 2"):
        transaction_set(str(file))
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ParameterError, match=r"own\.toml:1 is no text in UTF-8"):
        transaction_set(str(file))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"missing\.toml cannot be read: No such file or directory$"):
        transaction_set(str(tmp_path / "missing.toml"))


def test_a_set_that_is_not_there() -> None:
    with pytest.raises(ParameterError) as caught:
        SpannerTransactions(transactions="write-skew")
    assert str(caught.value) == (
        "transactions must be nonconflict | read-only | circular | the path of a .toml file, "
        "and is 'write-skew'"
    )
