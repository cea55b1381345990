// @ts-check
/** The analysis of a stored game: the button starts it, a stream of events shows its progress. */

import { replaceGame } from "./page.js";
import { post } from "./post.js";

/** @param {string} id @returns {any} The element with this id. */
const byId = (id) => document.getElementById(id);

/** @param {string} address Show the progress of the analysis, and its result in the viewer. */
function follow(address) {
  byId("analyse").disabled = true;
  const stream = new EventSource(address);
  stream.addEventListener("review", (message) => {
    const { says, done, of, over, game } = JSON.parse(message.data);
    const bar = byId("review-progress");
    bar.hidden = over;
    bar.max = of;
    bar.value = done;
    byId("review-says").textContent = says;
    if (!over) return;
    stream.close();
    byId("analyse").disabled = false;
    if (!game) return;
    replaceGame(game);
    byId("analyse").parentElement.hidden = true;
  });
  stream.addEventListener("error", () => {
    if (stream.readyState !== EventSource.CLOSED) return;
    byId("analyse").disabled = false;
    byId("review-progress").hidden = true;
    byId("review-says").textContent = "The analysis has ended: the server was stopped or restarted.";
  });
}

const place = byId("review");
if (place) {
  const address = place.dataset.review;
  byId("analyse").addEventListener("click", async () => {
    if (await post(address, {})) follow(address);
  });
  if (place.dataset.running) follow(address);
}
