// The card in a frame of the vault's own origin (docs/rails-and-acquirers.md). The page asks for a
// token and learns nothing else about the card: the browser keeps the frame's content from this
// script. A message counts only if this frame's window sent it from the vault's origin and it has a
// known form.

import { ANSWER_WITHIN_MS, newKey, pause } from "./asking.js";
import { byId, form, getInput } from "./page.js";

const VERSION = 1;
const ID = "card-frame";
const HEIGHT_AT_MOST_PX = 800;
const MESSAGE_AT_MOST = 200;
/** Visible ASCII, not digits alone: a card's number is no token, even if a vault sends it. */
const TOKEN = /^(?=.*[^\d -])[\x21-\x7e]{8,256}$/;

/**
 * @typedef {{ token: string } | { message: string }} Kept the card's token, or the reason why there
 *   is none
 * @typedef {{ id: string, tell: (kept: Kept) => void }} Question
 */

/** Whether the card is typed into a vault's frame. */
export const hasFrame = frame() !== null;
const vaultOrigin = hasFrame ? new URL(fieldUrl()).origin : "";

/** @type {Question | null} */
let question = null;
/** @type {() => void} */
let tellReady;
/** @type {Promise<void>} */
let ready;

/** @param {() => void} submit called on Enter in a field of the frame */
export function startFrame(submit) {
  if (!hasFrame) return;
  addEventListener("message", ({ source, origin, data }) => {
    if (source === null || source !== frame()?.contentWindow || origin !== vaultOrigin) return;
    if (data?.version === VERSION) hear(data, submit);
  });
  load();
}

/** Loads the field only once the page listens, so that its first message is not lost. */
function load() {
  ready = new Promise((resolve) => {
    tellReady = resolve;
  });
  const empty = frame();
  if (empty) empty.src = fieldUrl();
}

/**
 * @param {any} data from the vault, in any form
 * @param {() => void} submit
 */
function hear({ type, id, token, message, height }, submit) {
  if (type === "payrail.ready") tellReady();
  if (type === "payrail.submit") submit();
  if (type === "payrail.size" && height > 0 && height <= HEIGHT_AT_MOST_PX) {
    frame()?.style.setProperty("height", `${Number(height)}px`);
  }
  if (question === null || id !== question.id) return;
  const isText = typeof message === "string" && message.length <= MESSAGE_AT_MOST;
  if (type === "payrail.error" && isText) question.tell({ message });
  if (type === "payrail.token" && typeof token === "string" && TOKEN.test(token)) {
    question.tell({ token });
  }
}

/**
 * Asks the vault for a token of the card that the customer has filled in.
 * @returns {Promise<Kept | null>} null without an answer
 */
export async function tokenize() {
  const id = newKey();
  /** @type {Promise<Kept>} */
  const kept = new Promise((tell) => {
    question = { id, tell };
  });
  const asked = ready.then(() => {
    const postcode = byId("postcode") && getInput("postcode").value.trim();
    const asks = { type: "payrail.tokenize", version: VERSION, id, ...(postcode && { postcode }) };
    frame()?.contentWindow?.postMessage(asks, vaultOrigin);
    return kept;
  });
  const answer = await Promise.race([asked, pause(ANSWER_WITHIN_MS)]);
  question = null;
  return answer ?? null;
}

/** @param {boolean} disabled */
export function disableFrame(disabled) {
  frame()?.toggleAttribute("inert", disabled);
}

/** Loads a new frame, so that the card is gone and the browser's history is unchanged. */
export function emptyFrame() {
  const filled = frame();
  if (!filled || !form) return;
  const empty = /** @type {HTMLIFrameElement} */ (filled.cloneNode());
  empty.removeAttribute("src");
  filled.replaceWith(empty);
  load();
}

function frame() {
  return /** @type {HTMLIFrameElement | null} */ (document.getElementById(ID));
}

function fieldUrl() {
  return frame()?.dataset.src ?? "";
}
