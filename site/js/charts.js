/**
 * Draws `[data-chart]` elements with ECharts. `data-option` is the option as JSON; colours in it may be names of the
 * style sheet's tokens, `token:--rt-chart-train`, which follow the theme.
 */
import { LineChart } from "echarts/charts";
import { GridComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([LineChart, GridComponent, TooltipComponent, MarkLineComponent, MarkAreaComponent, CanvasRenderer]);

/**
 * @typedef {object} Drawn
 * @property {import("echarts/core").ECharts} chart
 * @property {string} name
 * @property {string} option
 */

/** @type {Map<HTMLElement, Drawn>} */
const drawn = new Map();
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const sizes = new ResizeObserver((entries) => {
  for (const entry of entries) if (entry.target instanceof HTMLElement) drawn.get(entry.target)?.chart.resize();
});

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });

/**
 * Draws new charts below `root`, updates changed ones, and lets go of those that left the page.
 * @param {Element} root
 */
export function sync(root) {
  for (const [element, each] of drawn) {
    if (element.isConnected) continue;
    sizes.unobserve(element);
    each.chart.dispose();
    drawn.delete(element);
  }
  for (const element of root.querySelectorAll("[data-chart]")) if (element instanceof HTMLElement) draw(element);
}

function redraw() {
  for (const [element, each] of drawn) {
    each.option = ""; // the colours changed
    draw(element);
  }
}

/** @param {HTMLElement} element */
function draw(element) {
  const { chart: name = "", option = "{}" } = element.dataset;
  let known = drawn.get(element);
  if (!known) {
    known = { chart: init(element), name, option: "" };
    drawn.set(element, known);
    sizes.observe(element);
  }
  if (known.option === option && known.name === name) return;
  const whole = known.name !== name || !known.option;
  const content = withColours(JSON.parse(option), getComputedStyle(document.documentElement));
  content.animation = !calm.matches;
  content.textStyle = { fontFamily: getComputedStyle(element).fontFamily };
  content.tooltip = { ...content.tooltip, ...tooltip() };
  known.chart.setOption(content, whole ? { notMerge: true } : { replaceMerge: ["series"] });
  known.name = name;
  known.option = option;
}

/**
 * @param {any} value
 * @param {CSSStyleDeclaration} styles
 * @returns {any}
 */
function withColours(value, styles) {
  if (typeof value === "string") return value.startsWith("token:") ? styles.getPropertyValue(value.slice(6)).trim() : value;
  if (Array.isArray(value)) return value.map((each) => withColours(each, styles));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withColours(each, styles)]));
}

/** The round and its values, built as nodes: ECharts would read a string as HTML. */
function tooltip() {
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    confine: true,
    backgroundColor: colour("--rt-surface"),
    borderColor: colour("--rt-edge"),
    textStyle: { color: colour("--rt-ink"), fontSize: 13 },
    formatter(/** @type {any[]} */ points) {
      const box = document.createElement("div");
      box.append(`round ${points[0]?.value[0]}`);
      for (const { seriesName, value } of points) {
        const line = document.createElement("div");
        line.textContent = `${seriesName} ${typeof value[1] === "number" ? value[1].toFixed(4) : "–"}`;
        box.append(line);
      }
      return box;
    },
  };
}
