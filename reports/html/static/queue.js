// @ts-check
/** The queue: signing in, the buttons of experiments, and the form with its expected cost. */

import { post } from "./post.js";

/** @param {string} id @returns {any} The element with this id. */
const byId = (id) => document.getElementById(id);

document.addEventListener("click", async (event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest("button");
  if (!button) return;
  if (button.id === "sign-out") {
    if (await post("/api/sign-out", {})) location.reload();
    return;
  }
  const { job, word, priority } = button.dataset;
  if (!job || (word === "cancel" && !confirm(`Cancel experiment ${job}?`))) return;
  button.setAttribute("disabled", "");
  await post(`/api/queue/${job}`, priority === undefined ? { word } : { word, priority: Number(priority) });
  button.removeAttribute("disabled");
});

document.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.id !== "sign-in") return;
  event.preventDefault();
  if (await post("/api/sign-in", { token: new FormData(form).get("token") })) location.reload();
});

/** @param {HTMLFormElement} form @returns {object} The experiment as the server reads it. */
function readForm(form) {
  const data = new FormData(form); // without disabled fields
  /** @type {Record<string, string>} */
  const options = {};
  const named = ["command", "bot", "bots", "against", "amount", "kind", "priority", "note"];
  for (const [name, value] of data) if (!named.includes(name)) options[name] = String(value);
  const given = (/** @type {string} */ name) => data.getAll(name).filter((value) => value !== "");
  return {
    command: data.get("command"),
    bots: [...given("bot"), ...given("bots")],
    against: given("against"),
    kind: data.get("kind"),
    amount: data.get("amount") ? Number(data.get("amount")) : null,
    options,
    priority: Number(data.get("priority") || 0),
    note: data.get("note"),
  };
}

/** @param {HTMLFormElement} form */
function startForm(form) {
  const command = /** @type {HTMLSelectElement} */ (form.elements.namedItem("command"));
  let asked = 0;
  const showFields = () => {
    for (const place of document.querySelectorAll("[data-for]")) {
      const isUsed = (place.getAttribute("data-for") || "").split(" ").includes(command.value);
      /** @type {any} */ (place).hidden = !isUsed;
      for (const field of place.querySelectorAll("input, select")) /** @type {any} */ (field).disabled = !isUsed;
      if (place instanceof HTMLOptionElement) {
        place.disabled = !isUsed;
        const list = /** @type {HTMLSelectElement} */ (place.parentElement);
        if (isUsed) list.selectedIndex = 0;
        else if (place.selected) list.selectedIndex = 1;
      }
    }
  };
  const showCost = async () => {
    const number = ++asked;
    await new Promise((done) => setTimeout(done, 250));
    if (number !== asked) return;
    const answer = await post("/api/queue/cost", readForm(form));
    if (number === asked) byId("cost").textContent = answer ? answer.sentence : "";
  };
  command.addEventListener("change", showFields);
  form.addEventListener("input", () => void showCost());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));
    button.disabled = true;
    const answer = await post("/api/queue", readForm(form));
    button.disabled = false;
    if (answer) location.href = `/queue/${answer.job}`;
  });
  showFields();
  void showCost();
}

const form = byId("queue-form");
if (form) startForm(form);

/** Parts of a page that is asked for again, as its data are not in the database. */
const refreshed = /** @type {HTMLElement|null} */ (document.querySelector("[data-refresh]"));
if (refreshed) {
  window.setInterval(async () => {
    if (document.visibilityState === "hidden") return;
    const problem = byId("problem");
    try {
      const answer = await fetch(location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const part = page.querySelector("[data-refresh]");
      if (part && part.innerHTML !== refreshed.innerHTML) refreshed.innerHTML = part.innerHTML;
      problem.hidden = part !== null;
      if (!part) problem.textContent = "The server cannot show the machines now: reload the page.";
    } catch {
      problem.hidden = false;
      problem.textContent = "The server does not answer.";
    }
  }, 4000);
}
