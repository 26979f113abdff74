/**
 * What a host page loads: `window.roundtab` and the element `<roundtab-widget>`. A classic script, because a module script
 * from another origin would need headers that a static host does not send.
 */
import { Connection } from "./widget/connection.js";
import { defineElement } from "./widget/element.js";
import { trainingApi } from "./widget/training.js";

const script = /** @type {HTMLScriptElement} */ (document.currentScript);

/** The page may have no element of its own; then the frame works unseen. */
function ensureElement() {
  if (!document.querySelector("roundtab-widget")) {
    const element = document.createElement("roundtab-widget");
    element.hidden = true;
    document.body.append(element);
  }
}
/** @param {boolean} shown */
function show(shown) {
  const element = /** @type {HTMLElement | null} */ (document.querySelector("roundtab-widget"));
  if (element) element.hidden = !shown;
}

function install() {
  const connection = new Connection(new URL("widget/frame.html", script.src));
  defineElement(connection);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", ensureElement);
  else ensureElement();
  Object.defineProperty(window, "roundtab", {
    value: Object.freeze({
      /** Settles once it is known whether the Training API may be used: `{training: {ready, reason?, action?}}`. */
      ready: connection.settled().then((training) => ({ training })),
      training: trainingApi(connection),
      /** Show the widget's panel. */
      open: () => show(true),
      /** Hide the widget's panel; what runs goes on. */
      close: () => show(false),
    }),
  });
}

if (!("roundtab" in window)) install(); // a page may load the script twice
