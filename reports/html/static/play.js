// @ts-check
/** A game of a person against a bot: the server keeps the game, the page shows it and sends moves. */

import { CELL, centreOf, drawBoard, drawn, provenWords, showFacts, thoughtFacts } from "./page.js";
import { poll, post } from "./live.js";

/** @param {string} id @returns {any} The element with this id. */
const byId = (id) => document.getElementById(id);

/** @param {any} move @returns {string} */
function describeMove(move) {
  if (move.resigns) return `${move.name} would resign`;
  if (move.failed) return `${move.name} failed: ${move.failed}`;
  const parts = [`${move.name} would play column ${move.column}`, `${move.ms} ms`];
  if (move.value !== null) parts.push(`value ${move.value > 0 ? "+" : ""}${move.value.toFixed(2)}`);
  if (move.simulations !== null) parts.push(`${move.simulations.toLocaleString("en")} simulations`);
  if (move.nodes !== null) parts.push(`${move.nodes.toLocaleString("en")} nodes`);
  if (move.depth !== null) parts.push(`depth ${move.depth}`);
  if (move.proven !== null) parts.push(`proven ${move.proven}`);
  return parts.join(", ");
}

/** @type {HTMLFormElement} */
const form = byId("play-form");
/** The path of the game; empty before one begins. */
const path = document.querySelector("[data-play]")?.getAttribute("data-play") ? location.pathname : "";
/** @type {any} */
let state = null;
let chosen = -1;
/** Whether the finished game is stored to be analysed. */
let isAnalysing = false;
/** Milliseconds between two requests while the bot thinks, and while the person does. */
const [BUSY_MS, STILL_MS] = [150, 500];

// The form.

/** The word for which the board of the page was drawn. */
let drawnFor = "";
/** Number of boards asked for; an answer that is not the latest shows nothing. */
let boardsAsked = 0;

/** @param {number} [column] The first move. Start a game as the form says, in place of the one that is shown. */
async function begin(column) {
  const data = new FormData(form);
  /** @type {Record<string, any>} */
  const body = {};
  for (const [name, value] of data) body[name] = value;
  body.amount = Number(body.amount);
  body.save = data.has("save");
  body.replaced = path.split("/").pop();
  if (column !== undefined) body.column = column;
  if (form.dataset.game) {
    body.game = form.dataset.game;
    body.ply = Number(form.dataset.ply);
  } else if (!path && state && body.board === drawnFor) body.board = state.game.board;
  const answer = await post("/play", body);
  if (answer) location.href = answer.address;
}

/** Show the board on which the form would begin. */
async function showBeginning() {
  const data = new FormData(form);
  const asked = new URLSearchParams();
  for (const name of ["bot", "board", "side"]) if (data.has(name)) asked.set(name, String(data.get(name)));
  if (form.dataset.game) {
    asked.set("game", form.dataset.game);
    asked.set("ply", String(form.dataset.ply));
  }
  const number = ++boardsAsked;
  const answer = await fetch(`/play/board?${asked}`);
  const text = await answer.text();
  if (number !== boardsAsked) return;
  byId("refused").hidden = answer.ok;
  if (!answer.ok) {
    const page = new DOMParser().parseFromString(text, "text/html");
    byId("refused").textContent = page.querySelector(".lead")?.textContent || "";
    return;
  }
  drawnFor = String(data.get("board"));
  showBoard(JSON.parse(text));
}

// The game.

/** Start the analysis of the stored game and show its page. */
async function analyse() {
  isAnalysing = false;
  if (await post(`/games/${state.saved}/review`, {})) location.href = `/games/${state.saved}`;
  else byId("analyse").disabled = false;
}

function startGame() {
  poll(`${path}/state`, () => (state?.busy ? BUSY_MS : STILL_MS), async (answer) => {
    if (answer.ok) return show(await answer.json());
    byId("says").textContent = "The game has ended: the server was stopped or restarted.";
    for (const button of document.querySelectorAll("#columns button, #undo, #hint, #values, #end, #analyse")) {
      button.setAttribute("disabled", "");
    }
    return true;
  });
  byId("analyse").addEventListener("click", () => {
    isAnalysing = true;
    byId("analyse").disabled = true;
    if (state.saved) void analyse();
    else void post(path, { word: "analyse" });
  });
  byId("undo").addEventListener("click", () => void post(path, { word: "undo" }));
  byId("hint").addEventListener("click", () => void post(path, { word: "hint", bot: byId("adviser").value }));
  byId("values").addEventListener("click", () => void post(path, { word: "values" }));
  byId("end").addEventListener("click", () => void post(path, { word: "end" }));
}

function listen() {
  const board = byId("board");
  board.addEventListener("click", (/** @type {MouseEvent} */ event) => drop(columnAt(event)));
  board.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (state && event.pointerType === "mouse") choose(columnAt(event), true);
  });
  board.addEventListener("pointerleave", () => state && choose(chosen, false));
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!state || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      event.preventDefault();
      choose(chosen + step, true);
    } else if (event.key === "Enter" && !/^(BUTTON|A)$/.test(target.tagName)) {
      drop(chosen);
    } else if (event.key === "u" && state.can_undo) void post(path, { word: "undo" });
    else if (event.key === "h" && path && state.columns.length) byId("hint").click();
    else if (event.key === "v" && path) byId("values").click();
  });
}

