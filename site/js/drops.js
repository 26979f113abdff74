/** Files and folders that are dropped on an element with `data-drop="name"`. */

/** So many files of dropped folders are taken, and folders so deep are opened; a check of the engine says the rest. */
const MOST = 10_001;
const DEEPEST = 16;

/** A file with its path below what was dropped. @typedef {[path: string, file: File]} Dropped */

/**
 * Calls `handler` with the name of the area and the files that were dropped on it.
 * @param {HTMLElement} root
 * @param {(name: string, files: Dropped[]) => void} handler
 */
export function listenForDrops(root, handler) {
  /** @param {DragEvent} event */
  const area = (event) => (event.target instanceof Element ? event.target.closest("[data-drop]") : null);
  root.addEventListener("dragover", (event) => {
    const over = area(event);
    mark(root, over);
    if (over) event.preventDefault(); // else the browser refuses the drop
  });
  root.addEventListener("dragleave", (event) => {
    if (!(event.relatedTarget instanceof Node && area(event)?.contains(event.relatedTarget))) mark(root, null);
  });
  root.addEventListener("drop", async (event) => {
    const over = area(event);
    mark(root, null);
    if (!over || !event.dataTransfer) return;
    event.preventDefault(); // else the browser opens the file
    const name = over.getAttribute("data-drop") ?? "";
    handler(name, await read(event.dataTransfer));
  });
}

/**
 * Marks the area that is dragged over.
 * @param {HTMLElement} root
 * @param {Element | null} over
 */
function mark(root, over) {
  for (const each of root.querySelectorAll("[data-over]")) if (each !== over) each.removeAttribute("data-over");
  over?.setAttribute("data-over", "");
}

/**
 * All files that were dropped. A folder that was dropped alone is what the paths begin below.
 * @param {DataTransfer} transfer
 * @returns {Promise<Dropped[]>}
 */
async function read(transfer) {
  // before anything is awaited, for then the browser forgets what was dropped
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const [first] = entries;
  const roots = entries.length === 1 && first?.isDirectory ? await inside(first) : entries;
  /** @type {Dropped[]} */
  const found = [];
  for (const entry of roots) await collect(entry, "", DEEPEST, found);
  return found;
}

/**
 * @param {FileSystemEntry} entry
 * @param {string} folder
 * @param {number} deeper
 * @param {Dropped[]} found
 */
async function collect(entry, folder, deeper, found) {
  if (found.length >= MOST) return;
  if (entry.isDirectory) {
    if (deeper) for (const each of await inside(entry)) await collect(each, `${folder}${entry.name}/`, deeper - 1, found);
    return;
  }
  const file = await new Promise((resolve) => {
    /** @type {FileSystemFileEntry} */ (entry).file(resolve, () => resolve(null));
  });
  if (file) found.push([`${folder}${entry.name}`, file]);
}

/**
 * What a folder holds; a browser tells it in portions.
 * @param {FileSystemEntry} entry
 * @returns {Promise<FileSystemEntry[]>}
 */
async function inside(entry) {
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {FileSystemEntry[]} */
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const portion = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (!portion.length || found.length >= MOST) return found;
    found.push(...portion);
  }
}
