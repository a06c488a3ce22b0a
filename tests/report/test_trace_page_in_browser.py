"""Pages to walk through a run, in a browser: the keyboard, the mouse and every view."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

from leadline.symbolic.concrete import Semantics
from leadline.symbolic.report.trace_page import html_of, trace_page
from leadline.symbolic.trace import Stored, lines
from leadline.symbolic.trace.page import page_data, stored_page_data
from tests.report.browser import Browser, luminance, needs_chromium
from tests.report.hostile import hostile
from tests.report.runs import kip_320, ring
from tests.report.store import EVIL
from tests.trace.swinging import swinging


class Walker:
    """A page in the browser."""

    def __init__(self, browser: Browser, file: Path) -> None:
        self.browser = browser
        self.file = file
        browser.open(file)
        # The lanes are drawn again once the steps are laid out, which the first frame does.
        drawn = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
        browser.driver.execute_async_script(drawn)

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        ActionChains(self.browser.driver, duration=0).send_keys(*keys).perform()

    def empty(self, name: str) -> None:
        """Empty a filter at once: each key that deletes a letter draws the page again."""
        self.browser.driver.execute_script("document.getElementById(arguments[0]).value = ''", name)

    def click(self, selector: str) -> None:
        """Click the first element that a CSS selector finds."""
        self.browser.driver.find_element(By.CSS_SELECTOR, selector).click()

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that a CSS selector finds, each on one line."""
        shown = "(x) => x.innerText ?? x.firstChild?.data ?? ''"
        script = f"return [...document.querySelectorAll(arguments[0])].map({shown})"
        found: list[str] = self.browser.driver.execute_script(script, selector)
        return [" ".join(text.split()) for text in found]

    def text(self, selector: str) -> str:
        """The text of the first element."""
        return self.texts(selector)[0]

    def rows(self, more: str = "") -> list[str]:
        """The lines of the state, without the buttons that pin them."""
        return [
            " ".join(text.replace("\u2605", "").split()) for text in self.texts(f"#values tbody tr{more}")
        ]

    def noise(self) -> list[str]:
        """The files loaded besides the page, and the lines written to the console."""
        known = (self.file.as_uri(), "data:")
        requests = [url for url in self.browser.requests() if not url.startswith(known)]
        return requests + self.browser.complaints()


@pytest.fixture(scope="module")
def kip_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "kip.html"
    file.write_text(trace_page(*kip_320(), "Replayed."), encoding="utf-8")
    return file


@pytest.fixture
def kip(browser: Browser, kip_page: Path) -> Walker:
    return Walker(browser, kip_page)


@needs_chromium
def test_by_keyboard(kip: Walker) -> None:
    assert kip.text("h1") == "strong-isr violated in 12 steps"
    assert kip.text("#call") == "12 of 12 ImprovedLeaderIncHighWatermark(leader = r1)"
    kip.press(Keys.HOME)
    assert kip.text("#call") == "0 of 12 Init"
    assert kip.rows(".changed") == kip.texts("#values ins") == []
    kip.press(Keys.ARROW_DOWN, "j", Keys.ARROW_RIGHT)
    assert kip.text("#call") == "3 of 12 LeaderShrinkIsrBetterFencing(leader = r1, replica = r3)"
    assert kip.text("#steps [aria-current]").startswith("3 LeaderShrinkIsrBetterFencing leader = r1")
    assert kip.texts("#values del") == ["r3", "r3"]
    kip.press("k", Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_UP)
    assert kip.text("#call") == "0 of 12 Init"
    kip.press(Keys.END, "c")
    assert kip.rows() == [
        "\u25bereplicaState",
        "\u25b8[r1] [hw |-> 0 1, leaderEpoch |-> 0, leader |-> r1, isr |-> {r1, r2}]",
    ]
    kip.press("c", "?")
    assert kip.browser.driver.find_element(By.ID, "keys").is_displayed()
    kip.press(Keys.ESCAPE, "k")
    assert kip.text("#call").startswith("11 of 12 FollowerFetch")
    assert kip.browser.driver.current_url.endswith("#11")
    assert kip.noise() == []


