/**
 * What the views need of the DOM: patching HTML text in, one listener for everything that a person does, files to save.
 *
 * Views are text. An element says what it does by `data-action="name"` and `data-…` arguments; a form field by `name`.
 * Three more attributes are handled here alone: `data-opens="id"` opens that file input, `data-reveal` scrolls the
 * element to its first mark or current row when the value changes, `data-morph-keep` leaves an element as it is.
 */
import { Idiomorph } from "idiomorph";
import { listenForDrops } from "./drops.js";

/**
 * Makes the children of `element` what `html` says, keeping focus, selection, scroll positions and entered text. Where the
 * focused element vanishes, the heading of the section around it gets the focus.
 * @param {Element} element
 * @param {string} html
 */
export function morph(element, html) {
  const focused = document.activeElement;
  const around = focused && element.contains(focused) ? focused.closest("section[aria-labelledby]") : null;
  Idiomorph.morph(element, html, {
    morphStyle: "innerHTML",
    callbacks: {
      beforeNodeMorphed(old, fresh) {
        if (!(old instanceof Element) || !(fresh instanceof Element)) return true;
        if (old.hasAttribute("data-morph-keep")) return false;
        if (!old.hasAttribute("data-chart") || !fresh.hasAttribute("data-chart")) return true;
        for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
        return false; // what is inside belongs to ECharts
      },
      beforeAttributeUpdated(name, node) {
        if (name === "open" && node instanceof HTMLDetailsElement) return false; // the person opens and closes it
        return !(name === "value" && node === document.activeElement && holdsText(node));
      },
    },
  });
  if (around && (!focused?.isConnected || focused.matches(":disabled"))) {
    document.getElementById(around.getAttribute("aria-labelledby") ?? "")?.focus({ preventScroll: true });
  }
  for (const each of element.querySelectorAll("[data-reveal]")) reveal(each);
}

/**
 * Whether a person may be typing in `node`: then its text is newer than the state.
 * @param {Element} node
 */
function holdsText(node) {
  if (node instanceof HTMLTextAreaElement) return true;
  return node instanceof HTMLInputElement && !["checkbox", "radio", "file", "range"].includes(node.type);
}

/** What each `data-reveal` element last scrolled to. @type {WeakMap<Element, string>} */
const revealed = new WeakMap();

/**
 * Scrolls `element` to its first mark or current row, once for each value of `data-reveal`.
 * @param {Element} element
 */
function reveal(element) {
  const wanted = element.getAttribute("data-reveal") ?? "";
  if (revealed.get(element) === wanted) return;
  revealed.set(element, wanted);
  const mark = element.querySelector("mark, [data-current]");
  if (!mark) return;
  const inside = mark.getBoundingClientRect().top - element.getBoundingClientRect().top;
  element.scrollTop += inside - element.clientHeight / 3;
}

/**
 * Calls `handler` with everything that a person does below `root`: JSON text of `{type, action, name, value, checked,
 * data, paths}`, and the files that were chosen in a file input or dropped on an element with `data-drop="name"`.
 *
 * `type` is `click`, `input` (text while it is typed), `change` (choices and files), `drop` or `submit`. `paths` are
 * those of dropped files below the folder that they were dropped in; null for chosen ones, which know theirs.
 * @param {HTMLElement} root
 * @param {(event: string, files: File[]) => void} handler
 */
export function listen(root, handler) {
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault(); // the fragment is the page's route
    root.focus();
  });
  root.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const opener = event.target.closest("[data-opens]");
    if (opener) return document.getElementById(opener.getAttribute("data-opens") ?? "")?.click();
    const link = event.target.closest("a[href^='#']");
    if (link instanceof HTMLAnchorElement && !link.hash.startsWith("#/")) {
      event.preventDefault(); // the fragment is the page's route; a place on the page is not one
      return go(link.hash.slice(1));
    }
    const actor = event.target.closest("[data-action]");
    const busy = actor?.getAttribute("aria-disabled") === "true";
    if (actor && !busy && !(actor instanceof HTMLFormElement)) tell("click", actor);
  });
  root.addEventListener("keydown", (event) => {
    if (event.key !== " " || !(event.target instanceof HTMLAnchorElement) || !event.target.matches("[role=button]")) return;
    event.preventDefault(); // a link that is called a button is pressed like one
    event.target.click();
  });
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target instanceof HTMLFormElement) tell("submit", event.target);
  });
  root.addEventListener("input", (event) => {
    if (event.target instanceof Element && holdsText(event.target)) tell("input", event.target);
  });
  root.addEventListener("change", (event) => {
    if (event.target instanceof Element && !holdsText(event.target)) tell("change", event.target);
  });

  listenForDrops(root, (name, dropped) => {
    const said = { type: "drop", action: null, name, value: null, checked: null, data: {}, paths: dropped.map(([path]) => path) };
    handler(JSON.stringify(said), dropped.map(([, file]) => file));
  });

  /**
   * @param {string} type
   * @param {Element} element
   */
  function tell(type, element) {
    const field =
      element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;
    const name = element.getAttribute("name");
    const action = element.getAttribute("data-action");
    if (!action && !(field && name)) return;
    const { action: _, morphKeep: __, ...data } = element instanceof HTMLElement ? element.dataset : {};
    const isFile = element instanceof HTMLInputElement && element.type === "file";
    const said = {
      type,
      action,
      name,
      value: field && !isFile ? element.value : null,
      checked: element instanceof HTMLInputElement ? element.checked : null,
      data,
      paths: null,
    };
    const files = isFile ? [...(element.files ?? [])] : [];
    if (isFile) element.value = ""; // so that choosing the same file again is a change
    handler(JSON.stringify(said), files);
  }
}

/**
 * Moves focus and view to the element with this id, opening what hides it.
 * @param {string} id
 */
export function go(id) {
  const target = document.getElementById(id);
  if (!target) return;
  for (let outer = target.closest("details"); outer; outer = outer.parentElement?.closest("details") ?? null) {
    outer.open = true;
  }
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest" });
}

/**
 * Saves bytes as a file.
 * @param {string} name
 * @param {Uint8Array<ArrayBuffer> | ArrayBuffer} bytes
 */
export function download(name, bytes) {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser may still be reading it
}

/**
 * Puts text on the clipboard. Resolves to whether that worked.
 * @param {string} text
 * @returns {Promise<boolean>}
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** @type {((event: BeforeUnloadEvent) => void) | null} */
let guard = null;

/**
 * Whether the browser asks before this page is left.
 * @param {boolean} asks
 */
export function askBeforeLeaving(asks) {
  if (asks && !guard) {
    guard = (event) => event.preventDefault();
    addEventListener("beforeunload", guard);
  } else if (!asks && guard) {
    removeEventListener("beforeunload", guard); // a page with such a listener may not enter the back/forward cache
    guard = null;
  }
}
