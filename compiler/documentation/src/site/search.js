"use strict";
// The search over `searchIndex`: [name, kind, link, detail, summary].
(() => {
  const root = document.documentElement.dataset.root;
  const form = document.querySelector("form");
  const input = form.querySelector("input");
  const results = document.querySelector(".results");
  const article = document.querySelector("article");
  const MOST = 60;
  const plain = (text) => text.toLowerCase().replace(/\s+/g, " ").trim();
  const entries = searchIndex.map(([name, kind, link, detail, summary]) => ({
    name, kind, link, detail, summary,
    low: plain(name), last: plain(name.split(".").pop()), type: plain(detail).replace(/\b\w+: /g, ""), text: plain(summary),
  }));
  const score = (entry, query, words) => {
    if (entry.last === query || entry.low === query) return 100;
    if (entry.last.startsWith(query)) return 80;
    if (entry.low.startsWith(query)) return 70;
    if (entry.low.includes(query)) return 60;
    if (entry.type.includes(query)) return 40;
    const all = entry.low + " " + entry.type + " " + entry.text;
    return words.every((word) => all.includes(word)) ? 20 : 0;
  };
  const element = (tag, name, text) => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.textContent = text;
    return made;
  };
  // How far the page is scrolled that the results replace.
  let place = 0;
  const show = () => {
    const query = plain(input.value);
    const wasHidden = results.hidden;
    if (wasHidden) place = window.scrollY;
    results.hidden = query === "";
    article.hidden = query !== "";
    results.replaceChildren();
    if (query === "") {
      if (!wasHidden) window.scrollTo(0, place);
      return;
    }
    const words = query.split(" ");
    const found = entries
      .map((entry) => [score(entry, query, words), entry])
      .filter(([points]) => points > 0)
      .sort(([a, one], [b, other]) => b - a || one.name.length - other.name.length || (one.name < other.name ? -1 : 1));
    results.append(element("h1", "", found.length === 0 ? `Nothing found for “${input.value}”` : `${found.length} found`));
    for (const [, entry] of found.slice(0, MOST)) {
      const link = element("a", "result", "");
      link.href = root + entry.link;
      const head = element("span", "head", "");
      head.append(element("span", "kind", entry.kind), element("code", "name", entry.name));
      if (entry.detail) head.append(element("code", "type", entry.detail));
      link.append(head, element("span", "summary", entry.summary.slice(0, 200)));
      results.append(link);
    }
    if (found.length > MOST) results.append(element("p", "", `and ${found.length - MOST} more: search for more words`));
    window.scrollTo(0, 0);
  };
  const clear = () => { input.value = ""; show(); };
  const links = () => [...results.querySelectorAll("a.result")];
  form.hidden = false;
  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    links()[0]?.click();
  });
  results.addEventListener("click", (event) => { if (event.target.closest("a")) clear(); });
  document.addEventListener("keydown", (event) => {
    const typing = document.activeElement === input;
    const at = links().indexOf(document.activeElement);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
      input.select();
    } else if (event.key === "Escape" && !results.hidden) {
      clear();
      input.blur();
    } else if (event.key === "ArrowDown" && (typing || at >= 0)) {
      event.preventDefault();
      links()[at + 1]?.focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (at === 0 ? input : links()[at - 1]).focus();
    }
  });
  const asked = new URLSearchParams(location.search).get("search");
  if (asked) { input.value = asked; }
  show();
})();
