// @ts-check
/** The boards in play now: a small board for each worker, with both bots, their values and clocks. */

import { CELL, drawn, stonesDrawn } from "./page.js";

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

/** @param {string} id @returns {any} The element with this id. */
const byId = (id) => document.getElementById(id);

/**
 * @param {InPlay[]} states The games of all workers.
 * @param {boolean} taken Whether another server receives the boards.
 */
export function showBoards(states, taken) {
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
  byId("boards").hidden = !states.length && !taken;
  byId("boards-elsewhere").hidden = !taken;
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
