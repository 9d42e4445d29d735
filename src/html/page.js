// Everything here only adds to a page that is whole without it.
"use strict";
const root = document.documentElement;
const stored = (act) => { try { return act(localStorage); } catch { return null; } };
const theme = stored((storage) => storage.getItem("hatchery-theme"));
if (theme === "light" || theme === "dark") root.dataset.theme = theme;
for (const hint of document.querySelectorAll("[data-scroll-hint]")) {
  const scroller = hint.previousElementSibling;
  const update = () => { hint.hidden = scroller.scrollWidth <= scroller.clientWidth + 1; };
  new ResizeObserver(update).observe(scroller);
  update();
}
for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    // A page that is a file may not be allowed to write to the clipboard: then it is selected.
    getSelection().selectAllChildren(source);
    let isCopied = false;
    try {
      await navigator.clipboard.writeText(source.textContent);
      isCopied = true;
    } catch {
      isCopied = document.execCommand("copy");
    }
    button.textContent = isCopied ? "copied" : "selected: copy it";
  });
}
for (const button of document.querySelectorAll("[data-theme-toggle]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : prefersDark;
    root.dataset.theme = isDark ? "light" : "dark";
    stored((storage) => storage.setItem("hatchery-theme", root.dataset.theme));
  });
}
