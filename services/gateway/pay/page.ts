// The checkout page's markup: a pure function of what a customer may see of a link. What it looks like
// is in browser/checkout.css, what it does in browser/checkout.js; both are part of the page, so that it
// is one request. Inputs of the card have no names: whatever happens, no form ever sends them.

import type { Result } from "../../../shared/contracts.ts";
import { CURRENCIES, type Currency } from "../../../shared/money.ts";
import { coloursOf } from "./colours.ts";
import { cardFields, customerFields } from "./fields.ts";
import { html, type Markup } from "./html.ts";
import { imageOriginsOf, shownImage } from "./images.ts";

export type View = Result<"payment-links.checkout">;

/** What is served. */
export interface Page {
  title: string;
  body: Markup;
  /** The style of its own colours. */
  colours: string;
  imageOrigins: string[];
  /** Whether the script has anything to do. */
  hasScript: boolean;
}

/** A link's default name (interface 4.4), which says nothing to a customer. */
const NAMELESS = "page";
/** More items fold away, so that the form is not far. */
const ITEMS_UNFOLDED = 3;

/** Where card details go, from the page. */
export interface Vault {
  path: string;
  /** Whether no card is really charged. */
  isTest: boolean;
}

/**
 * The page of a link.
 * @param vault null where no card can be taken
 */
export function checkoutPage(view: View, token: string, vault: Vault | null): Page {
  const { businessName, branding, status, checkoutType } = view;
  const imageOrigins = imageOriginsOf(view);
  const { path = "", isTest = false } = vault ?? {};
  const isPayable = status === "ACTIVE" && checkoutType !== "recurring" && vault !== null;
  const total = money(view, view.total);
  const panel = isPayable ? form(view, total, isTest) : notice(noticeOf(view));
  return {
    title: isPayable ? `Pay ${businessName}` : businessName,
    colours: coloursOf(branding),
    imageOrigins,
    // A link that has ended too: whoever comes back to it may have paid it.
    hasScript: true,
    body: html`
<main data-checkout="../../v1/checkout/${encodeURIComponent(token)}" data-vault="${path}"
  data-total="${total}" data-merchant="${businessName}">
<section class="summary" aria-labelledby="title">
${summary(view, imageOrigins, isPayable ? total : null)}
</section>
<section class="panel" aria-label="Payment">
${panel}
<div id="end" tabindex="-1" hidden></div>
</section>
</main>`,
  };
}

/** For a link that is not there. */
export function notFoundPage(): Page {
  return bare({
    title: "This payment link does not exist",
    text: "Check that the address is complete, or ask whoever sent it to you for a new one.",
  });
}

/** For when the link cannot be looked up. */
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
    colours: coloursOf({ primaryColor: null, backgroundColor: null }),
    imageOrigins: [],
    hasScript: false,
    body: html`<main class="alone"><section class="panel">${notice(said, "h1")}${more}</section></main>`,
  };
}

function notice({ title, text }: Notice, heading: "h1" | "h2" = "h2"): Markup {
  const head = heading === "h1" ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`;
  return html`<div id="notice" class="notice">${head}<p>${text}</p></div>`;
}

/** Why the link cannot be paid here. */
function noticeOf({ status, checkoutType, businessName }: View): Notice {
  switch (status) {
    case "USED":
      return {
        title: "This link has been paid",
        text: "It could be paid once, and it has been. Nothing more is charged.",
      };
    case "EXPIRED":
      return {
        title: "This link has expired",
        text: `It cannot be paid any more, and nothing more is charged. Ask ${businessName} for a new one.`,
      };
    case "DISABLED":
      return {
        title: "This link is no longer valid",
        text: `It cannot be paid any more, and nothing more is charged. Ask ${businessName} for a new one.`,
      };
    case "ACTIVE":
      return checkoutType === "recurring"
        ? {
            title: "This link is for a recurring payment",
            text: `Recurring payments cannot be set up on this page yet. Please contact ${businessName}.`,
          }
        : {
            title: "Cards cannot be taken on this page",
            text: `You have not been charged. Please ask ${businessName} how to pay.`,
          };
  }
}

/** @param total null where nothing can be paid: then only what it was about is said */
function summary(view: View, imageOrigins: string[], total: string | null): Markup {
  const { name, businessName, branding } = view;
  const logo = shownImage(branding.logo, imageOrigins);
  return html`<p class="merchant">${logo === null ? null : html`<img src="${logo}" alt="">`}<span>${businessName}</span></p>
<h1 id="title">${name === NAMELESS ? `Payment to ${businessName}` : name}</h1>
${total === null ? null : costs(view, imageOrigins, total)}`;
}

function costs(view: View, imageOrigins: string[], total: string): Markup {
  return html`<p class="total">${total}</p>
${itemList(view, imageOrigins)}
${sums(view, total)}`;
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

function sums(view: View, total: string): Markup {
  const { amount, fees } = view;
  const parts = html`<div><dt>Amount</dt><dd>${money(view, amount)}</dd></div>
<div><dt>Fees</dt><dd>${money(view, fees)}</dd></div>
`;
  return html`<dl>${parts}<div class="all"><dt>Total</dt><dd>${total}</dd></div></dl>`;
}

const TEST_NOTE = html`<p class="fine">Test mode: no card is charged. Try 4242&nbsp;4242&nbsp;4242&nbsp;4242 with any date to come and any code.</p>`;

function form(view: View, total: string, isTest: boolean): Markup {
  return html`<form method="post" novalidate>
<noscript><p class="problem">A script keeps your card details apart from the rest. Please allow scripts on this page to pay.</p></noscript>
<div id="problem" class="problem" role="alert" tabindex="-1"></div>
<fieldset disabled>
<legend>Your details</legend>
<div class="grid">${customerFields(view.fields)}</div>
</fieldset>
<fieldset disabled>
<legend>Card</legend>
<div class="grid">${cardFields()}</div>
</fieldset>
<button disabled>Pay ${total}</button>
<p id="progress" class="progress" role="status"></p>
<p class="fine">Your card details go straight to a card vault. ${view.businessName} never sees them.</p>
${isTest ? TEST_NOTE : null}
</form>`;
}

/** Making one takes longer than all that they say on a page. */
const MONEY = Object.fromEntries(
  CURRENCIES.map((currency) => [
    currency,
    new Intl.NumberFormat("en", { style: "currency", currency }),
  ]),
) as Record<Currency, Intl.NumberFormat>;
const NUMBERS = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** A decimal string as a price in the link's currency; never through a float. */
function money({ currency }: View, decimal: string): string {
  return MONEY[currency].format(decimal as `${number}`);
}
