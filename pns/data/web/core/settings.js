// The language and the colours of the page, as chosen at its top.

import { element } from "./dom.js";
import { LANGUAGES, choose, language, t } from "./texts.js";

const KEY = "pns-theme";
const THEMES = ["system", "light", "dark"];
const SIGNS = { system: "◐", light: "☀", dark: "☾" };

function setTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const chosen = () => (THEMES.includes(localStorage.getItem(KEY)) ? localStorage.getItem(KEY) : "system");

setTheme(chosen());

/** Shows the settings in a place. */
export function showSettings(place) {
  const languages = element(
    "select", { "aria-label": t("shell.language"), change: ({ target }) => choose(target.value) },
    ...Object.entries(LANGUAGES).map(([name, title]) =>
      element("option", { value: name, lang: name, selected: name === language }, title)),
  );
  const theme = element("button", { type: "button", class: "icon" });
  const label = () => {
    const words = t(`shell.theme.${chosen()}`);
    theme.textContent = SIGNS[chosen()];
    theme.setAttribute("aria-label", words);
    theme.title = words;
  };
  theme.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length];
    localStorage.setItem(KEY, next);
    setTheme(next);
    label();
  });
  label();
  place.append(languages, theme);
}
