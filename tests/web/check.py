"""Looks at reports of real runs in Chromium: `check.py HATCHERY [FOLDER]`.

Each report is opened from disk, light and dark, narrow and wide, with and without scripts, and with
all styles blocked. With FOLDER, pictures of all pages are left there.
"""

import functools
import json
import pathlib
import subprocess
import sys
import tempfile

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import letters
import vision

# The smoke preset of each experiment, and the least number of figures of its report.
PRESETS = {
    "burn/smoke": 0,
    "pig/smoke": 0,
    "tetris-evolve/smoke": 1,
    "tetris-evaluate/smoke": 2,
    "tetris-compare/smoke": 2,
    "catan-balance/smoke": 2,
    "catan-design/smoke": 2,
    "othello-match/smoke": 0,
    "othello-ladder/smoke": 1,
    "othello-adjust/smoke": 1,
    "othello-games/smoke": 1,
    "birds-evaluate/smoke": 1,
    "birds-generate/smoke": 1,
    "birds-adapt/smoke": 1,
    "othellonia-matrix/smoke": 1,
    "othellonia-logs/smoke": 0,
    "othellonia-represent/smoke": 1,
    "othellonia-imitate/smoke": 1,
    "othellonia-selfplay/smoke": 1,
    "othellonia-impact/smoke": 1,
}
# The name of the joint report of a sweep.
SWEEP = "sweep"
# The least number of symbols with letters in all reports: pieces of Catan and of cards.
LEAST_SYMBOLS = 8
WIDTHS = [390, 1280]
THEMES = ["light", "dark"]
MAX_BYTES = 1_310_000
# How long the browser may take for anything that is sure to happen, however busy the machine is.
PATIENCE_MS = 600_000
HOSTILE_NAME = "<img src=x onerror=alert(1)>\u202e&amp;\"'</title>"
LAUNCH = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Reports of the policy are written down before the page can make any.
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(event.violatedDirective + " " + event.blockedURI);
});
"""


def main(hatchery, pictures):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        reports = make_reports(hatchery, scratch)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium(), args=LAUNCH, timeout=PATIENCE_MS
            )
            for name, report, n_figures in reports:
                check(browser, name, report, n_figures, pictures)
            new = functools.partial(new_context, browser)
            vision.check_series_colors(new, next(report for _, report, _ in reports))
            n_symbols = [letters.check_letters(new, report) for _, report, _ in reports]
            assert LEAST_SYMBOLS <= sum(n_symbols), f"{n_symbols} symbols with letters"
            browser.close()
    print(f"- {len(reports)} reports in {len(WIDTHS) * len(THEMES)} sizes and themes each")


def chromium():
    for path in ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]:
        if pathlib.Path(path).exists():
            return path
    sys.exit("Chromium is missing: install the package chromium")


def make_reports(hatchery, scratch):
    """Runs all presets, and one spec with a hostile name; returns names, pages and figures."""

    def run(spec, out):
        command = [hatchery, "run", spec, "--out", out, "--output", "quiet"]
        subprocess.run(command, cwd=scratch, check=True)
        report = scratch / out / "report.html"
        again = scratch / f"{out}.html"
        command = [hatchery, "report", out, "--out", str(again)]
        subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        assert report.read_bytes() == again.read_bytes(), f"{spec}: made twice, other bytes"
        return report

    reports = []
    for preset, n_figures in PRESETS.items():
        reports.append((preset, run(preset, preset.replace("/", "-")), n_figures))
    command = [hatchery, "spec", "pig/smoke"]
    spec = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # A slash cannot be in a file name; the sign that looks like one can.
    hostile = scratch / (HOSTILE_NAME.replace("/", "\u2215") + ".toml")
    hostile.write_text(f"{spec}\n# <script>alert(2)</script>\n", encoding="utf-8")
    reports.append(("hostile", run(str(hostile), "hostile"), 0))
    reports.extend(make_comparisons(hatchery, scratch))
    reports.append((SWEEP, make_sweep(hatchery, scratch), 2))
    return reports


def make_sweep(hatchery, scratch):
    """Runs a sweep, and returns its joint report."""
    sweep = ["--sweep", "seed=1..3", "--sweep", "population=12,20"]
    command = [hatchery, "run", "tetris-evolve/smoke", *sweep, "--out", "sweep"]
    subprocess.run([*command, "--output", "quiet"], cwd=scratch, check=True)
    report = scratch / "sweep" / "report.html"
    written = report.read_bytes()
    command = [hatchery, "report", "sweep"]
    subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    assert report.read_bytes() == written, "a sweep: made twice, other bytes"
    return report


def make_comparisons(hatchery, scratch):
    """Compares runs that are there with others; returns names, pages and figures."""
    others = [
        ("tetris-evolve", ["--seed", "2", "--set", "population=20"]),
        ("tetris-evaluate", ["--set", "games=30"]),
    ]
    for study, changes in others:
        command = [hatchery, "run", f"{study}/smoke", "--out", f"{study}-other", *changes]
        subprocess.run([*command, "--output", "quiet"], cwd=scratch, check=True)
    evolve, evaluate = [[f"{study}-smoke", f"{study}-other"] for study, _ in others]
    comparisons = [
        ("compare-evolve", evolve, 3),
        ("compare-evaluate", evaluate, 1),
        ("compare-hostile", ["hostile", "pig-smoke"], 1),
    ]
    pages = []
    for name, runs, n_figures in comparisons:
        (scratch / name).mkdir()
        for page in ["comparison.html", "again.html"]:
            paths = [f"../{run}" for run in runs]
            command = [hatchery, "report", *paths, "--out", page]
            subprocess.run(command, cwd=scratch / name, check=True, stdout=subprocess.DEVNULL)
        page, again = [scratch / name / page for page in ["comparison.html", "again.html"]]
        assert page.read_bytes() == again.read_bytes(), f"{name}: made twice, other bytes"
        pages.append((name, page, n_figures))
    return pages


def new_context(browser, **options):
    """Returns a context of the browser that waits for as long as it takes."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    return context


