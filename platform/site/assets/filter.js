// SPDX-License-Identifier: Apache-2.0
// A field at the top of a page with many rows in tables: shows the rows with its words, and the sections with such rows.
document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector("article");
  const rows = [...article.querySelectorAll("table:not(.highlighttable) tbody tr")];
  if (rows.length < 60) return;
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const sections = [[]];  // each from one heading to the next
  for (const element of article.children) {
    if (/^H[2-6]$/.test(element.tagName)) sections.push([]);
    sections[sections.length - 1].push(element);
  }
  const field = document.createElement("input");
  field.type = "search";
  field.className = "table-filter";
  field.placeholder = `Filter ${rows.length} rows`;
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, i) => { row.hidden = !words.every((word) => texts[i].includes(word)); });
    for (const section of sections.slice(1)) {
      const shown = !words.length || section.some((element) => element.querySelector("tbody tr:not([hidden])"));
      for (const element of section) element.style.display = shown ? "" : "none";
    }
  });
  article.querySelector("h1").after(field);
});
