// @ts-check
/**
 * Draws the charts of a page, sorts its tables, filters and replays its games.
 * Text is never set as markup, as names and messages of bots may come from anyone.
 */

/**
 * @typedef {[number, number|null, number|null, number|null, number|null, string|null, [number, number][]]} Thought
 *   milliseconds, value for the mover (-1..1), simulations, nodes, depth in plies, proof, and the
 *   cells of the expected line
 * @typedef {{id: number, first: string, second: string, board: string, rows: number,
 *   columns: number, forbidden: [number, number]|null, opening: number, cells: [number, number][],
 *   line: [number, number][], result: string, termination: string, detail: string,
 *   offender: number|null, started: number, reason: string, thoughts: Thought[],
 *   left: number[], truth: (string|null)[][], values: (number|null)[],
 *   estimates: (number|null)[], turning: number|null, summary: string}} Game
 *   left: milliseconds of the mover's clock after each move in thoughts, empty without a clock
 */

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} id @returns {any} The element with this id. */
const byId = (id) => document.getElementById(id);

/** @param {string} id @returns {any} The JSON of a script element. */
const embedded = (id) => JSON.parse(byId(id).textContent || "null");

/**
 * @param {string} name @param {Record<string, string|number>} attributes @param {string} [text]
 * @returns {SVGElement} A new element of a drawing.
 */
export function drawn(name, attributes, text) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** @param {string} name @param {string} [text] @returns {HTMLElement} A new element with a text. */
function made(name, text) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** @param {Element} place @param {string} text Set a text, with what stands between backticks as code. */
export function showProse(place, text) {
  place.replaceChildren(...text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? made("code", part) : part)));
}

// Charts.

/** @type {Promise<void>} */
let drawing = Promise.resolve();

/** @param {Record<string, any>} specs Vega-Lite specifications by chart, drawn one after the other. */
export function drawCharts(specs) {
  drawing = drawing.then(() => drawThem(specs));
  return drawing;
}

/** Width in pixels below which names take more room than marks. */
const NARROW = 520;

/** Characters of an axis's title, and of a bot's name, that fit on a line of a narrow chart. */
const [TITLE_LINE, NAME_LINE] = [30, 20];
const [LINE_HEIGHT, IS_LONG] = [11, `length(datum.label) > ${NAME_LINE}`];
/** Vega's expression for a long name in two lines; that of a step is "ONE over OTHER". */
const NAME_IN_LINES =
  `!(${IS_LONG}) ? datum.label : indexof(datum.label, ' over ') > 0` +
  " ? [slice(datum.label, 0, indexof(datum.label, ' over ')), slice(datum.label, indexof(datum.label, ' over ') + 1)]" +
  ` : [slice(datum.label, 0, ${NAME_LINE}), slice(datum.label, ${NAME_LINE})]`;
/** Properties of an axis of names; the first of two lines stands half a line higher. */
const IN_LINES = {
  labelExpr: NAME_IN_LINES,
  labelOffset: { condition: { test: IS_LONG, value: -LINE_HEIGHT / 2 }, value: 0 },
};

/** @param {any} spec @returns {any} The specification with long names and titles wrapped, and the legend below. */
function narrowed(spec) {
  const config = spec.config || {};
  const axis = { ...config.axis, labelLimit: 130, labelFontSize: 11, labelLineHeight: LINE_HEIGHT };
  const domain = (spec.layer || [spec]).map((/** @type {any} */ each) => each.encoding?.color?.scale?.domain || []);
  const columns = domain.flat().some((/** @type {any} */ name) => String(name).length > 15) ? 1 : 2;
  const legend = { ...config.legend, labelLimit: 280 / columns - 30, orient: "bottom", columns };
  return { ...inLines(spec), config: { ...config, axis, legend } };
}

/** @param {any} part Of a specification. @returns {any} The part with titles of x axes and names wrapped. */
function inLines(part) {
  if (part.layer) return { ...part, layer: part.layer.map(inLines) };
  const { x, y } = part.encoding || {};
  const encoding = { ...part.encoding };
  if (typeof x?.title === "string") encoding.x = { ...x, title: linesOf(x.title) };
  if (y?.type === "nominal") encoding.y = { ...y, axis: { ...y.axis, ...IN_LINES } };
  return { ...part, encoding };
}

