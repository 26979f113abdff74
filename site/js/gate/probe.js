/** What Roundtab needs of the browser, tried before Python loads: without storage PyScript never boots and says nothing. */
import { unavailable } from "./admission.js";

const DATABASE_TIMEOUT = 5000;

/**
 * @returns {Promise<import("../widget/connection.js").State | null>} what is missing
 */
export async function probe() {
  const missing = [
    ["WebAssembly", "WebAssembly" in window],
    ["module workers", "Worker" in window],
    ["Web Locks", Boolean(navigator.locks)],
    ["BroadcastChannel", "BroadcastChannel" in window],
  ].filter(([, there]) => !there);
  if (missing.length) {
    const names = missing.map(([name]) => name).join(", ");
    return unavailable("browser", `This browser lacks ${names}.`, "Use a current browser, and open the page over https.");
  }
  try {
    await opened();
    await navigator.locks.query();
  } catch {
    const action = `Allow site data for ${location.origin} or leave the private window.`;
    return unavailable("storage_blocked", "This browser denies storage.", action);
  }
  return null;
}

/** @returns {Promise<void>} */
function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("roundtab-probe");
    request.onsuccess = () => {
      request.result.close();
      indexedDB.deleteDatabase("roundtab-probe");
      resolve();
    };
    request.onerror = () => reject(request.error);
    setTimeout(() => reject(new Error("IndexedDB does not answer")), DATABASE_TIMEOUT);
  });
}
