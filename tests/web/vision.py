"""Colors of series as people with color-vision deficiencies see them."""

import io
import math

from PIL import Image

DEFICIENCIES = ["none", "protanopia", "deuteranopia", "tritanopia"]
N_SERIES = 6
# The least distance of two colors in CIELAB: 2.3 is just noticeable side by side. Series are told
# apart by dashes, shapes and names as well.
LEAST_DISTANCE = 8.0


def check_series_colors(new_context, report):
    """Draws the colors of series with a report's style sheet, and compares what is seen."""
    for theme in ["light", "dark"]:
        context = new_context(color_scheme=theme, viewport={"width": 400, "height": 100})
        page = context.new_page()
        page.goto(report.as_uri())
        page.evaluate(
            """(n) => {
              const name = "http://www.w3.org/2000/svg";
              const svg = document.createElementNS(name, "svg");
              svg.setAttribute("class", "hatchery-figure");
              svg.setAttribute("width", 20 * n);
              svg.setAttribute("height", 20);
              for (let idx = 0; idx < n; idx += 1) {
                const rect = document.createElementNS(name, "rect");
                rect.setAttribute("x", 20 * idx);
                rect.setAttribute("width", 20);
                rect.setAttribute("height", 20);
                rect.setAttribute("class", `fill-${idx + 1}`);
                svg.append(rect);
              }
              document.querySelector("main").replaceChildren(svg);
            }""",
            N_SERIES,
        )
        session = context.new_cdp_session(page)
        for deficiency in DEFICIENCIES:
            session.send("Emulation.setEmulatedVisionDeficiency", {"type": deficiency})
            picture = page.locator("main svg").screenshot()
            colors = read_colors(picture)
            for one in range(N_SERIES):
                for other in range(one):
                    distance = math.dist(lab(colors[one]), lab(colors[other]))
                    assert LEAST_DISTANCE <= distance, (
                        f"{theme}, {deficiency}: series {other + 1} and {one + 1} look alike, "
                        f"{colors[other]} and {colors[one]}: {distance:.1f}"
                    )
        context.close()


def read_colors(picture):
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    return [image.getpixel((20 * idx + 10, 10)) for idx in range(N_SERIES)]


def lab(color):
    """CIE 1976 L*a*b* of an sRGB color, white point D65 (CIE 15:2004; IEC 61966-2-1)."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in color)
    ]
    rows = [
        (0.4124564, 0.3575761, 0.1804375, 0.95047),
        (0.2126729, 0.7151522, 0.0721750, 1.0),
        (0.0193339, 0.1191920, 0.9503041, 1.08883),
    ]

    def root(value):
        return value ** (1 / 3) if value > (6 / 29) ** 3 else value / (3 * (6 / 29) ** 2) + 4 / 29

    x, y, z = (
        root(sum(weight * part for weight, part in zip(row, linear)) / row[3]) for row in rows
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