/** @param {string} title @returns {string[]} */
function linesOf(title) {
  const lines = [""];
  for (const word of title.split(" ")) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length >= TITLE_LINE) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`.trim();
  }
  return lines;
}

/** @type {Map<string, any>} Charts that are not visible. */
const folded = new Map();
document.addEventListener(
  "toggle",
  (event) => {
    if (/** @type {HTMLDetailsElement} */ (event.target).open && folded.size) void drawCharts(Object.fromEntries(folded));
  },
  true,
);

/** @param {Record<string, any>} specs */
async function drawThem(specs) {
  const embed = /** @type {any} */ (window).vegaEmbed;
  const options = { actions: false, renderer: "svg", ast: true };
  for (const [name, spec] of Object.entries(specs)) {
    const place = byId(`chart-${name}`);
    if (!place) continue;
    const isShown = place.checkVisibility();
    if (isShown) folded.delete(name);
    else folded.set(name, spec); // in closed details; drawn when they are opened
    if (isShown) await embed(place, place.clientWidth < NARROW ? narrowed(spec) : spec, options);
  }
  performance.mark("drawn");
  document.body.dataset.charts = "drawn";
}

// Tables.

/** @param {HTMLTableElement} table Make its columns sort by a click or a key on their heads. */
export function makeSortable(table) {
  const heads = [...table.querySelectorAll("thead th")];
  heads.forEach((head, place) => {
    const button = made("button", head.textContent || "");
    head.textContent = "";
    head.append(button);
    button.setAttribute("type", "button");
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows];
      rows.sort((one, other) => compare(one.cells[place], other.cells[place]) * (down ? -1 : 1));
      body.append(...rows);
    });
  });
}

/** @param {HTMLTableCellElement} one @param {HTMLTableCellElement} other @returns {number} */
function compare(one, other) {
  const [a, b] = [one.dataset.sort, other.dataset.sort];
  if (a !== undefined && b !== undefined) return Number(a) - Number(b);
  if (a !== undefined || b !== undefined) return a === undefined ? -1 : 1;
  return (one.textContent || "").localeCompare(other.textContent || "");
}

// The list of games.

/** @type {Game[]} */
const GAMES = embedded("games");
/** @type {Map<number, Game>} */
const BY_ID = new Map(GAMES.map((game) => [game.id, game]));

/** @param {Game} game @returns {string} */
function ending(game) {
  if (game.result === "draw") return "draw";
  return `${game.result === "win" ? game.first : game.second} won`;
}

function showList() {
  const body = byId("game-list").tBodies[0];
  const fields = byId("filters").elements;
  const [bot, opponent, result, end, reason] = ["bot", "opponent", "result", "ending", "reason"].map(
    (name) => fields.namedItem(name).value,
  );
  const plies = Number(fields.namedItem("plies").value) || Infinity;
  const found = GAMES.filter((game) => {
    const side = bot === "" ? -1 : game.first === bot ? 0 : game.second === bot ? 1 : null;
    if (side === null) return false;
    if (opponent !== "" && ![game.first, game.second].includes(opponent)) return false;
    if (opponent !== "" && side >= 0 && [game.first, game.second][1 - side] !== opponent) return false;
    if (result === "drawn" && game.result !== "draw") return false;
    if (result === "won" || result === "lost") {
      if (game.result === "draw") return false;
      const winner = game.result === "win" ? 0 : 1;
      if (side >= 0 && (winner === side) !== (result === "won")) return false;
    }
    if (end !== "" && game.termination !== end) return false;
    if (reason !== "" && game.reason !== reason) return false;
    return game.cells.length <= plies;
  });
  byId("count").textContent = `${found.length} of ${GAMES.length} games`;
  body.replaceChildren(
    ...found.map((game) => {
      const row = /** @type {HTMLTableRowElement} */ (made("tr"));
      const link = /** @type {HTMLAnchorElement} */ (made("a", String(game.id)));
      link.href = `#game-${game.id}-ply-${game.cells.length}`;
      const first = made("td");
      first.append(link);
      row.append(
        first,
        ...[game.first, game.second, game.board, ending(game), game.termination].map((text) =>
          made("td", text),
        ),
      );
      const length = made("td", String(game.cells.length));
      length.className = "number";
      row.append(length, made("td", game.reason));
      row.dataset.game = String(game.id);
      row.addEventListener("click", () => {
        location.hash = link.hash;
      });
      return row;
    }),
  );
}

