// How it ends: the receipt, or that the payment is under way, in the place of the form. The payment's id
// is kept in the address, so that a reloaded page shows it again instead of asking for money again.

import { clearCard } from "./fields.js";
import { byId, element, form, merchant, purpose, redirect, total } from "./page.js";
import { emptyFrame } from "./vault.js";

const LEAVES_AFTER_MS = 6_000;

/**
 * @param {string} id
 * @param {string | null} redirectTo where the customer is taken, unless they have come back from there
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
 * @param {Saved} saved what was answered; a reloaded page shows it again, and saves nothing anew
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

/** @returns {Saved | null} what this very entry of the history has saved; no address can say so */
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
 * @param {boolean} isBack whether the page was opened at it
 */
export function showUnderWay(id, isBack) {
  remember(id);
  const turning = element("div", "", "mark busy");
  const title = isBack ? "Looking up your payment" : "Your payment is being processed";
  const says =
    "This can take some minutes. You may close this page: opened again at this address, it shows how it ended.";
  finish([turning, element("h2", title), element("p", says)]);
}

/** Whether an end is shown: then the page may go. */
export function isEnded() {
  return !byId("end").hidden;
}

/** @param {HTMLElement[]} parts of the end, in place of the form */
function finish(parts) {
  clearCard();
  emptyFrame();
  byId("end").replaceChildren(...parts);
  swap(true);
  byId("end").focus();
}

/** @param {boolean} isEnd whether the end is shown, or what was there before */
function swap(isEnd) {
  byId("end").hidden = !isEnd;
  for (const each of [form, document.getElementById("notice")]) if (each) each.hidden = isEnd;
}

/** @param {string} id of a payment to which a reloaded page comes back */
function remember(id) {
  history.replaceState(null, "", `#${id}`);
}

/** Back to what was there before. */
export function showNoEnd() {
  swap(false);
  history.replaceState(null, "", location.pathname + location.search);
}
