// The end of a checkout: the receipt, or the notice that the payment is under way, in place of the
// form. The payment's id is kept in the address, so that a reloaded page shows that payment again
// instead of the form.

import { clearCard } from "./fields.js";
import { byId, element, form, merchant, purpose, redirect, total } from "./page.js";
import { emptyFrame } from "./vault.js";

const LEAVES_AFTER_MS = 6_000;

/**
 * @param {string} id
 * @param {string | null} redirectTo the page that the customer is sent to, unless they came back
 *   from there
 * @param {string} [card]
 * @param {boolean} [isBack]
 */
export function showPaid(id, redirectTo, card, isBack = false) {
  remember(id);
  document.title = `Paid: ${merchant}`;
  const facts = [
    ["Amount", total],
    ["Paid to", merchant],
    ...(card ? [["Card", card]] : []),
    ["Reference", id],
  ];
  showDone("Payment received", [], facts, redirectTo, isBack);
}

/**
 * @typedef {{ id: string, status: string, card?: string }} Saved
 * @param {Saved} saved the answer; a reloaded page shows it again and saves no second card
 * @param {boolean} isBack
 */
export function showSaved(saved, isBack) {
  const { id, status, card } = saved;
  history.replaceState({ saved }, "");
  const isNew = purpose === "subscribe";
  document.title = `${isNew ? "Subscribed" : "Card saved"}: ${merchant}`;
  const facts = [["With", merchant], ...(card ? [["Card", card]] : []), ["Reference", id]];
  const terms = document.querySelector("#terms p")?.textContent ?? "";
  const unpaid = "What is due could not be charged to it yet. It is tried again.";
  const says = isNew ? terms : status === "past_due" ? unpaid : "It is charged from now on.";
  const title = isNew ? "You are subscribed" : "Your card is saved";
  showDone(title, says ? [says] : [], facts, redirect, isBack);
}

/**
 * @returns {Saved | null} the card that this entry of the browser's history has saved; an address
 *   cannot claim one
 */
export function savedBefore() {
  return history.state?.saved ?? null;
}

/**
 * @param {string} title
 * @param {string[]} says
 * @param {string[][]} facts
 * @param {string | null} redirectTo
 * @param {boolean} isBack
 */
function showDone(title, says, facts, redirectTo, isBack) {
  const target = redirectTo && /^https?:/.test(redirectTo) ? new URL(redirectTo) : null;
  const link = target && element("a", `Continue to ${target.host}`, "action");
  if (link && target) link.setAttribute("href", target.href);
  const leaves = target && !isBack;
  const soon = leaves ? `You are taken to ${target.host} in a moment.` : "You may close this page.";
  const tick = element("div", "✓", "mark");
  tick.setAttribute("aria-hidden", "true");
  const list = element("dl");
  for (const [name = "", value = ""] of facts) {
    const line = element("div");
    line.append(element("dt", name), element("dd", value));
    list.append(line);
  }
  finish([
    tick,
    element("h2", title),
    ...[...says, soon].map((each) => element("p", each)),
    list,
    ...(link ? [link] : []),
  ]);
  if (leaves) setTimeout(() => location.assign(target.href), LEAVES_AFTER_MS);
}

/**
 * @param {string} id
 * @param {boolean} isBack whether the page was opened with this payment
 */
export function showUnderWay(id, isBack) {
  remember(id);
  const turning = element("div", "", "mark busy");
  const title = isBack ? "Looking up your payment" : "Your payment is being processed";
  const says =
    "This can take some minutes. You may close this page: opened again at this address, it shows how it ended.";
  finish([turning, element("h2", title), element("p", says)]);
}

/** Whether an end is shown: then the page may be left. */
export function isEnded() {
  return !byId("end").hidden;
}

/** @param {HTMLElement[]} parts of the end, shown in place of the form */
function finish(parts) {
  clearCard();
  emptyFrame();
  byId("end").replaceChildren(...parts);
  swap(true);
  byId("end").focus();
}

/** @param {boolean} isEnd whether to show the end, or the content before it */
function swap(isEnd) {
  byId("end").hidden = !isEnd;
  for (const each of [form, document.getElementById("notice")]) if (each) each.hidden = isEnd;
}

/** @param {string} id of the payment that a reloaded page shows */
function remember(id) {
  history.replaceState(null, "", `#${id}`);
}

/** Shows the content before the end again. */
export function showNoEnd() {
  swap(false);
  history.replaceState(null, "", location.pathname + location.search);
}
