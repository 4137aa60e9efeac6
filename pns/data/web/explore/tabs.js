// Tabs that follow the mouse and the arrow keys.

/** Listens to the tabs in a place; `chosen(name)` is called with each that is shown. */
export function listenToTabs(place, chosen) {
  const tabs = [...place.querySelectorAll("[role=tab]")];
  const select = (tab) => {
    for (const one of tabs) {
      one.setAttribute("aria-selected", String(one === tab));
      one.tabIndex = one === tab ? 0 : -1;
      document.getElementById(one.dataset.tab).hidden = one !== tab;
    }
    chosen(tab.dataset.tab);
  };
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = tabs[(i + by + tabs.length) % tabs.length];
      select(next);
      next.focus();
    });
  }
  return { select: (name) => select(tabs.find((tab) => tab.dataset.tab === name)) };
}
