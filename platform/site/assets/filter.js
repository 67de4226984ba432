// SPDX-License-Identifier: Apache-2.0
// A field at the top of a page with many entries, which are rows of tables or paragraphs that begin with an anchor: shows the
// entries with its words, and the sections with such entries.
if (location.protocol === "file:") document.documentElement.classList.add("from-file");

document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector("article");
  const heading = (element) => /^H[1-6]$/.test(element.tagName);
  const anchored = (element) => element.tagName === "P" && element.firstElementChild?.matches("a[id]");
  const entries = [...article.querySelectorAll("table:not(.highlighttable) tbody tr")].map((row) => [row]);
  for (const element of article.children) {  // a paragraph, and what follows it up to the next one: a list, more text
    if (anchored(element)) entries.push([element]);
    const entry = entries[entries.length - 1];
    const before = element.previousElementSibling;
    if (entry && before && entry.includes(before) && !anchored(element) && !heading(element)) entry.push(element);
  }
  if (entries.length < 60) return;
  const texts = entries.map((entry) => entry.map((element) => element.textContent.toLowerCase()).join(" "));
  const sections = [[]];  // each from one heading to the next
  for (const element of article.children) {
    if (/^H[2-6]$/.test(element.tagName)) sections.push([]);
    sections[sections.length - 1].push(element);
  }
  const field = document.createElement("input");
  field.type = "search";
  field.className = "table-filter";
  field.placeholder = `Filter ${entries.length} entries`;
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    entries.forEach((entry, i) => {
      for (const element of entry) element.hidden = !words.every((word) => texts[i].includes(word));
    });
    const shown = entries.filter((entry) => !entry[0].hidden).map((entry) => entry[0]);
    for (const section of sections.slice(1)) {
      const show = !words.length || section.some((element) => shown.some((entry) => element.contains(entry)));
      for (const element of section) element.style.display = show ? "" : "none";
    }
  });
  article.querySelector("h1").after(field);
});
