/** What the person sees of the frame itself, when the host page shows it. Drawn from text only. */

/** @param {Partial<import("../widget/connection.js").State>} state */
export function draw(state) {
  const words = {
    starting: ["queued", "Starting", state.text ?? "", `Step ${state.step} of ${state.steps}. About 4 seconds; the first visit takes longer.`],
    ready: ["completed", "Training API ready", "This site may use training.", "Jobs, data and checkpoints stay in this browser."],
    unavailable: ["failed", "Not available", state.reason ?? "", state.action ?? ""],
  }[state.phase ?? "starting"];
  const [status, label, title, text] = words;
  const shown = /** @type {HTMLElement} */ (document.getElementById("panel"));
  const badge = /** @type {HTMLElement} */ (document.getElementById("status"));
  badge.dataset.status = status;
  badge.textContent = label;
  /** @type {HTMLElement} */ (document.getElementById("title")).textContent = title;
  /** @type {HTMLElement} */ (document.getElementById("text")).textContent = text;
  shown.hidden = false;
}
