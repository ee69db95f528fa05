// The drop zone: drop, choose or paste a file, and it goes to the free check at once.
// Without this script the same form works in two steps.
(() => {
  const drop = document.getElementById("drop");
  const form = document.getElementById("submit");
  const input = document.getElementById("file");
  const chosen = document.getElementById("chosen");
  const more = document.getElementById("chosen-more");
  const verdict = document.getElementById("verdict");
  if (!drop || !window.htmx) return;
  // Else Enter in a field would press them.
  for (const button of form.querySelectorAll(".no-js")) button.remove();

  const size = (octets) =>
    octets >= 1e6 ? `${(octets / 1e6).toFixed(1)} MB` : `${Math.ceil(octets / 1e3)} KB`;

  const refuse = (name) =>
    verdict.replaceChildren(document.getElementById(name).content.cloneNode(true));

  const look = () => {
    const file = input.files[0];
    verdict.replaceChildren();
    if (!file) return;
    drop.classList.remove("blank");
    chosen.textContent = file.name;
    more.textContent = size(file.size);
    const isSheet = /\.(xlsx?|xlsm|ods|numbers)$/i.test(file.name);
    if (isSheet || file.size > Number(drop.dataset.limit)) {
      refuse(isSheet ? "spreadsheet" : "too-large");
      input.value = "";
      return;
    }
    htmx.trigger(input, "check");
  };

  const take = (file) => {
    const files = new DataTransfer();
    files.items.add(file);
    input.files = files.files;
    look();
  };

  input.addEventListener("change", look);
  // Coming back to the page, a browser still holds the file and nothing of what was said of it.
  addEventListener("pageshow", () => {
    if (input.files.length && !verdict.childElementCount) look();
  });

  // Anywhere on the page: a file that misses the zone must not replace the page.
  for (const name of ["dragenter", "dragover"]) {
    addEventListener(name, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) drop.classList.remove("over");
  });
  addEventListener("drop", (event) => {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    drop.classList.remove("over");
    take(file);
  });

  addEventListener("paste", (event) => {
    if (event.target.closest("input:not([type=file]), textarea")) return;
    const file = event.clipboardData.files[0];
    const text = event.clipboardData.getData("text/plain");
    if (file) take(file);
    else if (text) take(new File([text], drop.dataset.pasted, { type: "text/csv" }));
  });

  // How far the file has travelled: below its name while it is checked, on the button and beside it
  // while it is submitted. In steps of ten, since a screen reader says each of them.
  form.addEventListener("htmx:xhr:progress", ({ target, detail }) => {
    if (!detail.lengthComputable) return;
    const percent = Math.floor((detail.loaded / detail.total) * 10) * 10;
    const { sending, sent } = target.dataset;
    const said = percent < 100 ? sending.replace("{percent}", percent) : sent;
    if (target === input) {
      more.textContent = said;
      return;
    }
    target.dataset.label ??= target.textContent;
    target.textContent = said;
    document.getElementById("send-said").textContent = said;
  });
  form.addEventListener("htmx:afterRequest", ({ target }) => {
    if (target === input && input.files.length) more.textContent = size(input.files[0].size);
  });

  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
    form.addEventListener(name, ({ target }) => {
      if (target === input) return refuse("failed");
      target.textContent = target.dataset.label ?? target.textContent;
      document.getElementById("send-said").textContent = target.dataset.failed;
    });
  }
})();
