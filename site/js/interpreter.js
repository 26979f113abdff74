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

/** @type {typeof load} */
export async function loadPyodide(options) {
  /** @type {any} Pyodide's types leave out what it holds for experimental; its version is pinned */
  const python = await load(/** @type {object} */ ({ ...options, _loadSnapshot: inflated(SNAPSHOT) }));
  delete python._api.config._loadSnapshot; // 30 MB that it would keep
  python.runPython(SEED);
  return python;
}
