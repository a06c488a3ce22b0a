"""Headless Chromium, which may reach no network."""

import json
import shutil
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None,
    reason="pages are opened in Chromium: apt-get install chromium chromium-driver",
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Nothing answers: no name is found, and the only way out is a port at which nobody listens.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=127.0.0.1:9",
    "--window-size=1300,1000",
)


class Browser:
    """A Chromium that remembers what it was asked to load and what it complained of."""

    def __init__(self, profile: Path) -> None:
        options = ChromeOptions()
        options.binary_location = CHROMIUM or ""
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = Chrome(options=options, service=Service(DRIVER))

    def open(self, file: Path) -> None:
        """Open a file, forgetting what was before."""
        self.requests()
        self.complaints()
        self.driver.get(file.as_uri())

    def requests(self) -> list[str]:
        """The addresses of all that was to be loaded since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        sent = [one["params"] for one in messages if one["method"] == "Network.requestWillBeSent"]
        urls = [one["request"]["url"] for one in sent]
        # The browser's own start page may still be loading.
        return [url for url in urls if not url.startswith("chrome:")]

    def complaints(self) -> list[str]:
        """The lines written to the console since the last call."""
        return [entry["message"] for entry in self._log("browser")]

    def _log(self, kind: str) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.driver.get_log(kind)  # type: ignore[no-untyped-call]  # selenium leaves it so
        return found

    def texts(self, selector: str) -> list[str]:
        """The texts that are shown of all elements that a CSS selector finds."""
        return [one.text for one in self.driver.find_elements(By.CSS_SELECTOR, selector)]

    def style(self, selector: str, name: str) -> str:
        """A property of the first element, as it is drawn."""
        return self.driver.find_element(By.CSS_SELECTOR, selector).value_of_css_property(name)


def luminance(colour: str) -> float:
    """The relative luminance of a CSS colour, as WCAG 2.1 defines it."""
    body = colour.partition("(")[2].rstrip(")").removeprefix("srgb").replace(",", " ").split()
    scale = 1.0 if "srgb" in colour else 255.0
    channels = [float(part) / scale for part in body[:3]]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
