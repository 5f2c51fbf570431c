// What a page does by itself: tabs of one language each, buttons that copy code, the endpoint that
// the address names, and requests of the reference.

const LANGUAGE = "payrail-docs-language";

/**
 * A value that the browser keeps; null if it keeps none.
 * @param {Storage} storage @param {string} name
 */
function kept(storage, name) {
  try {
    return storage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {Storage} storage @param {string} name @param {string} value */
function keep(storage, name, value) {
  try {
    storage.setItem(name, value);
  } catch {
    // The browser keeps nothing: the next page begins anew.
  }
}

/** @type {NodeListOf<HTMLElement>} */
const groups = document.querySelectorAll(".tabs");

/** Shows one language in every group that has it. @param {string} language */
function choose(language) {
  for (const group of groups) {
    const tabs = [...group.querySelectorAll("[role=tab]")];
    if (!tabs.some(({ textContent }) => textContent === language)) continue;
    const panels = group.querySelectorAll("figure");
    for (const [i, tab] of tabs.entries()) {
      const isChosen = tab.textContent === language;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.setAttribute("tabindex", isChosen ? "0" : "-1");
      panels[i]?.toggleAttribute("hidden", !isChosen);
    }
  }
}

for (const [g, group] of groups.entries()) {
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  for (const [i, panel] of group.querySelectorAll("figure").entries()) {
    const caption = /** @type {HTMLElement} */ (panel.querySelector("figcaption"));
    const tab = document.createElement("button");
    tab.setAttribute("role", "tab");
    tab.id = `tab-${g}-${i}`;
    tab.textContent = caption.textContent;
    caption.remove();
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => {
      // The groups above change their height too, so the chosen tab stays where it is.
      const before = tab.getBoundingClientRect().top;
      choose(tab.textContent);
      window.scrollBy(0, tab.getBoundingClientRect().top - before);
      keep(localStorage, LANGUAGE, tab.textContent);
    });
    list.append(tab);
  }
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const tabs = /** @type {HTMLElement[]} */ ([...list.children]);
    const at = tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = tabs[(at + step + tabs.length) % tabs.length];
    next?.click();
    next?.focus();
  });
  group.prepend(list);
}
choose("curl");
choose(kept(localStorage, LANGUAGE) ?? "curl");

// Browsers give only pages of https and of this machine a clipboard.
for (const code of navigator.clipboard ? document.querySelectorAll("pre > code") : []) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => copy(code, button));
  code.before(button);
}

/** @param {Element} code @param {HTMLElement} button */
function copy(code, button) {
  const say = (/** @type {string} */ text) => {
    button.textContent = text;
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  };
  navigator.clipboard.writeText(code.textContent).then(
    () => say("Copied"),
    () => say("Not copied"),
  );
}

/** Unfolds the endpoint that the address names. */
function unfold() {
  const named = document.getElementById(location.hash.slice(1));
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView();
}
window.addEventListener("hashchange", unfold);
unfold();

const token = /** @type {HTMLInputElement | null} */ (document.getElementById("token"));
if (token) {
  token.value = kept(sessionStorage, "token") ?? "";
  token.addEventListener("input", () => keep(sessionStorage, "token", token.value));
}

/** Sends the request of a form of the reference. @param {HTMLFormElement} form */
async function send(form) {
  const { method = "GET", path = "", type = "" } = form.dataset;
  const query = new URLSearchParams();
  const headers = new Headers({ Prefer: "handling=strict" });
  if (token?.value) headers.set("Authorization", `Bearer ${token.value.trim()}`);
  let address = path;
  for (const { name, value, dataset } of form.querySelectorAll("input")) {
    if (value === "") continue;
    if (dataset.in === "path") address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === "query") query.set(name, value);
    else headers.set(name, value);
  }
  const body = form.querySelector("textarea")?.value;
  if (body !== undefined) headers.set("Content-Type", type);
  const answer = await fetch(query.size > 0 ? `${address}?${query}` : address, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  return `${answer.status}\n${indented(text)}`;
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const output = /** @type {HTMLElement} */ (form.querySelector("output"));
  output.parentElement?.removeAttribute("hidden");
  output.textContent = "…";
  send(form).then(
    (text) => {
      output.textContent = text;
    },
    () => {
      output.textContent = "There was no answer";
    },
  );
});