def check(browser, name, report, n_figures, pictures):
    n_bytes = report.stat().st_size
    assert n_bytes <= MAX_BYTES, f"{name}: {n_bytes} bytes"
    texts = {}
    for scripts in [True, False]:
        for theme in THEMES:
            for width in WIDTHS:
                where = f"{name}, {theme}, {width} pixels, scripts {scripts}"
                context = new_context(
                    browser,
                    java_script_enabled=scripts,
                    color_scheme=theme,
                    viewport={"width": width, "height": 900},
                )
                texts[scripts] = look(context, where, report, scripts)
                if pictures and scripts:
                    page = context.pages[0]
                    path = pictures / f"{report.parent.name}-{theme}-{width}.png"
                    page.screenshot(path=path, full_page=True)
                context.close()
    assert "Digest" in texts[False], f"{name}: not readable without scripts"
    check_blocked(browser, name, report, n_figures, pictures)
    context = new_context(browser)
    page = context.new_page()
    page.goto(report.as_uri())
    assert 1000 < len(page.pdf(format="A4")), f"{name}: does not print"
    context.close()


def look(context, where, report, scripts):
    """Opens a report, fails at whatever it says or asks for, and returns its text."""
    requests, messages = [], []
    context.add_init_script(WATCH)
    page = context.new_page()
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(report.as_uri())
    assert requests == [report.as_uri()], f"{where}: asks for {requests[1:]}"
    assert not messages, f"{where}: {messages}"
    if scripts:
        violations = page.evaluate("window.violations")
        assert not violations, f"{where}: {violations}"
        size = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert size[0] <= size[1], f"{where}: scrolls sideways, {size}"
        check_text_size(page, where)
        open_details(page)
        findings = Axe().run(page).response["violations"]
        brief = [(it["id"], [node["html"][:200] for node in it["nodes"][:3]]) for it in findings]
        assert not findings, f"{where}: {json.dumps(brief, indent=1)}"
    return page.inner_text("main")


def check_text_size(page, where):
    """Text of stretched figures keeps its size at any width."""
    sizes = page.evaluate(
        """() => [...document.querySelectorAll(".figure-axes text, .figure-rows text")]
            .map((text) => text.getBoundingClientRect().height)
            .filter((height) => 0 < height && height < 10).length"""
    )
    assert sizes == 0, f"{where}: {sizes} texts of figures are too small to read"


def open_details(page):
    page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")


def check_blocked(browser, name, report, n_figures, pictures):
    """Serves the report as a strict server would: without styles and scripts."""
    context = new_context(browser, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    headers = {"content-security-policy": "default-src 'none'", "content-type": "text/html"}
    body = report.read_text(encoding="utf-8")
    context.route("**/*", lambda route: route.fulfill(headers=headers, body=body))
    page.goto("http://report.test/")
    # A long spec is folded, and opens without scripts.
    text = page.text_content("main")
    # The specs of a sweep are in the reports of its runs.
    for part in ["Digest", "The same again", *([] if name == SWEEP else ["experiment ="])]:
        assert part in text, f"{name}: styles blocked, and no {part!r}"
    figures = page.query_selector_all("figure > svg, figure > div > svg")
    assert n_figures <= len(figures), f"{name}: {len(figures)} figures"
    for figure in figures:
        box = figure.bounding_box()
        assert box and 100 < box["width"] and 20 < box["height"], f"{name}: a figure of {box}"
        colors = figure.evaluate(
            """(svg) => new Set([...svg.querySelectorAll("*")].flatMap((it) =>
                [it.getAttribute("fill"), it.getAttribute("stroke")]).filter(Boolean)).size"""
        )
        assert 1 < colors, f"{name}: a figure without colors"
    if pictures:
        page.screenshot(path=pictures / f"{report.parent.name}-blocked.png", full_page=True)
    context.close()


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2]) if 2 < len(sys.argv) else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    main(sys.argv[1], folder)
