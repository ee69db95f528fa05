// The list beside the row: it shows which row is open, and the arrow keys walk through it.
// Without this script its links do the same, one Tab apart.
(() => {
  const list = document.querySelector(".picklist");
  if (!list) return;
  const links = [...list.querySelectorAll("a")];
  const open = () => links.find((link) => link.hash === location.hash) ?? links[0];
  let isWalking = false;

  const mark = () => {
    for (const link of links) link.removeAttribute("aria-current");
    open().setAttribute("aria-current", "true");
  };
  mark();
  addEventListener("hashchange", () => {
    mark();
    open().scrollIntoView({ block: "nearest" });
    // Going to a part of the page takes the focus away, and the next key would go nowhere.
    if (isWalking) open().focus({ preventScroll: true });
    isWalking = false;
  });

  list.addEventListener("click", () => { isWalking = true; });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && links[links.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    isWalking = true;
    location.replace(next.hash);  // one step back leaves the list, however far one walked
    next.focus({ preventScroll: true });
  });
})();
