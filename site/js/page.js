/** What a page's Python calls: functions over strings and DOM objects. */
export { askBeforeLeaving, copyText, download, go, listen, morph } from "./dom.js";

/** @type {Promise<typeof import("./charts.js")> | null} */
let charts = null;

/**
 * Draws the charts below `root`. ECharts is loaded with the first chart, so that pages without one start faster.
 * @param {Element} root
 */
export async function drawCharts(root) {
  if (!charts && !root.querySelector("[data-chart]")) return;
  // an address, not a name: the bundler would put the whole of ECharts into this bundle
  charts ??= import(new URL("./charts.js", import.meta.url).href);
  (await charts).sync(root);
}