@needs_chromium
def test_filter_and_pins(kip: Walker) -> None:
    kip.press("/", "hw")
    assert [row for row in kip.rows() if "." in row] == [".hw 0 1", ".hw 0", ".hw 0"]
    kip.press(" quorum", Keys.ESCAPE)
    assert kip.rows()[-1].startswith("\u25b8quorumState")
    kip.press("k")
    assert kip.text("#call").startswith("11 of 12"), "keys walk again"
    kip.click("button[aria-label='Pin quorumState']")
    kip.click("button[aria-label='Open quorumState']")
    kip.click("button[aria-label='Pin quorumState.isr']")
    kip.empty("filter")
    kip.press("/", "nothing-is-called-so")
    assert kip.rows() == [
        "\u25bequorumState",
        ".leaderEpoch 2",
        ".leader r1",
        "\u25b8.isr {r1, r2, r3}",
        "\u25b8quorumState.isr {r1, r2, r3}",
    ]
    assert kip.noise() == []


@needs_chromium
def test_two_steps_side_by_side(kip: Walker) -> None:
    kip.press("s")
    assert kip.texts("#values thead th")[1:] == ["step 11", "step 12"]
    assert kip.texts("#values ins") == ["0", "1"]
    step = kip.browser.driver.find_element(By.CSS_SELECTOR, "#steps button[data-step='4']")
    ActionChains(kip.browser.driver).key_down(Keys.SHIFT).click(step).key_up(Keys.SHIFT).perform()
    assert kip.texts("#values thead th")[1:] == ["step 4", "step 12"]
    (changed,) = (row for row in kip.rows(".changed") if "nextRecordId" in row)
    assert changed == "nextRecordId 0 1"
    kip.browser.driver.find_element(By.CSS_SELECTOR, "#other option[value='9']").click()
    kip.click("#steps button[data-step='10']")
    assert kip.texts("#values thead th")[1:] == ["step 9", "step 10"]
    assert not any("nextRecordId" in row for row in kip.rows(".changed"))
    assert kip.noise() == []


@needs_chromium
def test_the_space_time_view(kip: Walker) -> None:
    assert kip.texts("#heads text") == ["r1", "r2", "r3"]
    assert len(kip.texts("#lanes .dot")) == 12
    arrows = kip.browser.driver.find_elements(By.CSS_SELECTOR, "#lanes .message")
    joined = [(arrow.get_attribute("data-from"), arrow.get_attribute("data-to")) for arrow in arrows]
    assert joined == [("1", "2"), ("4", "5"), ("4", "6"), ("8", "10")]
    kip.click("#steps button[data-step='8']")
    assert kip.text("#post") == "sends Request to step 10: 2 :> [leader |-> r1, isr |-> {r1, r2, r3}]"
    assert len(kip.texts("#lanes .message.near")) == 1
    kip.click("#post button")
    assert kip.text("#call").startswith("10 of 12 BecomeFollower")
    kip.press("t")
    assert kip.texts("#lanes .dot") == []
    kip.click("#groups label:nth-of-type(2)")
    assert kip.texts("#heads text")[:4] == ["r1", "r2", "r3", "epoch 0"]
    assert kip.noise() == []


@pytest.mark.slow
@needs_chromium
def test_why_it_fails(kip: Walker) -> None:
    kip.press("w")
    leaves = [" ".join(text.split()) for text in kip.texts("#reason div")]
    assert leaves == [
        "FALSE replicaState[r1].leader # r1 r1 # r1",
        "TRUE 0 < replicaState[r1].hw 0 < 1",
        "FALSE 0 < replicaLog[r3].endOffset 0 < 0",
        "FALSE replicaLog[r1].records[0] = replicaLog[r3].records[0] [id |-> 0, epoch |-> 0] = None",
    ]
    assert kip.texts("#reason .chosen") == [
        "leader = r1",
        "replica = r3 in quorumState.isr",
        "offset = 0",
    ]
    kip.press("/", "endoffset r3 0 <", Keys.ESCAPE)
    (row,) = kip.browser.driver.find_elements(By.XPATH, "//tr[th='0 < replicaLog[r3].endOffset']")
    assert row.text.split()[-13:] == ["F"] * 13
    kip.empty("parts-filter")
    kip.press("/", "replicastate[r1].leader", Keys.ESCAPE)
    values = kip.browser.driver.find_elements(By.CSS_SELECTOR, "#parts tbody tr:nth-child(1) td")
    assert [value.get_attribute("title") for value in values] == ["None"] * 2 + ["r1"] * 11
    values[2].click()
    assert kip.text("#call").startswith("2 of 12 BecomeLeader")
    assert kip.text("#reason").startswith("TRUE")
    kip.click("#because")
    assert kip.text("#call").startswith("12 of 12")
    assert kip.noise() == []


