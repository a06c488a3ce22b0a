"""The report as a browser shows it: headless Chromium, which may reach no network, opens the file."""

import json
import shutil
from pathlib import Path

import pytest
from selenium.webdriver import Keys
from selenium.webdriver.common.by import By

from leadline.symbolic.cli import main
from leadline.symbolic.grid.rows import Row
from leadline.symbolic.grid.store import Store
from tests.grid.conftest import COUNTER
from tests.grid.rows import local, row, unknown
from tests.report.browser import Browser, luminance, needs_chromium
from tests.report.store import EVIL, filled, real

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a store."""
    folder = tmp_path_factory.mktemp("report")
    shutil.copy(COUNTER, folder)
    return written(filled(folder))


def written(store: Store, *rows: Row) -> Path:
    """The page of a store with these rows added."""
    store.create()
    for one in rows:
        store.keep(one)
    out = local(store.folder / "report.html")
    assert main(["report", str(store.folder), "--out", str(out)]) == 0
    return out


def test_what_it_shows(browser: Browser, report: Path) -> None:
    browser.open(report)
    assert browser.texts("h2") == [
        "Failures",
        "counter",
        "log",
        "pulsar-compaction",
        "All answers",
        "Costs",
        "Made by",
    ]
    assert len(browser.texts(".map")) == 3, "one for each property"
    cells = browser.texts(".map td.look")
    assert sorted(" ".join(cell.split()) for cell in cells) == sorted(
        ["\u2713 4", "\u2717 3", "\u2717 3", "?"]
        + ["\u2713 10"] * 5
        + ["\u2713 20"] * 2
        + ["\u2717 8"] * 2
        + ["\u2717 9"] * 2
    )
    assert browser.texts(".condition") == ["top >= 3", "log >= 2 and replicas >= 3"]
    browser.driver.find_element(By.CSS_SELECTOR, ".how > summary").click()
    legend = browser.texts(".legend li")
    assert len(legend) == 4
    assert any("no bug within the depth searched" in text for text in legend)


def test_the_counterexamples_are_shown(browser: Browser, report: Path) -> None:
    browser.open(report)
    counter, compaction = browser.texts("pre.trace")
    assert counter.splitlines()[:2] == [
        "counter (top = 3, nodes = 1, overflow = false): below-three violated in 3 steps",
        "  0  Init",
    ]
    assert "CompactorPhaseOne" in compaction
    assert "     DuplicateNullKeyMessage is false." in compaction.splitlines()


def test_nothing_leaves_and_nothing_complains(browser: Browser, report: Path) -> None:
    browser.open(report)
    assert set(browser.requests()) <= {report.as_uri(), "data:,"}
    assert browser.complaints() == []


def test_hostile_texts_are_only_texts(browser: Browser, tmp_path: Path) -> None:
    evil = dict.fromkeys(
        ("protocol", "property", "solver", "host", "machine", "reason", "leadline_version"), EVIL
    )
    rows = (
        unknown(EVIL, query="a"),
        row(**evil, query="b", parameters=json.dumps({EVIL: EVIL, "n": 1}), trace=EVIL),
        row(**evil, query="c", parameters=json.dumps({EVIL: "x", "n": 2}), verdict="safe"),
    )
    out = written(Store(tmp_path / "store"), *rows)
    browser.open(out)
    assert set(browser.requests()) <= {out.as_uri(), "data:,"}
    assert browser.complaints() == []
    assert EVIL in browser.texts("h2")
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, "script, img")) == 1, "its own script"


def test_a_request_and_a_complaint_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    """The tests above can fail: this page makes a request, and writes to the console."""
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><img src='http://example.invalid/x.png'><script>console.error('x')</script>"
    )
    browser.open(page)
    assert "http://example.invalid/x.png" in browser.requests()
    assert browser.complaints() != []


def test_the_policy_forbids_what_would_slip_through(browser: Browser, report: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    slipped = "<img src='http://example.invalid/x.png'><script>document.title = 'ran'</script></body>"
    page.write_text(report.read_text(encoding="utf-8").replace("</body>", slipped), encoding="utf-8")
    browser.open(page)
    assert browser.driver.title.startswith("counter, log, pulsar-compaction: ")
    assert any("Content Security Policy" in complaint for complaint in browser.complaints())


def test_by_keyboard(browser: Browser, report: Path) -> None:
    """Tab comes to the way past the contents; from a cell Enter leads to its answer, or to its page."""
    browser.open(report)
    body = browser.driver.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "To the results"
    cell = browser.driver.find_element(By.CSS_SELECTOR, ".map td.safe a")
    assert cell.get_attribute("aria-label") == "nodes = 1, overflow = false, top = 2: safe within 4 steps"
    cell.send_keys(Keys.ENTER)
    answer = browser.driver.find_element(By.CSS_SELECTOR, "tr:target")
    assert answer.is_displayed(), "the closed table opens"
    assert "safe within 4 steps" in answer.text
    cell = browser.driver.find_element(By.CSS_SELECTOR, ".map td.violated a")
    assert cell.get_attribute("aria-label") == "nodes = 1, overflow = false, top = 3: violated in 3 steps"
    cell.send_keys(Keys.ENTER)
    assert browser.texts("h1") == ["below-three violated in 3 steps"]
    browser.driver.find_element(By.LINK_TEXT, "Back to the report").send_keys(Keys.ENTER)
    assert "violated in 3 steps" in browser.driver.find_element(By.CSS_SELECTOR, "tr:target").text
    assert browser.complaints() == []


def test_each_counterexample_has_a_page(browser: Browser, report: Path) -> None:
    browser.open(report)
    links = browser.driver.find_elements(By.CSS_SELECTOR, ".map td.violated a[href*='.traces/']")
    assert len(links) == 2
    assert len(list(report.with_name("report.traces").iterdir())) == 2
    links[1].click()
    assert browser.texts("h1") == ["duplicate-null-key-message violated in 3 steps"]
    assert "Replayed step by step" in browser.texts("header .note")[0]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_light_and_dark(mode: str, browser: Browser, report: Path) -> None:
    wanted = {"features": [{"name": "prefers-color-scheme", "value": mode}]}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    browser.open(report)
    paper, ink = (luminance(browser.style("body", name)) for name in ("background-color", "color"))
    assert (paper > ink) is (mode == "light")
    for kind in ("safe", "violated", "unknown"):
        cell = luminance(browser.style(f".map td.{kind}", "background-color"))
        bright, dark = max(cell, ink), min(cell, ink)
        assert (bright + 0.05) / (dark + 0.05) > 4.5, f"{kind} cannot be read: WCAG 2.1 asks for 4.5 to 1"


def test_vacuity_and_actions_never_taken_are_shown(browser: Browser, tmp_path: Path) -> None:
    """Leases of two replicas hold since nobody leads: on the page itself, not only in the title of a cell."""
    store = Store(tmp_path / "store")
    store.create()
    for replicas in (2, 3):
        store.keep(*real("spanner-leases", "disjointness", explore=True, replicas=replicas, tt_max_si=3))
    page = written(store)
    for width in (420, 1300):
        browser.driver.set_window_size(width, 1000)
        browser.open(page)
        (vacuous,) = browser.texts(".vacuous")
        head, first, *_ = vacuous.splitlines()
        assert head.startswith("Holds vacuously: ")
        assert first.startswith("vacuously, since intervals is always empty (spanner_leases.py:")
        assert first.endswith("at replicas = 2")
        (never,) = browser.texts(".never-taken")
        head, leader, backup, *_ = never.splitlines()
        assert head == "Actions never taken" and leader.startswith("BecomeLeader, since ")
        assert 'states[replica].role = "Leader" is never true' in backup and "at replicas = 2" in backup
        for one in browser.driver.find_elements(By.CSS_SELECTOR, ".vacuous, .never-taken"):
            assert one.rect["x"] >= 0 and one.rect["x"] + one.rect["width"] <= width
    browser.driver.find_element(By.CSS_SELECTOR, "#all > details:last-of-type > summary").click()
    assert any("vacuously" in text for text in browser.texts("td.verdict"))
    assert browser.complaints() == []


def test_all_answers_can_be_searched(browser: Browser, report: Path) -> None:
    """By words, and by verdict; a link leads to an answer that the search has hidden."""
    browser.open(report)
    search = browser.driver.find_element(By.ID, "search")
    search.send_keys("agreement cadical")
    assert browser.texts("#found") == ["0 of 15 answers"]
    search.clear()
    search.send_keys("Agreement bmc true")
    assert browser.texts("#found") == ["6 of 15 answers"]
    assert [text for text in browser.texts("#all summary") if text] == [
        "log: 12 queries: 4 violated, 1 unknown, 7 safe"
    ]
    browser.driver.find_element(By.CSS_SELECTOR, "#verdict option[value='violated']").click()
    assert browser.texts("#found") == ["2 of 15 answers"]
    assert len([text for text in browser.texts("#all tbody tr") if text]) == 2
    browser.driver.execute_script("document.querySelector('.map td.safe a').click()")
    target = browser.driver.find_element(By.CSS_SELECTOR, "tr:target")
    assert target.is_displayed() and "safe within 4 steps" in target.text
    assert search.get_attribute("value") == "" and browser.texts("#found") == [""]
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [420, 1300])
def test_nothing_reaches_beyond_the_windows_edge(width: int, browser: Browser, report: Path) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        browser.open(report)
        browser.driver.execute_script(
            "document.querySelectorAll('details').forEach((x) => { x.open = true; })"
        )
        assert browser.driver.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
