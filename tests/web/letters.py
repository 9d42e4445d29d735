"""Whether letters are in the middle of the discs and cells that they stand on."""

import io

from PIL import Image, ImageChops

# The side of the picture of a symbol in pixels, and the largest distance of the middle of the
# letters from that of the picture, as a share of it. A letter is not quite in the middle of the
# width that it takes; letters that begin in the middle are off by a twentieth and more.
SIDE = 400
MOST_OFF = 0.03

# Draws a symbol alone, as the pictures use it.
DRAW = """([id, side]) => {
  const symbol = document.getElementById(id);
  const name = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(name, "svg");
  svg.setAttribute("id", "alone");
  svg.setAttribute("width", side);
  svg.setAttribute("height", side);
  const defs = symbol.closest("defs").cloneNode(true);
  const use = document.createElementNS(name, "use");
  use.setAttribute("href", `#${id}`);
  svg.append(defs, use);
  document.body.replaceChildren(svg);
  // Symbols are drawn around their place.
  const { x, y, width, height } = use.getBBox();
  const half = 1.1 * Math.max(-x, -y, x + width, y + height);
  svg.setAttribute("viewBox", `${-half} ${-half} ${2 * half} ${2 * half}`);
}"""
SYMBOLS = """() => [...document.querySelectorAll("defs > g[id]")]
    .filter((it) => it.querySelector("text")).map((it) => it.id)"""


def check_letters(new_context, report):
    """Compares each symbol with itself without its letters; returns the number of symbols."""
    context = new_context(viewport={"width": SIDE, "height": SIDE})
    page = context.new_page()
    page.goto(report.as_uri())
    symbols = page.evaluate(SYMBOLS)
    for symbol in symbols:
        page.goto(report.as_uri())
        page.evaluate(DRAW, [symbol, SIDE])
        picture = page.locator("#alone")
        whole = picture.screenshot()
        page.evaluate("document.querySelectorAll('#alone text').forEach((it) => it.remove())")
        letters = difference(whole, picture.screenshot())
        assert letters, f"{report.parent.name}: {symbol} has letters that are not seen"
        left, top, right, bottom = letters
        for direction, middle in [("right", (left + right) / 2), ("down", (top + bottom) / 2)]:
            off = middle / SIDE - 0.5
            assert abs(off) <= MOST_OFF, (
                f"{report.parent.name}: the letters of {symbol} are {off:.3f} of its width too far"
                f" {direction}"
            )
    context.close()
    return len(symbols)


def difference(one, other):
    """Returns the box around the pixels that differ."""
    one, other = [Image.open(io.BytesIO(it)).convert("RGB") for it in (one, other)]
    return ImageChops.difference(one, other).getbbox()