// The viewer.

/** @type {{game: Game|null, ply: number, timer: number|null}} */
const now = { game: null, ply: 0, timer: null };
export const CELL = 40;

/** @param {Game} game @param {number} ply */
function show(game, ply) {
  const changed = now.game !== game;
  now.game = game;
  now.ply = Math.max(0, Math.min(ply, game.cells.length));
  byId("viewer").hidden = false;
  if (changed) {
    byId("viewer-title").textContent = `Game ${game.id}: ${game.first} against ${game.second} on ${game.board}`;
    const end = `${ending(game)} by ${game.termination} after ${game.cells.length} plies`;
    showProse(byId("viewer-detail"), game.detail ? `${end}: ${game.detail}` : end);
    byId("slider").max = String(game.cells.length);
    byId("name-first").textContent = `${game.first} (first)`;
    byId("name-second").textContent = `${game.second} (second)`;
    showSummary(game);
    drawPlots(game);
    for (const row of document.querySelectorAll("#game-list tbody tr")) {
      const here = /** @type {HTMLElement} */ (row).dataset.game === String(game.id);
      if (here) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }
  byId("slider").value = String(now.ply);
  byId("ply").textContent = `${now.ply} of ${game.cells.length}`;
  byId("permalink").href = `#game-${game.id}-ply-${now.ply}`;
  drawBoard(game, now.ply);
  drawFacts(game, now.ply);
  for (const mark of document.querySelectorAll(".plot .marker")) {
    const at = plotX(game, now.ply - 1);
    mark.setAttribute("x1", String(at));
    mark.setAttribute("x2", String(at));
  }
}

/** @param {Game} game Show the turning point, or from where the result is proven. */
function showSummary(game) {
  const place = byId("summary");
  place.hidden = game.summary === "";
  place.textContent = game.summary;
  byId("truth-legend").hidden = game.summary === "";
  const estimated = game.estimates.some((value) => value !== null);
  byId("estimate-mark").hidden = !game.values.includes(null);
  byId("estimate-mark").textContent = estimated ? "estimate, not proven" : "not proven";
  byId("estimate-mark").classList.toggle("estimated", estimated);
  if (game.turning === null) return;
  const link = /** @type {HTMLAnchorElement} */ (made("a", "Show it"));
  link.href = `#game-${game.id}-ply-${game.turning + 1}`;
  place.append(" ", link);
}

/** @param {Game} game Show it in place of the game with its number, at the same ply. */
export function replaceGame(game) {
  BY_ID.set(game.id, game);
  if (now.game?.id === game.id) show(game, now.ply);
}

/**
 * @typedef {{rows: number, columns: number, forbidden: [number, number]|null,
 *   cells: [number, number][], line: [number, number][]}} Stones
 *   a board with the cells of its stones in order, and of those that won
 */

/**
 * @param {Stones} game @param {number} row @param {number} column
 * @returns {[number, number]} The centre of a cell in a drawing.
 */
export const centreOf = (game, row, column) => [(column + 0.5) * CELL, (game.rows - row - 0.5) * CELL];

/** @param {Stones} game @param {number} ply @returns {SVGElement[]} The board after some plies. */
export function stonesDrawn(game, ply) {
  const [width, height] = [game.columns * CELL, game.rows * CELL];
  const parts = [drawn("rect", { width, height, rx: 8, fill: "var(--frame)" })];
  for (let row = 0; row < game.rows; row++) {
    for (let column = 0; column < game.columns; column++) {
      const [cx, cy] = centreOf(game, row, column);
      parts.push(drawn("circle", { cx, cy, r: 15, fill: "var(--card)" }));
    }
  }
  if (game.forbidden) {
    const [cx, cy] = centreOf(game, ...game.forbidden);
    const cross = `M${cx - 9} ${cy - 9}l18 18m0 -18l-18 18`;
    parts.push(drawn("path", { d: cross, stroke: "var(--ink)", "stroke-width": 4, class: "forbidden" }));
  }
  const over = ply === game.cells.length ? new Set(game.line.map(String)) : new Set();
  game.cells.slice(0, ply).forEach(([row, column], place) => {
    const [cx, cy] = centreOf(game, row, column);
    const side = place % 2;
    const fill = side ? "var(--second)" : "var(--first)";
    parts.push(drawn("circle", { cx, cy, r: 15, fill, class: "stone", "data-side": side }));
    // A square marks the second player's stones without colours.
    if (side) parts.push(drawn("rect", { x: cx - 5, y: cy - 5, width: 10, height: 10, fill: "#0006" }));
    if (place === ply - 1) {
      parts.push(drawn("circle", { cx, cy, r: 6, fill: "none", stroke: "#fff", "stroke-width": 2.5, class: "last" }));
    }
    if (over.has(String([row, column]))) {
      parts.push(drawn("circle", { cx, cy, r: 17, fill: "none", stroke: "#fff", "stroke-width": 3, class: "winning" }));
    }
  });
  return parts;
}

/** @param {Game} game @param {number} ply */
export function drawBoard(game, ply) {
  const board = byId("board");
  const [width, height] = [game.columns * CELL, game.rows * CELL];
  board.setAttribute("viewBox", `0 0 ${width} ${height + 18}`);
  const parts = stonesDrawn(game, ply);
  const thought = thoughtOf(game, ply);
  (thought ? thought[6] : []).forEach(([row, column], place) => {
    const [cx, cy] = centreOf(game, row, column);
    const side = (ply + place) % 2;
    const stroke = side ? "var(--second)" : "var(--first)";
    const pale = { cx, cy, r: 12, fill: stroke, "fill-opacity": 0.28, stroke, "stroke-dasharray": "3 3", class: "expected" };
    parts.push(drawn("circle", pale));
    const text = { x: cx, y: cy + 4, "text-anchor": "middle", "font-size": 12, fill: "var(--ink)" };
    parts.push(drawn("text", text, String(place + 1)));
  });
  for (let column = 0; column < game.columns; column++) {
    const x = (column + 0.5) * CELL;
    const text = { x, y: height + 14, "text-anchor": "middle", "font-size": 11, fill: "var(--soft)" };
    parts.push(drawn("text", text, String(column)));
  }
  board.replaceChildren(...parts);
  const last = ply ? `${mover(game, ply)} played column ${game.cells[ply - 1][1]}` : "the empty board";
  byId("board-text").textContent = `Ply ${ply} of ${game.cells.length}: ${last}`;
}

/** @param {Game} game @param {number} ply @returns {string} The name of the side that made this ply. */
const mover = (game, ply) => ((ply - 1) % 2 ? game.second : game.first);

/** @param {Game} game @param {number} ply @returns {Thought|undefined} */
const thoughtOf = (game, ply) => (ply > game.opening ? game.thoughts[ply - 1 - game.opening] : undefined);

/** @param {string} proven @returns {string} A proof such as ``win 5`` in words. */
export function provenWords(proven) {
  const [result, distance] = proven.split(" ");
  if (distance === undefined) return result;
  return `${result} in ${distance} ${distance === "1" ? "ply" : "plies"}`;
}

/** @param {(string|null)[]} truth @returns {[string, number[]][]} The columns of each known value, the best first. */
function byValue(truth) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  truth.forEach((value, column) => value !== null && found.set(value, [...(found.get(value) || []), column]));
  /** @param {string} value @returns {number} Quick wins first, quick losses last. */
  const rank = (value) => {
    const [result, distance] = value.split(" ");
    return result === "win" ? -1000 + Number(distance) : result === "draw" ? 0 : 1000 - Number(distance);
  };
  return [...found].sort(([one], [other]) => rank(one) - rank(other));
}

