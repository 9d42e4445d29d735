// Everything here only adds to a page that is whole without it.
"use strict";
const root = document.documentElement;
const stored = (act) => { try { return act(localStorage); } catch { return null; } };
const theme = stored((storage) => storage.getItem("hatchery-theme"));
if (theme === "light" || theme === "dark") root.dataset.theme = theme;
for (const button of document.querySelectorAll("[data-theme-toggle]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : prefersDark;
    root.dataset.theme = isDark ? "light" : "dark";
    stored((storage) => storage.setItem("hatchery-theme", root.dataset.theme));
  });
}
