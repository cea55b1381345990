// @ts-check
/**
 * Keeps a visible page up to date: it asks for its own address again and again with the ETag of what it shows, and swaps
 * the parts that have changed. Parts come as HTML that the server has escaped; everything else is set as text.
 */

import { CELL, drawCharts, drawn, makeSortable, replaceGame, showProse, stonesDrawn } from "./page.js";

/** @param {string} id @returns {any} The element with this id. */
const byId = (id) => document.getElementById(id);

/** Milliseconds between two requests for a page, and for boards in play and progress. */
const [PAGE_MS, BOARDS_MS] = [1500, 500];
/** Milliseconds without an answer after which the connection counts as lost. */
const LOST_MS = 2500;

/**
 * Asks for an address until the answer is no more wanted, but not while the page is in the background.
 * @param {string} address @param {() => number} pace Milliseconds until the next request.
 * @param {(answer: Response) => Promise<boolean|void>} use Takes each new answer; returns true to stop.
 * @param {string} [tag] The ETag of what is shown.
 */
export function poll(address, pace, use, tag = "") {
  let answered = performance.now();
  const ask = async () => {
    if (document.visibilityState !== "hidden") {
      try {
        const answer = await fetch(address, { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {} });
        answered = performance.now();
        showConnection(true);
        if (answer.status !== 304) {
          tag = answer.headers.get("ETag") || "";
          if (await use(answer)) return;
        }
      } catch {
        if (performance.now() - answered > LOST_MS) showConnection(false);
      }
    }
    window.setTimeout(ask, pace());
  };
  void ask();
}

/** @param {boolean} isThere Whether the server answers. */
function showConnection(isThere) {
  const place = byId("connection");
  const text = isThere ? "live" : "the server does not answer";
  if (place.textContent !== text) place.textContent = text;
  place.classList.toggle("lost", !isThere);
}

// Requests that change something carry the token of the server's pages.

const TOKEN = document.querySelector("meta[name=ladder-token]")?.getAttribute("content") || "";

/** @param {string} path @param {object} body @returns {Promise<any>} The answer, or null if the request was refused. */
export async function post(path, body) {
  const place = /** @type {HTMLElement} */ (document.getElementById("refused"));
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Ladder-Token": TOKEN },
      body: JSON.stringify(body),
    });
    const found = await answer.json();
    place.hidden = answer.ok;
    if (answer.ok) return found;
    showProse(place, found.error);
  } catch {
    place.hidden = false;
    place.textContent = "The server does not answer.";
  }
  return null;
}

// The parts of a page.

/** @type {Map<string, string>} The HTML of each part and chart as the server sent it. */
const sent = new Map();

/** What can have the focus. */
const CONTROLS = "a[href], button, input, select, summary";

/** @param {Element} control @returns {string} What a control is called before and after an update. */
function nameOf(control) {
  return control.id || `${control.tagName} ${control.getAttribute("href")} ${control.textContent}`;
}

/** @param {string} name @param {string} html Replace a part, and keep the order of its tables and the focus. */
function put(name, html) {
  const place = byId(name);
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
  const active = /** @type {HTMLElement} */ (document.activeElement);
  const alike = () => [...place.querySelectorAll(CONTROLS)].filter((each) => nameOf(each) === focused);
  const focused = place.contains(active) ? nameOf(active) : "";
  const number = focused ? alike().indexOf(active) : -1;
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
  alike()[number]?.focus({ preventScroll: true });
}

/** @param {Response} answer Show what has changed. */
async function update(answer) {
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const problem = byId("problem");
  problem.hidden = answer.ok;
  if (!answer.ok) {
    problem.textContent = fresh.querySelector(".lead")?.textContent || "";
    return;
  }
  if (document.body.dataset.failed !== undefined) return location.reload();
  for (const part of fresh.querySelectorAll("[id^=part-]")) {
    if (sent.get(part.id) === part.innerHTML) continue;
    sent.set(part.id, part.innerHTML);
    put(part.id, part.innerHTML);
  }
  /** @type {Record<string, any>} */
  const charts = JSON.parse(fresh.getElementById("charts")?.textContent || "{}");
  const changed = Object.entries(charts).filter(([name, spec]) => {
    const text = JSON.stringify(spec);
    const isNew = sent.get(`chart ${name}`) !== text || !byId(`chart-${name}`)?.firstChild;
    sent.set(`chart ${name}`, text);
    return isNew;
  });
  if (changed.length && !(/** @type {any} */ (window).vegaEmbed)) return location.reload();
  await drawCharts(Object.fromEntries(changed));
  document.body.dataset.updates = String(Number(document.body.dataset.updates || 0) + 1);
}

if (document.body.dataset.live !== undefined) {
  const here = location.pathname + location.search;
  poll(here, () => PAGE_MS, update, `"${document.body.dataset.live}"`);
}

// The boards in play now: a small board for each worker, with both bots, their values and clocks.

/**
 * @typedef {{name: string, link: string, value: number|null, last_ms: number, total_ms: number,
 *   budget_ms: number|null, left_ms: number|null}} Side
 *   value: of its latest move (-1..1 for itself); last_ms, total_ms: times of its latest and of all its moves;
 *   left_ms: of its clock or overage when the position was sent
 * @typedef {{worker: number, board: string, rows: number, columns: number,
 *   forbidden: [number, number]|null, cells: [number, number][], line: [number, number][],
 *   sides: [Side, Side], mover: number|null, since_ms: number, result: string|null, by: string}}
 *   InPlay
 *   since_ms: milliseconds since the worker sent it
 */