/** @param {Game} game @param {number} ply */
function drawFacts(game, ply) {
  /** @type {[string, string][]} */
  const facts = [];
  if (ply) facts.push(["ply", String(ply)], ["moved", mover(game, ply)], ["column", String(game.cells[ply - 1][1])]);
  if (ply && ply <= game.opening) facts.push(["opening", "drawn at random"]);
  const thought = thoughtOf(game, ply);
  if (thought) facts.push(...thoughtFacts(thought));
  const left = game.left[ply - 1 - game.opening];
  if (left !== undefined) facts.push(["clock left", `${Math.round(left).toLocaleString("en")} ms`]);
  const place = ply - 1 - game.opening;
  const truth = ply > game.opening ? game.truth[place] : null;
  if (truth) {
    const estimate = game.estimates[place];
    if (estimate !== null) facts.push(["estimate, not proven", signed((ply - 1) % 2 ? -estimate : estimate)]);
    for (const [value, columns] of byValue(truth)) {
      facts.push([provenWords(value), `column${columns.length > 1 ? "s" : ""} ${columns.join(" ")}`]);
    }
  }
  if (game.turning !== null && ply === game.turning + 1) facts.push(["mistake", "the turning point"]);
  showFacts(facts);
}

/** @param {Thought} thought @returns {[string, string][]} What a bot reported about a move. */
export function thoughtFacts([time, value, simulations, nodes, depth, proven, line]) {
  /** @type {[string, string][]} */
  const facts = [["time", `${time.toLocaleString("en")} ms`]];
  if (value !== null) facts.push(["value", signed(value)]);
  if (simulations !== null) facts.push(["simulations", simulations.toLocaleString("en")]);
  if (nodes !== null) facts.push(["nodes", nodes.toLocaleString("en")]);
  if (depth !== null) facts.push(["depth", String(depth)]);
  if (line.length) facts.push(["expected columns", line.map(([, column]) => column).join(" ")]);
  if (proven !== null) facts.push(["proven", provenWords(proven)]);
  return facts;
}

