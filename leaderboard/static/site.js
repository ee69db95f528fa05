// Small help for every page. Nothing here is needed to use the site.
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  const choose = (theme) => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    // A cookie, so that the server writes the right theme into the page and nothing flashes.
    document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax`;
    for (const button of document.querySelectorAll("[data-theme-set]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeSet === theme));
    }
  };

  // On a phone each row of a table is a card (app.css): its cells say their headings, and the roles
  // keep it a table for who hears it. The board's rows are made for that by themselves.
  const role = (name, elements) => {
    for (const element of elements) element.setAttribute("role", name);
  };
  const label = (root) => {
    for (const table of root.querySelectorAll(".scroller > .dense:not(.board)")) {
      const headings = [...table.tHead.rows[0].cells].map((cell) =>
        cell.querySelector(".vh") ? "" : cell.textContent.trim());
      role("table", [table]);
      role("rowgroup", table.querySelectorAll("thead, tbody"));
      role("row", table.rows);
      role("columnheader", table.tHead.rows[0].cells);
      for (const row of table.querySelectorAll("tbody > tr")) {
        let place = 0;
        for (const cell of row.cells) {
          const says = cell.textContent.trim() || cell.querySelector("input");
          const isOne = cell.tagName === "TD" && cell.colSpan === 1;
          if (isOne && says) cell.dataset.k = headings[place];
          cell.setAttribute("role", cell.tagName === "TD" ? "cell" : "rowheader");
          place += cell.colSpan;
        }
      }
    }
  };
  document.addEventListener("DOMContentLoaded", () => label(document));
  document.addEventListener("htmx:load", (event) => label(event.target));

  document.addEventListener("click", (event) => {
    const theme = event.target.closest("[data-theme-set]");
    if (theme) choose(theme.dataset.themeSet);
    const close = event.target.closest("[data-close]");
    if (close) close.closest(".toast").remove();
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  // A password that is typed once can be looked at.
  document.addEventListener("change", ({ target }) => {
    const password = target.form?.elements[target.dataset.reveals];
    if (password) password.type = target.checked ? "text" : "password";
  });

  // A text beside a button is copied. A page over http has no clipboard, but may copy a selection.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copies]");
    if (!button) return;
    const text = button.closest(".cli").querySelector("code");
    getSelection().selectAllChildren(text);
    let copied = document.execCommand("copy");
    if (!copied && navigator.clipboard) {
      copied = await navigator.clipboard.writeText(text.textContent).then(() => true, () => false);
    }
    if (copied) button.parentElement.querySelector("[role=status]").textContent = button.dataset.copies;
  });

  // An address that ends with #part opens that part.
  const unfold = () => {
    const part = document.querySelector("details:target");
    if (part) part.open = true;
  };
  addEventListener("DOMContentLoaded", unfold);
  addEventListener("hashchange", unfold);

  // What the server said is left goes on being counted. At its end the contest's header is asked for
  // again, by not everybody at once.
  const units = { day: 86400, hour: 3600, minute: 60, second: 1 };
  const long = (left) => {
    const parts = [];
    for (const [unit, seconds] of Object.entries(units)) {
      const n = Math.floor(left / seconds);
      left %= seconds;
      if (unit === "second" ? !parts.length : n) {
        parts.push(new Intl.NumberFormat(root.lang, { style: "unit", unit, unitDisplay: "long" }).format(n));
      }
    }
    return parts.slice(0, 2).join(" ");
  };
  const count = () => {
    for (const shown of document.querySelectorAll("[data-left]")) {
      shown.ends ??= Date.now() + shown.dataset.left * 1000;
      const left = Math.max(0, Math.ceil((shown.ends - Date.now()) / 1000));
      if (shown.textContent !== long(left)) shown.textContent = long(left);
      if (left) continue;
      shown.removeAttribute("data-left");
      const title = shown.closest(".contest")?.querySelector("h1 a");
      const header = { target: ".contest", select: ".contest", swap: "outerHTML" };
      if (title) setTimeout(() => htmx.ajax("GET", title.href, header), 1000 + Math.random() * 5000);
    }
  };
  addEventListener("DOMContentLoaded", count);
  setInterval(count, 1000);

  // One click is one request: the server would answer a second one the same, but not as fast.
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button || button.name || event.target.hasAttribute("hx-post")) return;
    setTimeout(() => { button.disabled = true; button.dataset.sent = ""; }, 0);
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const button of document.querySelectorAll("[data-sent]")) button.disabled = false;
  });
})();
