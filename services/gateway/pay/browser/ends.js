// The end of a checkout: the receipt, or the notice that the payment is under way, in place of the
// form. The payment's id is kept in the address, so that a reloaded page shows that payment again
// instead of the form.

import { clearCard } from "./fields.js";
import { allowFurther, beginAnew, keepReceipt, settle } from "./memory.js";
import {
  byId,
  dateAndTime,
  done,
  element,
  form,
  isOpenLink,
  lang,
  merchant,
  money,
  purpose,
  redirect,
  say,
  total,
} from "./page.js";
import { emptyFrame } from "./vault.js";

const LEAVES_AFTER_MS = 6_000;
const TITLE = document.title;

/**
 * Shows the receipt of a payment.
 * @param {any} payment as the API answers it; a node of the previous release sends no receipt
 * @param {string} [card] its text, if the page itself has made its token
 * @param {boolean} [isBack] whether its customer has seen the outcome before, and is not sent on
 */
export function showPaid({ id, redirectTo, receipt }, card, isBack = false) {
  remember(id);
  settle(id);
  keepReceipt({ id });
  document.title = say("paidTitle", { business: merchant });
  const { amount = total, refunded = "0", paidAt, card: charged } = receipt ?? {};
  const shownCard = charged ? `${charged.brand} •••• ${charged.last4}` : card;
  const facts = [
    [say("amount"), money(amount)],
    ...(Number(refunded) > 0 ? [[say("refunded"), money(refunded)]] : []),
    [say("paidTo"), merchant],
    ...(paidAt ? [[say("date"), dateAndTime(paidAt)]] : []),
    ...(shownCard ? [[say("card"), shownCard]] : []),
    [say("reference"), id],
  ];
  const more = [...(isBack ? again("payAgain") : []), ...receiptParts()];
  showDone(say("received"), [], facts, redirectTo, isBack, more);
}

/**
 * Shows the form to a customer who means a further payment or subscription.
 * @param {import("./page.js").Key} key of the button's text
 */
function again(key) {
  if (!isOpenLink || !form) return [];
  const button = element("button", say(key), "plain");
  button.setAttribute("type", "button");
  button.addEventListener("click", () => {
    document.title = TITLE;
    history.replaceState({ ...history.state, saved: undefined }, "");
    allowFurther();
    beginAnew();
    showNoEnd();
    form?.querySelector("input")?.focus();
  });
  return [button];
}

/** The ways to keep a receipt: paper, and its own address, which is printed too. */
function receiptParts() {
  const print = element("button", say("print"), "plain");
  print.setAttribute("type", "button");
  print.addEventListener("click", () => window.print());
  const link = element("a", say("receiptLink"), "address");
  link.setAttribute("href", location.href);
  const line = element("p", "", "fine");
  line.append(link);
  return [print, line];
}

/**
 * @typedef {{ id: string, status: string, manageUrl?: string, card?: string }} Saved
 * @param {Saved} saved the answer; a reloaded page shows it again and saves no second card
 * @param {boolean} isBack
 */
export function showSaved(saved, isBack) {
  const { id, status, manageUrl, card } = saved;
  const isNew = purpose === "subscribe";
  settle(id);
  if (isNew) keepReceipt({ id, status, ...(manageUrl && { manageUrl }) });
  history.replaceState({ saved }, "");
  document.title = say(isNew ? "subscribedTitle" : "savedTitle", { business: merchant });
  const facts = [
    [say("with"), merchant],
    ...(card ? [[say("card"), card]] : []),
    [say("reference"), id],
  ];
  // The page was made before the set-up: later it tells the charges of another one.
  const ahead = isBack ? "" : done;
  if (isNew && isBack) showOffer(false);
  const says = isNew ? ahead : say(status === "past_due" ? "stillDue" : "chargedFromNow");
  const title = say(isNew ? (isBack ? "subscribedBefore" : "subscribed") : "saved");
  const more = [...manageLink(manageUrl), ...(isBack && isNew ? again("subscribeAgain") : [])];
  showDone(title, says ? [says] : [], facts, redirect, isBack, more);
}

/**
 * The way to the customer's own page of the subscription.
 * @param {string} [manageUrl]
 */
function manageLink(manageUrl = "") {
  const target = readTarget(manageUrl);
  if (!target) return [];
  target.searchParams.set("lang", lang.slice(0, 2));
  const link = element("a", say("manage"), "action plain address");
  link.setAttribute("href", target.href);
  return [link];
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
 * @param {HTMLElement[]} [more]
 */
function showDone(title, says, facts, redirectTo, isBack, more = []) {
  const target = readTarget(redirectTo);
  const link = target && element("a", say("continueTo", { host: target.host }), "action");
  if (link && target) link.setAttribute("href", target.href);
  const leaves = target && !isBack;
  const soon = leaves ? say("takenSoon", { host: target.host }) : say("mayClose");
  const tick = element("div", "✓", "mark");
  tick.setAttribute("aria-hidden", "true");
  const list = element("dl");
  for (const [name = "", value = ""] of facts) {
    const line = element("div");
    const fact = element("dd", value);
    fact.dir = "auto";
    line.append(element("dt", name), fact);
    list.append(line);
  }
  finish([
    tick,
    element("h2", title),
    ...[...says, soon].map((each) => element("p", each)),
    list,
    ...(link ? [link] : []),
    ...more,
  ]);
  if (!leaves) return;
  const timer = setTimeout(() => location.assign(target.href), LEAVES_AFTER_MS);
  // A customer who prints the receipt leaves by the link afterwards.
  addEventListener("beforeprint", () => clearTimeout(timer), { once: true });
}

/**
 * The next page, as the URL parser reads it, which is the browser's own reading.
 * @param {string | null} redirectTo
 */
function readTarget(redirectTo) {
  const target = redirectTo && URL.canParse(redirectTo) ? new URL(redirectTo) : null;
  return target && ["https:", "http:"].includes(target.protocol) ? target : null;
}

/** @param {boolean} isBack whether the page looks a payment up, of which it did not see the end */
export function showUnderWay(isBack) {
  const turning = element("div", "", "mark busy");
  const title = say(isBack ? "lookingUp" : "underWay");
  finish([turning, element("h2", title), element("p", say("underWayText"))]);
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

/** @param {boolean} isShown */
function showOffer(isShown) {
  /** @type {NodeListOf<HTMLElement>} */
  const parts = document.querySelectorAll("h1 ~ *");
  for (const each of parts) each.hidden = !isShown;
}

/** @param {string} id of the payment that a reloaded page shows */
export function remember(id) {
  history.replaceState(history.state, "", `#${id}`);
}

/** Shows the form again, for a payment that its customer has to confirm. */
export function showForm() {
  swap(false);
}

/** Shows the content before the end again, without a payment. */
export function showNoEnd() {
  swap(false);
  showOffer(true);
  history.replaceState(history.state, "", location.pathname + location.search);
}
