// @ts-check
/** Requests that change something: they carry the token of the server's pages. */

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
    const document = await answer.json();
    place.hidden = answer.ok;
    if (answer.ok) return document;
    place.textContent = document.error;
  } catch {
    place.hidden = false;
    place.textContent = "The server does not answer.";
  }
  return null;
}
