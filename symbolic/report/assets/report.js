"use strict";
// The search in the table of all answers: rows that have every word, of one verdict or any.
const $ = (id) => document.getElementById(id);
const groups = [...document.querySelectorAll("#all > details")].map((group) => {
  const rows = [...group.querySelectorAll("tbody tr")];
  return {group, rows: rows.map((row) => [row, row.textContent.toLowerCase(), row.dataset.kind])};
});

function search() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = $("verdict").value;
  const asked = words.length > 0 || kind !== "";
  let [found, all] = [0, 0];
  for (const {group, rows} of groups) {
    let here = 0;
    for (const [row, text, verdict] of rows) {
      row.hidden = !(words.every((word) => text.includes(word)) && (!kind || verdict === kind));
      here += !row.hidden;
    }
    group.hidden = here === 0;
    group.open = asked && here > 0;
    found += here;
    all += rows.length;
  }
  $("found").textContent = asked ? `${found} of ${all} answers` : "";
}

// A link leads to its answer even where the search has hidden it.
function reveal() {
  const row = location.hash.length > 1 ? $(decodeURIComponent(location.hash.slice(1))) : null;
  if (!row || !row.hidden) return;
  $("search").value = $("verdict").value = "";
  search();
  row.closest("details").open = true;
  row.scrollIntoView();
}

if ($("tools")) {
  $("tools").hidden = false;
  $("search").addEventListener("input", search);
  $("verdict").addEventListener("change", search);
  window.addEventListener("hashchange", reveal);
}