/** @param {[string, string][]} facts Labels and values to show beside the board. */
export function showFacts(facts) {
  byId("facts").replaceChildren(
    ...facts.map(([name, value]) => {
      const both = made("div");
      both.append(made("dt", name), made("dd", value));
      return both;
    }),
  );
}

/** @param {number} value @returns {string} */
const signed = (value) => (value > 0 ? "+" : "") + value.toFixed(2);

const PLOT = { width: 460, height: 110, tall: 170, left: 42, right: 6, top: 8, bottom: 16 };

/** @param {Game} game @param {number} place @returns {number} The x of a ply, counted from 0. */
function plotX(game, place) {
  const inner = PLOT.width - PLOT.left - PLOT.right;
  return PLOT.left + (inner * (place + 0.5)) / Math.max(game.cells.length, 1);
}

/** @param {Game} game Draw values, time and work over the plies, one mark a move. */
function drawPlots(game) {
  /** @param {Thought} thought @returns {number|null} Simulations, or nodes without them. */
  const workOf = ([, , simulations, nodes]) => simulations ?? nodes;
  const works = game.thoughts.map((thought) => workOf(thought) || 0);
  PLOT.width = byId("values").clientWidth || PLOT.width; // so that text has the same size everywhere
  byId("values-title").textContent = `Value: +1 is a win of ${game.first}, -1 a win of ${game.second}`;
  plot("values", game, (thought, side) => thought[1] && (side ? -thought[1] : thought[1]), -1, 1, drawTruth);
  plot("times", game, (thought) => thought[0], 0, Math.max(...game.thoughts.map((t) => t[0]), 1));
  plot("work", game, workOf, 0, Math.max(...works, 1));
}

/** @typedef {(value: number) => number} Height The y of a value. */

