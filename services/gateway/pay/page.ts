// The checkout page's markup: a pure function of the customer's view of a link. Its look is in
// browser/checkout.css, its behaviour in browser/checkout.js; both are part of the page, so that it
// is one request. Card inputs have no names, so no form can ever send them.

import { money, NUMBERS } from "./amounts.ts";
import { colourProperties } from "./colours.ts";
import { type CardEntry, form } from "./form.ts";
import { html, type Markup } from "./html.ts";
import { findImageOrigins, shownImage } from "./images.ts";
import { describeOffer } from "./plan.ts";
import type { View } from "./view.ts";

/** The parts of a served page. */
export interface Page {
  title: string;
  body: Markup;
  /** The style sheet with its own colours. */
  colours: string;
  imageOrigins: string[];
  /** The origin of the vault's frame in the page; null if it has none. */
  frameOrigin: string | null;
  /** Whether the page needs the script. */
  hasScript: boolean;
}

/** A link's default name (docs/rest-api.md, Payment links), which means nothing to a customer. */
const NAMELESS = "page";
/** More items are folded, so that the form stays near. */
const ITEMS_UNFOLDED = 3;

/**
 * The page of a link.
 * @param entry null if no card can be accepted
 */
export function checkoutPage(view: View, token: string, entry: CardEntry | null): Page {
  const { businessName, branding, status, purpose } = view;
  const open = status === "ACTIVE" ? entry : null;
  const isOpen = open !== null;
  const path = open?.kind === "inputs" ? open.path : "";
  const imageOrigins = findImageOrigins(view, isOpen && purpose !== "change_method");
  const { title, button } = PURPOSES[purpose](view);
  const panel = open ? form(view, button, open) : notice(explainStatus(view));
  return {
    title: isOpen ? title : businessName,
    colours: colourProperties(branding),
    imageOrigins,
    frameOrigin: open?.kind === "frame" ? open.origin : null,
    // Also for a link that has ended, because the customer may come back to a payment made with it.
    hasScript: true,
    body: html`
<main data-checkout="../../v1/checkout/${encodeURIComponent(token)}" data-vault="${path}"
  data-purpose="${purpose}" data-button="${button}" data-redirect="${view.redirectTo}"
  data-total="${money(view, view.total)}" data-merchant="${businessName}">
<section class="summary" aria-labelledby="title">
${summary(view, imageOrigins, isOpen)}
</section>
<section class="panel" aria-label="Payment">
${panel}
<div id="end" tabindex="-1" hidden></div>
</section>
</main>`,
  };
}

/** The customer's action on the page, for its title and its button. */
const PURPOSES: Record<View["purpose"], (view: View) => { title: string; button: string }> = {
  pay: (view) => ({
    title: `Pay ${view.businessName}`,
    button: `Pay ${money(view, view.total)}`,
  }),
  subscribe: ({ businessName }) => ({
    title: `Subscribe to ${businessName}`,
    button: "Save card and subscribe",
  }),
  change_method: ({ businessName }) => ({
    title: `Save a card for ${businessName}`,
    button: "Save card",
  }),
};

/** The page for a link that does not exist. */
export function notFoundPage(): Page {
  return bare({
    title: "This payment link does not exist",
    text: "Check that the address is complete, or ask the sender for a new one.",
  });
}

/** The page for a link that cannot be looked up now. */
export function unavailablePage(): Page {
  return bare(
    {
      title: "This page is not available right now",
      text: "Nothing has been charged. Please try again in a moment.",
    },
    html`<p><a class="action" href="">Try again</a></p>`,
  );
}

interface Notice {
  title: string;
  text: string;
}

function bare(said: Notice, more: Markup | null = null): Page {
  return {
    title: said.title,
    colours: colourProperties({ primaryColor: null, backgroundColor: null }),
    imageOrigins: [],
    frameOrigin: null,
    hasScript: false,
    body: html`<main class="alone"><section class="panel">${notice(said, "h1")}${more}</section></main>`,
  };
}

