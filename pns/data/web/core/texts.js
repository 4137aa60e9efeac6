// The texts of the page in several languages: t("key", { name: value }) is the text of a key, its
// {name} replaced. A key that a language lacks is taken from English.

import de from "../texts/de.js";
import en from "../texts/en.js";
import * as games from "../texts/games.js";

export const LANGUAGES = { en: "English", de: "Deutsch" };
const CATALOGUES = { en: { ...en, ...games.en }, de: { ...de, ...games.de } };
const KEY = "pns-language";

/** The language that was chosen, or the first of the browser's that there is. */
export const language = [localStorage.getItem(KEY), ...navigator.languages.map((l) => l.slice(0, 2)), "en"]
  .find((name) => name in CATALOGUES);
document.documentElement.lang = language;

/** Chooses a language; the page is loaded again in it. */
export function choose(name) {
  localStorage.setItem(KEY, name);
  location.reload();
}

/** The text of a key. */
export function t(key, values = {}) {
  const text = CATALOGUES[language][key] ?? CATALOGUES.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}