/**
 * @param {string} id @param {Game} game @param {(thought: Thought, side: number) => number|null} pick
 * @param {number} low @param {number} high
 * @param {(game: Game, y: Height, bottom: number) => SVGElement[]} [under] What to draw below the marks.
 */
function plot(id, game, pick, low, high, under) {
  const svg = byId(id);
  const size = under ? PLOT.tall : PLOT.height;
  svg.setAttribute("viewBox", `0 0 ${PLOT.width} ${size}`);
  const bottom = size - PLOT.bottom;
  /** @type {Height} */
  const y = (value) => PLOT.top + (bottom - PLOT.top) * (1 - (value - low) / (high - low));
  const parts = [];
  for (const tick of [low, (low + high) / 2, high]) {
    parts.push(
      drawn("line", { x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: y(tick), y2: y(tick), stroke: "var(--line)" }),
      drawn("text", { x: PLOT.left - 5, y: y(tick) + 4, "text-anchor": "end", "font-size": 11, fill: "var(--soft)" }, short(tick)),
    );
  }
  if (under) parts.push(...under(game, y, bottom));
  for (const side of [0, 1]) {
    /** @type {[number, number][]} */
    const points = [];
    game.thoughts.forEach((thought, at) => {
      const value = pick(thought, side);
      if ((game.opening + at) % 2 === side && value !== null) points.push([plotX(game, game.opening + at), y(value)]);
    });
    const stroke = side ? "var(--second-text)" : "var(--first-text)";
    parts.push(drawn("polyline", { points: points.map(String).join(" "), fill: "none", stroke, "stroke-width": 1.5 }));
    for (const [x, at] of points) {
      parts.push(
        side
          ? drawn("rect", { x: x - 2.5, y: at - 2.5, width: 5, height: 5, fill: stroke })
          : drawn("circle", { cx: x, cy: at, r: 3, fill: stroke }),
      );
    }
  }
  parts.push(drawn("line", { class: "marker", x1: 0, x2: 0, y1: PLOT.top, y2: bottom, stroke: "var(--ink)", "stroke-dasharray": "3 3" }));
  svg.replaceChildren(...parts);
}

/**
 * Draws the true value as a step line, unproven stretches shaded with estimates, and the turning point.
 * @param {Game} game @param {Height} y @param {number} bottom @returns {SVGElement[]}
 */
function drawTruth(game, y, bottom) {
  const parts = [];
  const half = (plotX(game, 1) - plotX(game, 0)) / 2;
  /** @type {[number, number][][]} The points of each unproven stretch. */
  const estimates = [];
  /** @type {SVGElement|null} */
  let area = null;
  let [line, broken] = ["", true];
  game.values.forEach((value, place) => {
    const x = plotX(game, game.opening + place);
    if (value === null) {
      if (!area || !broken) {
        area = drawn("rect", { class: "unproven", x: x - half, y: PLOT.top, height: bottom - PLOT.top, fill: "var(--cell)" });
        parts.push(area);
        estimates.push([]);
      }
      area.setAttribute("width", String(x + half - Number(area.getAttribute("x"))));
      const estimate = game.estimates[place];
      if (estimate !== null) estimates[estimates.length - 1].push([x, y(estimate)]);
    } else {
      line += broken ? `M${x - half} ${y(value)}` : `V${y(value)}`;
      line += `H${x + half}`;
    }
    broken = value === null;
  });
  for (const points of estimates) {
    const dashes = { class: "estimates", points: points.map(String).join(" "), fill: "none", stroke: "var(--ink)", "stroke-width": 1.5, "stroke-dasharray": "2 4" };
    parts.push(drawn("polyline", dashes));
    for (const [cx, cy] of points) parts.push(drawn("circle", { cx, cy, r: 2.5, fill: "var(--card)", stroke: "var(--ink)" }));
  }
  if (line) parts.push(drawn("path", { class: "true", d: line, fill: "none", stroke: "var(--ink)", "stroke-width": 3 }));
  if (game.turning !== null) {
    const x = plotX(game, game.turning);
    const edge = Math.max(PLOT.left + 20, Math.min(x, PLOT.width - PLOT.right - 20));
    parts.push(
      drawn("line", { class: "turning", x1: x, x2: x, y1: PLOT.top, y2: bottom, stroke: "var(--lost)", "stroke-width": 2 }),
      drawn("text", { x: edge, y: bottom + 13, "text-anchor": "middle", "font-size": 11, fill: "var(--lost)" }, `ply ${game.turning + 1}`),
    );
  }
  return parts;
}

