/** What a page's Python calls: functions over strings and DOM objects. */
export { askBeforeLeaving, copyText, download, go, listen, morph } from "./dom.js";

/** Milliseconds until charts that could not be loaded are asked for again. */
const PATIENCE = 5000;

/** @type {Promise<typeof import("./charts.js")> | null} */
let charts = null;
let failures = 0;
let notBefore = 0;

/**
 * Draws the charts below `root`. ECharts is loaded with the first chart, so that pages without one start faster.
 * @param {Element} root
 */
export async function drawCharts(root) {
  if (!charts && !root.querySelector("[data-chart]")) return;
  if (!charts && performance.now() < notBefore) return;
  // an address, not a name: the bundler would put the whole of ECharts into this bundle
  const address = new URL("./charts.js", import.meta.url);
  if (failures) address.search = `again=${failures}`; // browsers may remember that the address failed
  charts ??= import(address.href);
  try {
    (await charts).sync(root);
  } catch (error) {
    console.warn("The chart cannot be drawn now.", error);
    charts = null;
    failures += 1;
    notBefore = performance.now() + PATIENCE;
  }
}
