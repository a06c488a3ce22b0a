"""Every mistake outside of actions: in init, in the variables and types, in the protocol as a whole."""

from __future__ import annotations

import pytest

from tests.lang.sample import BEFORE, INIT, check, in_action, in_init

NO_TRUTH = "no truth value ... `if` ... ite"
VARIABLES = "count, mode, leader, info, log, inbox, pair"


def test_variable_not_assigned_in_init() -> None:
    source = BEFORE.replace("Int(0, 3)\n        state.mode", "Int(0, 3)  #a\n        state.mode")
    check(
        source + INIT.replace("        start.count = 0\n", ""),
        "{a}: init does not assign count: write start.count = ...",
    )


def test_variable_assigned_on_some_paths_of_init() -> None:
    body = "first = start.pick('first', Bool())\nwith start.when(first):\n    start.count = 0  #a"
    check(
        in_init(body).replace("        start.count = 0\n        start.mode", "        start.mode"),
        "{a}: init assigns count only in part ... start.count = ... every path",
    )


def test_init_reads_the_current_state() -> None:
    keep = """
from leadline.symbolic.lang.model import Variable
NOW = State({"count": Variable("count", "count", Int(0, 3), Span("", 0))})

class Sample"""
    source = (BEFORE + INIT).replace("class Sample", keep.lstrip(), 1)
    check(
        source.replace("start.pair = (True, 0)", "start.pair = (True, NOW.count)  #a"),
        "{a}: init reads `count`, and there is no state before the initial one",
    )


def test_initial_value_read_in_init() -> None:
    check(
        (BEFORE + INIT).replace("start.pair = (True, 0)", "start.pair = (True, start.count)  #a"),
        "{a}: initial value of `count` cannot be read ... Python variable",
    )


def test_init_that_is_cut_short_is_not_blamed_for_the_rest() -> None:
    check(
        (BEFORE + INIT).replace("start.count = 0", "start.count = 1 // 0  #a"),
        "{a}: Python says: ZeroDivisionError: integer division or modulo by zero",
    )


def test_variable_declared_twice_without_a_type_or_with_a_taken_name() -> None:
    check(
        BEFORE.replace("state.count = Int(0, 3)", "state.count = Int(0, 3)  #a")
        + "        state.count = Bool()  #b\n        state.flag = True  #c\n        state.pick = Bool()  #d\n"
        + INIT,
        "{b}: count is declared twice, first at {a}",
        "{c}: flag needs a type, such as Bool() or Int(0, 3), not True",
        "{d}: a variable cannot be called `pick`: nxt.pick means something else",
    )


def test_no_variables() -> None:
    source = (
        BEFORE.partition("class")[0]
        + "class Empty(Protocol):\n    def define(self, state):  #a\n        pass\n"
    )
    check(source, "{a}: define declares no variable: state.x = a type")


def test_types_that_cannot_be() -> None:
    says = "Python says: TypeError: "
    wrong = {
        'enum("M", "a", "a")': f"{says}M has a member twice: a",
        'record("R", node=Bool())': f"{says}a record cannot have a field `node`: every expression uses that name",
        "Option(Option(Bool()))": f"{says}an option of an option ... record",
        "Int(0, 1.5)": f"{says}Int(0, 1.5): the bounds of an integer type are integers",
        "Seq(Bool(), -1)": f"{says}a sequence's capacity is an integer from 0, and this is -1",
        'sort("N", "2")': "the size of the sort N is an integer, and not '2'",
        'union("U", a=(Bool(),))': 'the fields of a are named: write a={{"field": AType}}',
        'enum("E", *range(3))': "0 is no member of E: members are texts",
        'enum("E", ["a", "b"])': "['a', 'b'] is no member of E",
        "Int(0, sum_of(Int(0, 2))())": "'IntExpr' object is not callable: ... leave out the ()",
    }
    for kind, text in wrong.items():
        check(BEFORE + f"        state.wrong = {kind}  #a\n" + INIT, f"{{a}}: {text}")


def test_names_that_are_not_defined() -> None:
    source = (BEFORE + INIT).replace("start.mode =", "require(start)  #a\n        start.mode =")
    check(source, "{a}: Python says: NameError: name 'require' is not defined: write nxt.require(...)")
    source = source.replace("import *", "import Protocol, parameter")
    check(source, "sample.py:8: 'sort' is not defined: write `from leadline import sort`")


