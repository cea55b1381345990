// @ts-check
/**
 * Keeps a visible page up to date with one stream of events, which is closed in the
 * background. Parts come as HTML that the server has escaped; everything else is set as text.
 */

import { showBoards } from "./boards.js";
import { drawCharts, makeSortable } from "./page.js";

/** @param {string} id @returns {any} The element with this id. */
const byId = (id) => document.getElementById(id);

/** @type {EventSource|null} */
let stream = null;
let failures = 0;
/** @type {number|undefined} */
let overdue;

/** @param {string} text @param {boolean} lost */
function showConnection(text, lost) {
  const place = byId("connection");
  if (place.textContent !== text) place.textContent = text;
  place.classList.toggle("lost", lost);
}

/** @param {string} name @param {string} html Replace a part, and keep the order of its tables. */
function put(name, html) {
  const place = byId(`part-${name}`);
  if (!place) return;
  /** @type {Map<string, [number, string]>} */
  const sorted = new Map();
  const open = [...place.querySelectorAll("details")].map((each) => each.open);
  for (const table of place.querySelectorAll("table.sortable")) {
    [...table.querySelectorAll("thead th")].forEach((head, column) => {
      const order = head.getAttribute("aria-sort");
      if (order) sorted.set(table.caption?.textContent || "", [column, order]);
    });
  }
  const focused = place.contains(document.activeElement) ? document.activeElement?.id : "";
  place.innerHTML = html;
  [...place.querySelectorAll("details")].forEach((each, number) => (each.open = open[number] || false));
  for (const table of place.querySelectorAll("table.sortable")) {
    makeSortable(/** @type {HTMLTableElement} */ (table));
    const before = sorted.get(table.caption?.textContent || "");
    const button = before && table.querySelectorAll("thead th")[before[0]]?.querySelector("button");
    if (button) {
      button.click();
      if (before[1] === "ascending") button.click();
    }
  }
  if (focused) byId(focused)?.focus();
}

/** @param {MessageEvent} message */
async function update(message) {
  const problem = byId("problem");
  if (document.body.dataset.failed !== undefined) return location.reload();
  problem.hidden = true;
  const { parts, charts } = JSON.parse(message.data);
  for (const [name, html] of Object.entries(parts)) put(name, html);
  if (Object.keys(charts).length) {
    if (/** @type {any} */ (window).vegaEmbed) await drawCharts(charts);
    else if (Object.keys(charts).some((name) => byId(`chart-${name}`))) location.reload();
  }
  document.body.dataset.updates = String(Number(document.body.dataset.updates || 0) + 1);
}

/** @returns {string} The address of this page's stream, with the digest of its content. */
function address() {
  const there = new URL(location.href);
  there.hash = "";
  there.searchParams.set("seen", document.body.dataset.live || "");
  return there.href;
}

function open() {
  if (stream || document.visibilityState === "hidden") return;
  stream = new EventSource(address());
  stream.addEventListener("open", () => {
    failures = 0;
    settle();
    showConnection("live", false);
  });
  stream.addEventListener("update", (message) => void update(message));
  stream.addEventListener("boards", (message) => {
    const { boards, taken } = JSON.parse(message.data);
    showBoards(boards, taken);
  });
  stream.addEventListener("problem", (message) => {
    const place = byId("problem");
    place.textContent = JSON.parse(message.data).sentence;
    place.hidden = false;
  });
  stream.addEventListener("error", () => {
    // A stream that the server ends is opened again within a second, so wait before reporting.
    overdue ??= window.setTimeout(() => showConnection("the server does not answer", true), 2500);
    if (stream && stream.readyState === EventSource.CLOSED) {
      stream = null;
      failures += 1;
      window.setTimeout(open, Math.min(1000 * failures, 5000));
    }
  });
}

function close() {
  stream?.close();
  stream = null;
  settle();
}

/** Cancel the report of a lost connection. */
function settle() {
  window.clearTimeout(overdue);
  overdue = undefined;
}

if (document.body.dataset.live !== undefined) {
  document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
}

const onward = byId("play-on");
if (onward) {
  const address = onward.getAttribute("href");
  onward.addEventListener("click", () => {
    const ply = /-ply-(\d+)$/.exec(byId("permalink").getAttribute("href") || "");
    if (ply) onward.setAttribute("href", `${address}&ply=${ply[1]}`);
  });
}

/** Hides folded groups of bots until the checkbox shows them. */
for (const box of document.querySelectorAll("input.unfold")) {
  const groups = [...(box.closest("form")?.querySelectorAll("optgroup[data-folded]") || [])];
  const places = groups.map((group) => /** @type {HTMLSelectElement} */ (group.parentElement));
  const fold = () => {
    groups.forEach((group, number) => {
      if (/** @type {HTMLInputElement} */ (box).checked) places[number].append(group);
      else if (!group.querySelector("option:checked")) group.remove();
    });
  };
  /** @type {HTMLElement} */ (box.parentElement).hidden = false;
  box.addEventListener("change", fold);
  fold();
}
