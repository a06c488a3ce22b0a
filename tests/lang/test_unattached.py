"""Nothing that is marked in a class's body, or told to be a property, is lost without a word."""

from __future__ import annotations

import pytest

from leadline.symbolic.lang import Bool, Protocol, action, build
from tests.lang.sample import BEFORE, INIT, check, in_action, model

UP = "    @action{mark}\n    def up(self, now, nxt):\n        nxt.count = {value}\n"
WRITTEN = "`up` is written again in the same class"

CLASSES = {
    "two actions of one name": (
        UP.format(mark="  #a", value=1) + UP.format(mark="  #b", value=2),
        "{a}: the action up is lost: " + WRITTEN + ", at {b}; rename one",
    ),
    "an action hidden by a plain method": (
        UP.format(mark="  #a", value=1) + "    def up(self, now, nxt):  #b\n        pass\n",
        "{a}: the action up is lost: " + WRITTEN + ", at {b}; rename one",
    ),
    "an action hidden by a value": (
        UP.format(mark="  #a", value=1) + "    up = None\n",
        "{a}: the action up is lost: " + WRITTEN + "; rename one",
    ),
    "a decorator above @action": (
        "    def log(f):\n        return lambda *others: f(*others)\n    @log  #a\n"
        + UP.format(mark="", value=1),
        "{a}: the action up is lost to a decorator above @action: write @action above all others",
    ),
    "two of init": (
        "    def init(self, start):  #a\n" + INIT.split("\n", 2)[2],
        "{a}: `init` is written twice in one class, and only the last would count: keep one",
    ),
    "two parameters of one name": (
        '    size = parameter(3, doc="again")  #a\n',
        "{a}: `size` is written twice in one class, and only the last would count: keep one",
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_lost_in_a_class(name: str) -> None:
    body, told = CLASSES[name]
    check(BEFORE + INIT + body, told)


def test_what_a_base_class_has_lost_is_told_of_its_subclasses() -> None:
    body = UP.format(mark="  #a", value=1) + UP.format(mark="  #b", value=2)
    source = BEFORE + INIT + body + "\nclass Other(Sample):\n    pass\n"
    check(source, "{a}: the action up is lost: " + WRITTEN + ", at {b}; rename one")


def test_a_subclass_may_replace_and_drop_actions() -> None:
    source = BEFORE + INIT + UP.format(mark="", value=1) + UP.format(mark="", value=3).replace("up", "down")
    other = "\nclass Other(Sample):\n" + UP.format(mark="", value=2) + "    down = None\n"
    assert [one.name for one in model(source + other).actions] == ["up"]


def test_an_action_may_be_called_as_the_class_keeps_its_own() -> None:
    source = BEFORE + INIT + UP.format(mark="", value=1).replace("up", "lost")
    assert [one.name for one in model(source).actions] == ["lost"]


def test_a_class_that_is_no_protocol_may_give_actions() -> None:
    source = BEFORE + INIT + "\nclass Mixin:\n" + UP.format(mark="", value=2)
    built = model(source + "\nclass Other(Mixin, Sample):\n    pass\n")
    assert [one.name for one in built.actions] == ["up"]


def test_lost_in_a_class_that_is_no_protocol() -> None:
    mixin = "\nclass Mixin:\n" + UP.format(mark="  #a", value=1) + UP.format(mark="  #b", value=2)
    check(
        BEFORE + INIT + mixin + "\nclass Other(Mixin, Sample):\n    pass\n",
        "{a}: the action up is lost: " + WRITTEN + ", at {b}; rename one",
    )


def test_protocols_made_by_a_function_do_not_meddle() -> None:
    def made(flag: bool) -> type[Protocol]:
        class Made(Protocol):
            def define(self, state: object) -> None:
                state.flag = Bool()  # type: ignore[attr-defined]  # declares it

            def init(self, start: object) -> None:
                start.flag = flag  # type: ignore[attr-defined]  # assigns it

            @action
            def turn(self, now: object, nxt: object) -> None:
                nxt.flag = not flag  # type: ignore[attr-defined]  # assigns it

        return Made

    for kind in (made(True), made(False)):
        assert [one.name for one in build(kind()).actions] == ["turn"]


FORMULA = "def one(p, now):\n    return now.count < 3\n"
DECORATED = {
    "@invariant": "invariant needs the protocol: write @invariant(YourProtocol) above one",
    "@probe": "probe needs the protocol: write @probe(YourProtocol) above one",
    "@strengthening": "strengthening needs the protocol: write @strengthening(YourProtocol) above one",
    "@invariant(int)": "the class int is no protocol: write @invariant(YourProtocol)",
    "@probe('Sample')": "'Sample' is no class of a protocol: write @probe(YourProtocol)",
    "@invariant(Sample())": "an instance of Sample is given in place of its class: "
    "write @invariant(YourProtocol)",
    "@strengthening((Sample, 3))": "3 is no class of a protocol: write @strengthening(YourProtocol)",
    "@invariant(())": "no class is given: write @invariant(YourProtocol)",
    "@probe(Sample)\n@invariant(Sample)": "@probe is written above the property one: decorate one function "
    "once; for several protocols give them all, as in @invariant((A, B))",
}


@pytest.mark.parametrize("decorator", DECORATED)
def test_property_decorated_wrongly(decorator: str) -> None:
    *above, last = decorator.split("\n")
    source = "\n".join([in_action("pass"), *above, f"{last}  #a", FORMULA])
    # A function begins at its first decorator.
    source = source.replace("@probe(Sample)\n@inv", "@probe(Sample)  #a\n@inv").replace(
        "(Sample)  #a\ndef", "(Sample)\ndef"
    )
    check(source, "{a}: " + DECORATED[decorator])


def test_a_property_of_several_protocols() -> None:
    source = (
        in_action("pass") + "\nclass Other(Protocol):\n    pass\n\n@invariant((Other, Sample))\n" + FORMULA
    )
    names = source + "\nOther = None\n"
    assert list(model(names).properties) == ["one"]


def test_when_that_fails() -> None:
    check(
        in_action("pass") + "\n@invariant(Sample, when=lambda p: p.nope)  #a\n" + FORMULA,
        "{a}: Python says: AttributeError: 'Sample' object has no attribute 'nope'",
    )


def test_when_of_an_action_that_fails() -> None:
    source = BEFORE + INIT + UP.format(mark="(when=lambda p: p.nope)  #a", value=1)
    check(source, "{a}: Python says: AttributeError: 'Sample' object has no attribute 'nope'")


ENDS = "{a}: this ends the program, and a model may not: leave out exit() and SystemExit"


@pytest.mark.parametrize("end", ["raise SystemExit(0)", "import sys; sys.exit()", "raise SystemExit"])
def test_nothing_in_a_model_ends_the_program(end: str) -> None:
    check(in_action(f"{end}  #a"), ENDS)
    check((BEFORE + INIT).replace("start.count = 0", f"{end}  #a"), ENDS)
    check(BEFORE + f"        {end}  #a\n" + INIT, ENDS)
    check(in_action("pass") + f"\n@invariant(Sample)\ndef one(p, now):\n    {end}  #a\n", ENDS)