def test_methods_that_take_other_arguments() -> None:
    source = (BEFORE + INIT).replace("init(self, start):", "init(self):  #a")
    check(source, "{a}: init takes other arguments: write def init(self, start)")


def test_assumptions_are_pairs() -> None:
    for body in ("return self.size < 3", "yield self.size < 3"):
        method = f"    def assume(self):  #a\n        {body}\n\n    def define"
        check(
            (BEFORE + INIT).replace("    def define", method),
            "{a}: assume gives pairs: write yield condition",
        )


def test_what_stands_below_action() -> None:
    check(in_action("pass").replace("@action", '@action("go")  #a'), "{a}: @action stands above a method")


@pytest.mark.parametrize(
    ("head", "body"), [("def", "return now.count < 3"), ("def", "yield"), ("async def", "pass")]
)
def test_actions_that_give_a_value(head: str, body: str) -> None:
    source = in_action(body).replace("def act", f"{head} act").replace("@action", "@action  #a")
    check(source, "{a}: the action act gives a value, which nobody reads")


def test_action_replaced_by_a_method_that_is_none() -> None:
    source = in_action("pass") + "\nclass Other(Sample):\n    def act(self, now, nxt):  #a\n        pass\n"
    check(source, "{a}: act replaces an action and is none itself: write @action above it")


def test_state_of_another_protocol() -> None:
    source = in_action("NOWS.append(now)\nnxt.require(now.count == 1)").replace(
        "class S", "NOWS = []\n\nclass S"
    )
    other = """
build(Sample())

class Other(Protocol):
    def define(self, state):
        state.flag = Bool()

    def init(self, start):
        start.flag = True

    @action  #a
    def act(self, now, nxt):
        nxt.flag = NOWS[0].count == 1
"""
    check(source + other, "{a}: act reads `count`, a variable of another protocol or other parameters")


def test_many_mistakes_are_told_at_once_in_the_order_of_their_lines() -> None:
    body = """
    nxt.require(now.leader < now.leader)  #c
    nxt.count = now.leader  #d
    nxt.mode = "asleep"  #e
    nxt.info[now.leader].sean = 1  #f
    if now.count == 1:  #g
        nxt.log = []
    """
    source = in_action(body).replace('start.mode = "idle"', "start.mode = 3  #b")
    source += "\n@invariant(Sample)  #h\ndef one(p, now):\n    return now.flag\n"
    check(
        source.replace("        start.count = 0\n", "").replace(
            "Int(0, 3)\n        state.m", "Int(0, 3)  #a\n        state.m"
        ),
        "{a}: init does not assign count: write start.count = ...",
        "{b}: type clash: a value of Mode is needed, and this is of Int(3, 3)",
        "{c}: sort Node have no order",
        "{d}: type clash: a value of Int(0, 3) is needed, and this is of Node",
        "{e}: 'asleep' is not a member of Mode; it has idle, busy",
        "{f}: a Info has no field `sean`: did you mean `seen`?",
        "{g}: " + NO_TRUTH,
        "sample.py:39: there is no variable `flag`: it has " + VARIABLES,
    )


def test_an_action_needs_two_states() -> None:
    source = in_action("pass").replace("def act(self, now, nxt)", "def act(self, now)")
    line = source.splitlines().index("    @action") + 1
    check(source, f"sample.py:{line}: act needs two states ... def act(self, now, nxt)")


def test_sorts_whose_members_have_the_same_names() -> None:
    declared = "        self.Name = sort('Name', 3)\n        state.name = self.Name  #a\n"
    source = BEFORE + declared + INIT.replace("start.count = 0", "start.count, start.name = 0, 'n1'")
    check(source, "{a}: sorts Node and Name both have the name `n1` ... prefix=")
    check(source.replace("'Name', 3", "'Name', 3, prefix='name'").replace("'n1'", "'name1'"))


def test_picks_that_no_action_has() -> None:
    source = in_action("nxt.leader = to", ", to").replace(
        "    def define(self", "    picks = {'to': 'Node', 'form': 'Node'}\n\n    def define(self", 1
    )
    line = source.splitlines().index("    def define(self, state):") + 1
    check(source, f"sample.py:{line}: picks: no action has an argument `form` ... to")
    check(source.replace(", 'form': 'Node'", ""))