/** @param {MouseEvent} event @returns {number} The column under the pointer. */
function columnAt(event) {
  const toBoard = byId("board").getScreenCTM().inverse();
  return Math.floor(new DOMPoint(event.clientX, event.clientY).matrixTransform(toBoard).x / CELL);
}

/** @param {number} column @param {boolean} [previews] Whether to show a stone where it would land. */
function choose(column, previews = false) {
  const columns = state.game.columns;
  chosen = Math.max(0, Math.min(column, columns - 1));
  const buttons = document.querySelectorAll("#columns button");
  buttons.forEach((button, number) => button.classList.toggle("chosen", number === chosen));
  document.querySelector("#board .preview")?.remove();
  if (previews && chosen in state.landings) mark(chosen, state.person ? "var(--second)" : "var(--first)", "preview");
}

/** @param {number} column Where its next stone would land. @param {string} colour @param {string} name */
function mark(column, colour, name) {
  const [cx, cy] = centreOf(state.game, state.landings[column], column);
  byId("board").append(drawn("circle", { cx, cy, r: 15, class: name, fill: colour, stroke: colour }));
}

/** @param {number} column */
function drop(column) {
  if (!state?.columns.includes(column)) return;
  if (!path) {
    void begin(column);
    return;
  }
  state.columns = [];
  state.busy = true;
  void post(path, { word: "drop", column });
}

/** @param {any} now Show a state of a game, or the beginning of one. */
function showBoard(now) {
  const first = state?.game.columns !== now.game.columns;
  state = now;
  byId("says").textContent = now.says;
  drawBoard(now.game, now.game.cells.length);
  const place = byId("columns");
  if (place.childElementCount !== now.game.columns) {
    place.style.setProperty("--columns", String(now.game.columns));
    place.replaceChildren(
      ...Array.from({ length: now.game.columns }, (_, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = String(column);
        button.addEventListener("click", () => drop(column));
        return button;
      }),
    );
  }
  [...place.children].forEach((button, column) => {
    /** @type {HTMLButtonElement} */ (button).disabled = !now.columns.includes(column);
    const isHint = now.hint?.column === column;
    button.classList.toggle("hinted", isHint);
    const value = now.values?.[column] ?? (now.values && now.columns.includes(column) ? "unknown" : "");
    showValue(button, column, value);
    button.setAttribute(
      "aria-label",
      `Drop in column ${column}${isHint ? " (the hint)" : ""}${value && `: ${provenWords(value)}`}`,
    );
  });
  byId("board").classList.toggle("playable", now.columns.length > 0);
  if (now.hint && now.hint.column in now.landings) mark(now.hint.column, "var(--hint)", "hint-mark");
  if (first) choose(Math.floor(now.game.columns / 2));
}

/** @param {any} now Show a state of the game. */
function show(now) {
  showBoard(now);
  byId("undo").disabled = !now.can_undo;
  byId("hint").disabled = !now.columns.length;
  byId("values").disabled = now.busy || now.over;
  byId("values").setAttribute("aria-pressed", String(now.shows_values));
  byId("end").disabled = now.over;
  byId("analyse").hidden = !now.ended;
  if (isAnalysing && now.saved) void analyse();
  byId("hinted").hidden = !now.hint;
  if (now.hint) byId("hinted").textContent = describeMove(now.hint);
  const shown = document.createElement(now.saved ? "a" : "code");
  shown.textContent = now.saved ? "replay it" : now.line;
  if (now.saved) shown.setAttribute("href", `/games/${now.saved}`);
  byId("saved").replaceChildren(...(now.saved ? [`Saved as game ${now.saved}: `, shown] : now.line ? [shown, " shows this game."] : []));
  facts(now);
}

/** @param {Element} button @param {number} column @param {string} value Such as "win 5", or empty. */
function showValue(button, column, value) {
  const [outcome, distance] = value.split(" ");
  const mark = document.createElement("small");
  mark.className = { win: "gained", loss: "lost" }[outcome] ?? "soft";
  mark.textContent = value === "unknown" ? "?" : [outcome, distance].filter(Boolean).join("\n");
  button.replaceChildren(String(column), ...(value ? [mark] : []));
}

/** @param {any} now Show the bot's last thought. */
function facts(now) {
  const thoughts = now.game.thoughts;
  let place = thoughts.length - 1;
  while (place >= now.start && place % 2 === now.person) place--;
  const thought = place >= now.start ? thoughts[place] : undefined;
  if (thought) showFacts([["column", String(now.moves[place])], ...thoughtFacts(thought)]);
  else showFacts([["none", "it has not moved yet"]]);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void begin();
});
listen();
if (path) startGame();
else {
  form.addEventListener("change", (event) => {
    if (/^(bot|board|side)$/.test(/** @type {HTMLInputElement} */ (event.target).name)) void showBeginning();
  });
  void showBeginning();
}
