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

/** @param {any} field @returns {string[]} What the user has given in a field. */
function valuesOf(field) {
  if (field.multiple) return [...field.selectedOptions].map((/** @type {HTMLOptionElement} */ each) => each.value);
  if (field instanceof HTMLTextAreaElement) return field.value.split("\n");
  return field.type === "checkbox" && !field.checked ? [] : [field.value];
}

/** @param {HTMLFormElement} form @returns {object} The experiment as the server reads it. */
function readForm(form) {
  /** @type {Record<string, any>} */
  const experiment = { arguments: [], options: {} };
  for (const field of /** @type {any} */ (form.elements)) {
    if (field.disabled || !field.name) continue;
    const values = valuesOf(field).filter((each) => each.trim() !== "");
    if (["command", "note"].includes(field.name)) experiment[field.name] = field.value;
    else if (field.name === "priority") experiment.priority = Number(field.value || 0);
    else if ("argument" in field.dataset) experiment.arguments.push(...values);
    else if (values.length) experiment.options[field.name] = "list" in field.dataset ? values.join(",") : values;
  }
  return experiment;
}

/** @param {HTMLFormElement} form */
function startForm(form) {
  const command = /** @type {HTMLSelectElement} */ (form.elements.namedItem("command"));
  let asked = 0;
  const showFields = () => {
    byId("summary").textContent = command.selectedOptions[0].dataset.summary;
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-for]"))) {
      place.hidden = !(place.dataset.for || "").split(",").includes(command.value);
      for (const field of place.querySelectorAll("input, select, textarea")) /** @type {any} */ (field).disabled = place.hidden;
    }
    for (const group of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll(".group")))
      group.hidden = !group.querySelector(".field:not([hidden])");
  };
  const showCost = async () => {
    const number = ++asked;
    await new Promise((done) => setTimeout(done, 250));
    if (number !== asked) return;
    const missing = [.../** @type {any} */ (form.elements)].find((each) => !each.disabled && each.validity.valueMissing);
    if (missing) {
      byId("cost").textContent = `Give ${missing.labels[0].textContent}.`;
      return;
    }
    const answer = await post("/api/queue/cost", readForm(form));
    if (number === asked) byId("cost").textContent = answer ? answer.sentence : "";
  };
  if (window.matchMedia("(max-width:760px)").matches)
    for (const group of form.querySelectorAll("details")) group.open = false;
  command.addEventListener("change", () => {
    showFields();
    byId("refused").hidden = true;
  });
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
