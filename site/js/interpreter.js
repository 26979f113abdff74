/**
 * Pyodide as pages and workers of this site start it: from a snapshot of the memory of a Python that has started already.
 * PyScript imports this module in place of Pyodide's own, which lies beside it.
 */

import { loadPyodide as load } from "pyodide";

export { version } from "pyodide";

/** Made by publish/snapshot.py and gzipped there, since few static servers would; no server takes its name for an encoding. */
const SNAPSHOT = new URL("snapshot.bin", import.meta.url).href;

/** Every copy of a memory has the same random numbers before it, so each one draws a seed of its own. */
const SEED = "import random; random.seed(); del random";

/** @param {string} url */
async function inflated(url) {
  const { ok, status, body } = await fetch(url);
  if (!ok || !body) throw new Error(`The server of this page answered ${status} to the request for ${url}.`);
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

/**
 * C functions are called through one that Pyodide compiles anew at each start, where the browser can have it. The memory says
 * that there is none, for where there is none; then each call takes a detour over JavaScript and cannot wait for a promise.
 * @param {{ wasmTable: WebAssembly.Table, HEAP32: Int32Array, __PyRuntime: number, __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET: number }} module
 * @param {number} place where in the table it is, if it is there
 */
function setTrampoline({ wasmTable, HEAP32, __PyRuntime, __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET }, place) {
  const found = place < wasmTable.length ? wasmTable.get(place) : null;
  // it takes five arguments and is the first function of a module of its own, which is its name; else a package took the place
  if (found?.name !== "0" || found.length !== 5) return;
  HEAP32[(__PyRuntime + HEAP32[__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET / 4]) / 4] = place;
}

/** @type {typeof load} */
export async function loadPyodide(options) {
  const snapshot = inflated(SNAPSHOT);
  const memory = snapshot.then((bytes) => bytes.subarray(0, -4));
  /** @type {any} Pyodide's types leave out what it holds for experimental; its version is pinned */
  const python = await load(/** @type {object} */ ({ ...options, _loadSnapshot: memory }));
  delete python._api.config._loadSnapshot; // 30 MB that it would keep
  const { buffer, length } = await snapshot;
  setTrampoline(python._module, new DataView(buffer).getUint32(length - 4, true));
  python.runPython(SEED);
  return python;
}
