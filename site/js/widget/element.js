/** `<roundtab-widget>`: owns the iframe. Hidden, it works unseen; shown, it is the panel in the lower right corner. */

const DOCKED = "position:fixed;right:1rem;bottom:1rem;width:min(25rem,calc(100vw - 2rem));height:18rem;z-index:2147483000;";
const FRAME = "width:100%;height:100%;border:0;border-radius:.5rem;box-shadow:0 8px 32px rgb(0 0 0 / .2);color-scheme:auto;";

/** @param {import("./connection.js").Connection} connection */
export function defineElement(connection) {
  class RoundtabWidget extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      const root = this.attachShadow({ mode: "open" });
      const style = document.createElement("style");
      style.textContent = `:host(:not([hidden])){${DOCKED}} :host([hidden]){display:block;position:fixed;width:0;height:0;overflow:hidden} iframe{${FRAME}}`;
      const frame = document.createElement("iframe");
      frame.title = "Roundtab";
      if (this.hidden) frame.tabIndex = -1;
      connection.attach(frame);
      root.append(style, frame);
    }
  }
  customElements.define("roundtab-widget", RoundtabWidget);
}
