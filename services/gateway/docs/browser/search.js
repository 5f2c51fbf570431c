// The search over all pages and endpoints. The texts are fetched when the field is first used.

const MAX_FOUND = 20;
const field = /** @type {HTMLInputElement} */ (document.getElementById("search"));
const list = /** @type {HTMLElement} */ (document.getElementById("found"));
const count = /** @type {HTMLElement} */ (document.getElementById("count"));

/** @type {Promise<import("minisearch").default> | undefined} */
let index;

async function makeIndex() {
  const sections = await (await fetch("/docs/search.json")).json();
  const made = new window.MiniSearch({
    fields: ["title", "text"],
    storeFields: ["title", "page"],
    searchOptions: { boost: { title: 3 }, prefix: true, fuzzy: 0.2, combineWith: "AND" },
  });
  made.addAll(sections);
  return made;
}

async function search() {
  const asked = field.value.trim();
  index ??= makeIndex();
  const all = asked === "" ? [] : (await index).search(asked);
  // A slower answer to an earlier text is dropped.
  if (field.value.trim() !== asked) return;
  const found = all.slice(0, MAX_FOUND);
  list.replaceChildren(...found.map(toItem));
  list.hidden = found.length === 0;
  count.textContent = asked === "" ? "" : `${all.length} found`;
}

/** @param {import("minisearch").SearchResult} found */
function toItem({ id, title, page }) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = id;
  const where = document.createElement("small");
  where.textContent = page;
  link.append(title, where);
  link.addEventListener("click", close);
  item.append(link);
  return item;
}

function close() {
  list.hidden = true;
  count.textContent = "";
}

/** Searches; if the texts cannot be fetched, the next try fetches them again. */
function startSearch() {
  search().catch(() => {
    index = undefined;
    count.textContent = "The search could not be loaded";
  });
}

field.addEventListener("input", startSearch);
field.addEventListener("focus", startSearch);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  if (event.key !== "/" || event.target !== document.body) return;
  // The slash is not typed into the field.
  event.preventDefault();
  field.focus();
});
document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element && target.closest("search"))) close();
});

// On a narrow screen the list of pages and the contents begin folded.
const room = { nav: "(min-width: 52rem)", contents: "(min-width: 75rem)" };
if (!window.matchMedia(room.nav).matches) fold(".pages details");
if (!window.matchMedia(room.contents).matches) fold(".contents details");

/** @param {string} selector */
function fold(selector) {
  document.querySelector(selector)?.removeAttribute("open");
}