function notice({ title, text }: Notice, heading: "h1" | "h2" = "h2"): Markup {
  const head = heading === "h1" ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`;
  return html`<div id="notice" class="notice">${head}<p>${text}</p></div>`;
}

/** The reason why the link cannot be used here. */
function explainStatus({ status, purpose, businessName }: View): Notice {
  const isPay = purpose === "pay";
  const over = isPay
    ? "It cannot be paid any more, and nothing more is charged."
    : "No card is saved with it any more.";
  const text = `${over} Ask ${businessName} for a new one.`;
  switch (status) {
    case "USED":
      return USED[purpose];
    case "EXPIRED":
      return { title: "This link has expired", text };
    case "DISABLED":
      return { title: "This link is no longer valid", text };
    case "ACTIVE":
      return {
        title: "Cards cannot be taken on this page",
        text: `You have not been charged. Please ask ${businessName} how to pay.`,
      };
  }
}

const USED: Record<View["purpose"], Notice> = {
  pay: {
    title: "This link has been paid",
    text: "It could be paid once, and it has been. Nothing more is charged.",
  },
  subscribe: {
    title: "This link has been used",
    text: "It was for one subscription, and that has been set up. No other one is.",
  },
  change_method: {
    title: "This link has been used",
    text: "It was for saving one card, and that has been done.",
  },
};

/** @param isOpen whether the summary is unfolded, because the page has nothing else to show */
function summary(view: View, imageOrigins: string[], isOpen: boolean): Markup {
  const { name, businessName, branding, purpose } = view;
  const logo = shownImage(branding.logo, imageOrigins);
  const nameless = `${purpose === "pay" ? "Payment" : "Subscription"} to ${businessName}`;
  return html`<p class="merchant">${logo === null ? null : html`<img src="${logo}" alt="">`}<span>${businessName}</span></p>
<h1 id="title">${name === NAMELESS ? nameless : name}</h1>
${isOpen ? costs(view, imageOrigins) : null}`;
}

function costs(view: View, imageOrigins: string[]): Markup | null {
  const { recurring, purpose } = view;
  if (purpose === "change_method")
    return html`<p class="every">Another card for your subscription</p>`;
  const items = itemList(view, imageOrigins);
  if (!recurring) {
    const total = money(view, view.total);
    return html`<p class="total">${total}</p>
${items}
${sums([
  ["Amount", money(view, view.amount)],
  ["Fees", money(view, view.fees)],
  ["Total", total],
])}`;
  }
  const { headline, every, rows, isSummed } = describeOffer(view, recurring);
  return html`<p class="total">${headline}</p>
<p class="every">${every}</p>
${items}
${sums(rows, isSummed)}`;
}

/** @param isSummed whether the last row is the sum of the others */
function sums(rows: [name: string, value: string][], isSummed = true): Markup {
  const lines = rows.map(([name, value], i) => {
    const line = html`<dt>${name}</dt><dd>${value}</dd>`;
    const isSum = isSummed && i === rows.length - 1;
    return isSum ? html`<div class="all">${line}</div>` : html`<div>${line}</div>`;
  });
  return html`<dl>${lines}</dl>`;
}

function itemList(view: View, imageOrigins: string[]): Markup {
  const items = view.items.map((item) => itemLine(view, item, imageOrigins));
  const folded = items.slice(ITEMS_UNFOLDED);
  const more = html`<details><summary>${folded.length} more</summary><ul>${folded}</ul></details>`;
  return html`<div class="items"><ul>${items.slice(0, ITEMS_UNFOLDED)}</ul>${folded.length > 0 ? more : null}</div>`;
}

function itemLine(view: View, item: View["items"][number], imageOrigins: string[]): Markup {
  const { name, description, qty, price, imageUrl } = item;
  const image = shownImage(imageUrl, imageOrigins);
  const each = price === undefined ? null : money(view, price);
  const many = qty === undefined ? null : `${NUMBERS.format(qty)} ×`;
  const worth = [many, each].filter((part) => part !== null).join(" ");
  return html`<li>${image === null ? null : html`<img src="${image}" alt="" width="48" height="48" loading="lazy">`}<div class="text"><p>${name}</p><p class="muted">${description}</p></div>${worth === "" ? null : html`<p class="worth">${worth}</p>`}</li>`;
}