/** @param {number} value @returns {string} A number in few characters. */
function short(value) {
  if (Math.abs(value) >= 1e6) return `${(value / 1e6).toFixed(1)}M`;
  if (Math.abs(value) >= 1e4) return `${Math.round(value / 1e3)}k`;
  return String(Math.round(value * 10) / 10);
}

/** @param {number} ply Go to a ply of the game that is shown. */
function go(ply) {
  if (now.game) {
    show(now.game, ply);
    history.replaceState(null, "", `#game-${now.game.id}-ply-${now.ply}`);
  }
}

function stop() {
  if (now.timer !== null) window.clearInterval(now.timer);
  now.timer = null;
  document.querySelector("[data-go=play]")?.setAttribute("aria-pressed", "false");
}

function playOrPause() {
  if (now.timer !== null) return stop();
  if (now.game && now.ply === now.game.cells.length) go(0);
  document.querySelector("[data-go=play]")?.setAttribute("aria-pressed", "true");
  now.timer = window.setInterval(() => {
    go(now.ply + 1);
    if (!now.game || now.ply === now.game.cells.length) stop();
  }, 600);
}

/** @type {Record<string, () => void>} */
const STEPS = {
  first: () => go(0),
  back: () => go(now.ply - 1),
  next: () => go(now.ply + 1),
  last: () => go(now.game ? now.game.cells.length : 0),
  play: playOrPause,
};
/** @type {Record<string, string>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };

function followHash() {
  const found = /^#game-(\d+)(?:-ply-(\d+))?$/.exec(location.hash);
  const game = found && BY_ID.get(Number(found[1]));
  if (!found || !game) return;
  stop();
  show(game, found[2] === undefined ? game.cells.length : Number(found[2]));
  if (byId("filters")) byId("viewer").scrollIntoView({ block: "nearest" }); // other pages show only this game
}

function startGames() {
  if (!byId("viewer")) return;
  if (byId("filters")) {
    byId("filters").addEventListener("input", showList);
    byId("filters").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
    showList();
  }
  for (const button of document.querySelectorAll("[data-go]")) {
    const name = /** @type {HTMLElement} */ (button).dataset.go || "";
    button.addEventListener("click", () => {
      if (name !== "play") stop();
      STEPS[name]();
    });
  }
  byId("slider").addEventListener("input", () => {
    stop();
    go(Number(byId("slider").value));
  });
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!now.game || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.id !== "slider") return;
    if (event.key === " " && /^(BUTTON|SUMMARY|A)$/.test(target.tagName)) return;
    const step = KEYS[event.key];
    if (step) {
      event.preventDefault();
      if (step !== "play") stop();
      STEPS[step]();
    }
  });
  window.addEventListener("hashchange", followHash);
  followHash();
  if (!byId("filters") && GAMES.length && !now.game) show(GAMES[0], GAMES[0].cells.length);
}

// Blocks of text to copy.

/** @param {HTMLElement} button Make it copy the text of its element. */
function makeCopying(button) {
  const block = byId(button.dataset.copy || "");
  button.addEventListener("click", async () => {
    const selection = window.getSelection();
    selection?.selectAllChildren(block);
    try {
      await navigator.clipboard.writeText(block.textContent || "");
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected: press Ctrl-C";
    }
  });
}

for (const button of document.querySelectorAll("[data-copy]")) makeCopying(/** @type {HTMLElement} */ (button));
for (const table of document.querySelectorAll("table.sortable")) makeSortable(/** @type {HTMLTableElement} */ (table));
startGames();
// Scroll again to a linked game, as the charts above it have grown.
void drawCharts(embedded("charts")).then(() => location.hash && followHash());