/** @type {Map<number, {card: HTMLElement, sent: string, state: InPlay, came: number}>} */
const shown = new Map();
/** @type {number|undefined} */
let ticking;

/**
 * @param {InPlay[]} states The games of all workers.
 */
function showBoards(states) {
  const place = byId("boards-shown");
  if (!place) return;
  const now = performance.now();
  const here = new Set(states.map((state) => state.worker));
  for (const [worker, { card }] of shown) {
    if (here.has(worker)) continue;
    card.remove();
    shown.delete(worker);
  }
  for (const state of states) {
    const { since_ms, ...rest } = state;
    const sent = JSON.stringify(rest);
    const before = shown.get(state.worker);
    if (before?.sent === sent) continue;
    const card = before?.card || made("article", "board-in-play");
    shown.set(state.worker, { card, sent, state, came: now - since_ms });
    fill(card, state);
    if (!before) place.append(card);
  }
  byId("boards").hidden = !states.length;
  tick();
  ticking ??= window.setInterval(tick, 250);
}

/** @param {string} name @param {string} [kind] @param {string} [text] @returns {HTMLElement} */
function made(name, kind, text) {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** @param {HTMLElement} card @param {InPlay} state */
function fill(card, state) {
  let picture = card.querySelector("svg");
  if (!picture) {
    const link = () => made("a", "name");
    for (const side of [0, 1]) {
      const line = made("p", "player");
      line.append(made("span", side ? "mark second" : "mark first"), link(), made("span", "value"), made("span", "clock"));
      card.append(line);
    }
    picture = /** @type {SVGSVGElement} */ (drawn("svg", { role: "img" }));
    card.append(picture, made("p", "soft how"));
  }
  picture.setAttribute("viewBox", `0 0 ${state.columns * CELL} ${state.rows * CELL}`);
  picture.replaceChildren(...stonesDrawn(state, state.cells.length));
  const plies = state.cells.length;
  const last = plies ? `, last in column ${state.cells[plies - 1][1]}` : "";
  picture.setAttribute("aria-label", `${state.sides[0].name} against ${state.sides[1].name}: ${plies} plies${last}`);
  state.sides.forEach((side, number) => {
    const line = /** @type {HTMLElement} */ (card.querySelectorAll(".player")[number]);
    const name = /** @type {HTMLAnchorElement} */ (line.querySelector(".name"));
    name.textContent = side.name;
    name.href = side.link;
    const value = /** @type {HTMLElement} */ (line.querySelector(".value"));
    value.textContent = side.value === null ? "" : (side.value > 0 ? "+" : "") + side.value.toFixed(2);
    value.title = "the value of its latest move, -1 to 1 for itself";
    line.classList.toggle("thinking", state.mover === number);
  });
  const how = /** @type {HTMLElement} */ (card.querySelector(".how"));
  how.textContent = `${state.board}, ${plies} plies${ending(state)}`;
}

/** @param {InPlay} state @returns {string} How the game has ended. */
function ending(state) {
  if (state.result === null) return "";
  if (state.result === "draw") return `: a draw by ${state.by}`;
  return `: ${state.sides[state.result === "win" ? 0 : 1].name} won by ${state.by}`;
}

/** @param {number} ms @returns {string} A time in words. */
function time(ms) {
  return ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/**
 * Sets the clocks. A clock of a game or an overage runs down; without one, the time of all moves grows. The time since
 * the last move belongs to the side to move.
 */
function tick() {
  const now = performance.now();
  for (const { card, state, came } of shown.values()) {
    state.sides.forEach((side, number) => {
      const clock = /** @type {HTMLElement} */ (card.querySelectorAll(".clock")[number]);
      const thinks = state.mover === number ? now - came : 0;
      const total = time(side.total_ms + thinks);
      const runs = side.left_ms !== null;
      const left = Math.max(0, (side.left_ms ?? 0) - Math.max(0, thinks - (side.budget_ms ?? 0)));
      const text = runs ? `${time(left)} left` : total;
      if (clock.textContent !== text) clock.textContent = text;
      const budget = side.budget_ms === null ? "" : ` of ${side.budget_ms} ms a move`;
      const shows = runs ? `of its clock for the game; all its moves so far took ${total}` : "all its moves so far";
      clock.title = `${shows}; the latest took ${side.last_ms.toFixed(1)} ms${budget}`;
    });
  }
  if (!shown.size) {
    window.clearInterval(ticking);
    ticking = undefined;
  }
}

if (byId("boards")) {
  const isPlaying = () => document.querySelector(".state.running") || shown.size;
  poll("/boards", () => (isPlaying() ? BOARDS_MS : PAGE_MS), async (answer) => {
    if (!answer.ok) return;
    showBoards((await answer.json()).boards);
  });
}

// The analysis of a stored game: the button starts it, and its end is polled.

/** @param {string} address Wait for the analysis, and show its result in the viewer. */
function followReview(address) {
  byId("analyse").disabled = true;
  poll(address, () => BOARDS_MS, async (answer) => {
    const { says, over, game, error } = await answer.json();
    byId("review-progress").hidden = over || !answer.ok;
    showProse(byId("review-says"), answer.ok ? says : error);
    if (answer.ok && !over) return false;
    byId("analyse").disabled = false;
    if (game) {
      replaceGame(game);
      byId("analyse").parentElement.hidden = true;
    }
    return true;
  });
}

const review = byId("review");
if (review) {
  const address = review.dataset.review;
  byId("analyse").addEventListener("click", async () => {
    if (await post(address, {})) followReview(address);
  });
  if (review.dataset.running) followReview(address);
}

// Links and forms.

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