@needs_chromium
def test_a_loop_is_drawn(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "ring.html"
    semantics, round_trip = ring()
    file.write_text(trace_page(semantics, replace(round_trip, loop=0)))
    page = Walker(browser, file)
    assert page.text("#end").startswith("Back to state 0, for ever")
    path = browser.driver.find_element(By.CSS_SELECTOR, "#lanes .loop")
    assert float((path.get_attribute("d") or "").split()[0].removeprefix("M")) > 0
    assert browser.texts("#lanes .loop title") == [""] and path.rect["height"] > 100
    assert page.noise() == []


@needs_chromium
def test_walking_on_goes_round_the_loop(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "ring.html"
    semantics, round_trip = ring()
    trace = replace(round_trip, loop=2, steps=(*round_trip.steps, *round_trip.steps[:2]))
    trace = replace(trace, property="in-the-mail")
    file.write_text(trace_page(semantics, trace))
    page = Walker(browser, file)
    assert page.texts("#steps .again .number") == ["3", "4", "5", "6"]
    page.press(Keys.END)
    assert page.text("#call").startswith("6 of 6")
    page.press("j")
    assert page.text("#call").startswith("3 of 6")
    page.press(Keys.END)
    page.click("#on")
    assert page.text("#call").startswith("3 of 6")
    assert page.browser.driver.find_element(By.CSS_SELECTOR, "#lanes .loop").rect["height"] > 50
    assert page.noise() == []


@needs_chromium
def test_a_run_that_stops_is_drawn(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "ring.html"
    semantics, round_trip = ring()
    stopped = replace(round_trip, loop=round_trip.length, property="in-the-mail")
    file.write_text(trace_page(semantics, stopped))
    page = Walker(browser, file)
    assert page.text("#end").startswith("Nothing happens any more: ")
    assert page.texts("#steps .again") == []
    page.press("j")
    assert page.text("#call").startswith("4 of 4")
    assert page.browser.driver.find_element(By.CSS_SELECTOR, "#lanes .loop").rect["height"] > 8
    assert page.noise() == []


@needs_chromium
def test_hostile_texts_are_only_texts(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "evil.html"
    file.write_text(html_of(hostile(page_data(*kip_320())), EVIL, "a.html"), encoding="utf-8")
    page = Walker(browser, file)
    page.press("s", Keys.HOME, "j", "/", "e")
    assert page.noise() == []
    assert browser.driver.title.startswith(EVIL)
    assert any(EVIL in text for text in browser.texts("#values"))
    assert browser.driver.find_elements(By.CSS_SELECTOR, "img, main script, main style") == []


@needs_chromium
def test_the_policy_forbids_what_would_slip_through(browser: Browser, kip_page: Path, tmp_path: Path) -> None:
    file = tmp_path / "slipped.html"
    slipped = (
        "<img src='http://example.invalid/x.png'><script>document.title = 'ran'</script>"
        "<p style='color:red' onclick='1'>"
    )
    file.write_text(kip_page.read_text(encoding="utf-8").replace("<header>", f"{slipped}<header>"))
    browser.open(file)
    assert browser.driver.title.startswith("strong-isr")
    complaints = browser.complaints()
    assert all("Content Security Policy" in text for text in complaints)
    for kind in ("img-src", "script-src", "style-src"):
        assert any(f"'{kind}" in text or f'"{kind}' in text for text in complaints), complaints


@needs_chromium
def test_names_of_variables_are_in_one_column(kip: Walker) -> None:
    """Of those that open and those that do not: the place of the arrow is as wide as the arrow."""
    toggles = kip.browser.driver.find_elements(By.CSS_SELECTOR, "#values .top .toggle")
    assert {toggle.tag_name for toggle in toggles} == {"button", "span"}
    assert len({(toggle.rect["x"], toggle.rect["width"]) for toggle in toggles}) == 1


@needs_chromium
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_light_and_dark(mode: str, kip: Walker) -> None:
    wanted = {"features": [{"name": "prefers-color-scheme", "value": mode}]}
    kip.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    paper, ink = (luminance(kip.browser.style("body", name)) for name in ("background-color", "color"))
    assert (paper > ink) is (mode == "light")
    kip.press("w")
    for kind in ("TRUE", "FALSE"):
        ground = luminance(kip.browser.style(f".truth.{kind}", "background-color"))
        bright, dark = max(ground, ink), min(ground, ink)
        assert (bright + 0.05) / (dark + 0.05) > 4.5, f"{kind} cannot be read: WCAG 2.1 asks for 4.5 to 1"


@needs_chromium
@pytest.mark.parametrize("width", [400, 1900])
def test_no_window_is_too_narrow(width: int, kip: Walker) -> None:
    """Nothing reaches beyond the window's edge, and the state is beside the steps where there is room."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    kip.browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for keys in ("s", "sw"):
            kip.press(keys)
            assert kip.browser.driver.execute_script("return document.documentElement.scrollWidth") <= width
        steps, state = (kip.browser.driver.find_element(By.ID, name).rect for name in ("run", "at"))
        assert (state["x"] > steps["width"] - 1) is (width > 860)
        shown = [kip.browser.driver.find_element(By.ID, name).is_displayed() for name in ("state", "why")]
        assert shown == [width > 1700, True]
    finally:
        kip.browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@needs_chromium
@pytest.mark.parametrize("width", [420, 1900])
def test_the_step_at_hand_is_in_sight(width: int, browser: Browser, kip_page: Path) -> None:
    """At once, in its column of steps and in the table of parts, and so after each key."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    inside = """const [x, y] = [...arguments].map((one) => document.querySelector(one).getBoundingClientRect());
    return [x.left - y.left, y.right - x.right, x.top - y.top, y.bottom - x.bottom].every((gap) => gap > -1.5)"""
    try:
        page = Walker(browser, kip_page)
        for key in ("", Keys.HOME, Keys.END):
            page.press(*key)
            assert browser.driver.execute_script(inside, "#steps [aria-current]", "#scroll")
            if width > 1700:
                assert browser.driver.execute_script(inside, "#parts thead .now", "#why .wide")
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@needs_chromium
def test_aliases_are_beside_the_variables(browser: Browser, tmp_path: Path) -> None:
    """They change, are filtered and pinned as variables are, and stand apart by their sign."""
    (tmp_path / "page.html").write_text(trace_page(*ring(aliases=True)), encoding="utf-8")
    page = Walker(browser, tmp_path / "page.html")
    page.press(Keys.HOME)
    page.press("j")
    assert "Holders == " in " ".join(page.rows()) and "Holders == " in " ".join(page.rows(".changed"))
    page.click("#filter")
    page.press(*"holders")
    assert len(page.rows()) == 1
    page.click('[data-key="pin Holders"]')
    assert page.rows(".pinned")[0].startswith("Holders ")
    assert page.noise() == []


@needs_chromium
def test_it_opens_on_the_reason_with_the_state_below(kip: Walker) -> None:
    assert kip.text("#sentence") == (
        "StrongIsr is false in state 12: for leader = r1, replicaState[r1].leader # r1 is false (r1 # r1), for "
        "replica = r3 in quorumState.isr, offset = 0, 0 < replicaState[r1].hw is true (0 < 1), 0 < "
        "replicaLog[r3].endOffset is false (0 < 0), and replicaLog[r1].records[0] = replicaLog[r3].records[0] is "
        "false ([id |-> 0, epoch |-> 0] = None)."
    )
    sentence, state = (kip.browser.driver.find_element(By.ID, name) for name in ("sentence", "state"))
    assert sentence.rect["y"] + sentence.rect["height"] <= state.rect["y"] and state.is_displayed()
    assert kip.text("#steps [aria-current]").startswith("12 ")


@needs_chromium
def test_messages_are_labelled_by_their_kind(kip: Walker) -> None:
    assert kip.texts("#lanes .kind") == ["Request"] * 4
    kip.click("#steps button[data-step='8']")
    assert kip.texts("#lanes .kind.near") == ["Request"]


OVER = """
const boxes = (found) => [...document.querySelectorAll(found)].map((one) => one.getBoundingClientRect());
return boxes("#lanes .kind").some((a) => boxes("#lanes circle").some((b) =>
  a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top < a.bottom - 3));
"""


@needs_chromium
def test_names_of_actions_break_between_their_words(kip: Walker) -> None:
    script = "return [...document.querySelectorAll('#steps .name')][3].innerHTML"
    broken = "Leader<wbr>Shrink<wbr>Isr<wbr>Better<wbr>Fencing"
    assert kip.browser.driver.execute_script(script) == broken


@needs_chromium
def test_no_label_of_a_message_lies_over_a_step(kip: Walker) -> None:
    for step in range(13):
        kip.click(f"#steps button[data-step='{step}']")
        assert not kip.browser.driver.execute_script(OVER), step


@needs_chromium
def test_a_link_leads_to_a_step(kip: Walker) -> None:
    """The link of the current step, a link followed within the page, and the back button."""
    kip.press(Keys.HOME)
    link = kip.browser.driver.find_element(By.ID, "link")
    assert (link.text, link.get_attribute("href")) == ("#0", f"{kip.file.as_uri()}#0")
    kip.browser.driver.execute_script("location.hash = '#7'")
    kip.browser.driver.execute_async_script("requestAnimationFrame(arguments[0])")
    assert kip.text("#call").startswith("7 of 12")
    kip.browser.driver.execute_script("location.hash = '#nowhere'")
    assert kip.text("#call").startswith("7 of 12")
    assert kip.noise() == []


@needs_chromium
def test_the_run_is_copied_as_text(kip: Walker) -> None:
    kip.browser.driver.execute_script("navigator.clipboard.writeText = async (x) => { window.copied = x; }")
    kip.click("#copy")
    told = "".join(f"{line}\n" for line in lines(*kip_320()))
    assert kip.browser.driver.execute_script("return window.copied") == told
    assert kip.text("#copy") == "Copied"
    kip.browser.driver.execute_script("navigator.clipboard.writeText = async () => { throw new Error(); }")
    older = "document.execCommand = (x) => { window.copied = x + document.activeElement.value; }"
    kip.browser.driver.execute_script(older)
    kip.click("#copy")
    assert kip.browser.driver.execute_script("return window.copied") == f"copy{told}"


@needs_chromium
def test_the_legend_names_each_sign(kip: Walker) -> None:
    kip.click("#legend summary")
    signs = kip.browser.driver.find_elements(By.CSS_SELECTOR, "#legend li")
    assert len(signs) == 6 and all(sign.is_displayed() for sign in signs)


@needs_chromium
@pytest.mark.parametrize("stored", [False, True], ids=["replayed", "as stored"])
def test_fairness_has_a_panel(stored: bool, browser: Browser, tmp_path: Path) -> None:
    model, trace = swinging()
    data = json.loads(json.dumps(page_data(Semantics(model), trace)))
    if stored:
        data = stored_page_data(Stored("x.json", {"page": data}))
    (tmp_path / "page.html").write_text(html_of(data), encoding="utf-8")
    page = Walker(browser, tmp_path / "page.html")
    page.press("f")
    assert page.texts("#conditions li") == [
        "WF_locked(Lock) at d1, d2, d3: not enabled in state 0",
        "SF_vars(Swing) at d1: taken at step 5",
        "SF_vars(Swing) at d2: taken at step 1",
        "SF_vars(Swing) at d3: taken at step 3",
    ]
    page.click("#conditions li:nth-child(2) button")
    assert page.text("#call").startswith("5 of 6")
    page.press("f")
    assert browser.driver.find_element(By.ID, "state").is_displayed()
    assert page.text("#sentence") == (
        "OneIsLocked is false of this run: in state 6, \\E door \\in Door : locked[door] is false."
    )
    assert page.noise() == []
