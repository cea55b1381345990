// A bot for the ladder: wins when it can, blocks when it must, else stays near the middle.
// Run it as: node center_bot.js

const LINES = [[0, 1], [1, 0], [1, 1], [1, -1]];
let game = null;

function position(moves) {
  const [noRow, noColumn] = game.forbidden || [-1, -1];
  const rows = Array(game.columns).fill(0); // where a stone of each column lands
  const stones = new Map();
  if (noRow === 0) rows[noColumn] = 1; // nothing can lie on the forbidden cell
  moves.forEach((column, ply) => {
    stones.set(`${rows[column]},${column}`, ply % 2);
    rows[column] += 1;
    if (column === noColumn && rows[column] === noRow) rows[column] += 1;
  });
  return { rows, stones };
}

function connects(stones, row, column, side) {
  return LINES.some(([down, right]) => {
    let count = 1;
    for (const sign of [1, -1]) {
      let r = row + sign * down, c = column + sign * right;
      while (stones.get(`${r},${c}`) === side) {
        count += 1;
        r += sign * down;
        c += sign * right;
      }
    }
    return count >= 4;
  });
}

function choose(moves) {
  const { rows, stones } = position(moves);
  const middle = (game.columns - 1) / 2;
  const legal = [...rows.keys()].filter((c) => rows[c] < game.rows);
  legal.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  for (const side of [game.side, 1 - game.side]) {
    const column = legal.find((c) => connects(stones, rows[c], c, side));
    if (column !== undefined) return column;
  }
  return legal[0];
}

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") say({ type: "hello", name: "center", budgets: ["any"] });
  if (message.type === "new_game") { game = message; say({ type: "ready" }); }
  if (message.type === "move") say({ type: "move", column: choose(message.moves) });
  if (message.type === "quit") process.exit(0);
});
