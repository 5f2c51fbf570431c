// The checkout page's markup: a pure function of the customer's view of a link. Its look is in
// browser/checkout.css, its behaviour in browser/checkout.js; both are part of the page, so that it
// is one request. Card inputs have no names, so no form can ever send them.

import { colourProperties } from "../../../shared/colours.ts";
import { isolate } from "./browser/direction.js";
import { type CardEntry, form } from "./form.ts";
import { html, type Markup } from "./html.ts";
import { pageIcon } from "./icon.ts";
import { findImageOrigins, shownImage } from "./images.ts";
import type { Locale } from "./locale.ts";
import { chargesAhead, describeOffer, type Row, subscribeButton } from "./plan.ts";
import type { View } from "./view.ts";

/** The parts of a served page. */
export interface PageParts {
  title: string;
  locale: Locale;
  body: Markup;
  /** The style sheet with its own colours. */
  colours: string;
  /** The URL of its icon. */
  icon: string;
  imageOrigins: string[];
  /** The origin of the vault's frame in the page; null if it has none. */
  frameOrigin: string | null;
  /** The texts of the script, as JSON; null if the page needs no script. */
  scriptTexts: string | null;
  /** Whether the browser itself sends a form of the page to this server. */
  sendsForm?: boolean;
}

/**
 * A link's default name (docs/integrate/rest-api.md, Payment links), which means nothing to a
 * customer.
 */
const NAMELESS = "page";
/** More items are folded, so that the form stays near. */
const ITEMS_UNFOLDED = 3;

/**
 * The page of a link.
 * @param entry null if no card can be accepted
 */
export function checkoutPage(
  given: View,
  token: string,
  entry: CardEntry | null,
  locale: Locale,
): PageParts {
  const { branding, currency, status, purpose } = given;
  // The name stands in sentences of the page's own language.
  const businessName = isolate(given.businessName);
  const view = { ...given, businessName };
  const open = status === "ACTIVE" ? entry : null;
  const isOpen = open !== null;
  const path = open?.kind === "inputs" ? open.path : "";
  const imageOrigins = findImageOrigins(view, isOpen && purpose !== "change_method");
  const { title, button } = PURPOSES[purpose](view, locale);
  const panel = open ? form({ view, button, entry: open, locale }) : endedNotice(view, locale);
  return {
    title: isOpen ? title : businessName,
    locale,
    colours: colourProperties(branding),
    icon: pageIcon(given.businessName, branding),
    imageOrigins,
    frameOrigin: open?.kind === "frame" ? open.origin : null,
    // Also for a link that has ended, because the customer may come back to a payment made with it.
    scriptTexts: locale.scriptTexts[purpose === "pay" ? "pay" : "save"],
    body: html`
<main data-checkout="../../v1/checkout/${encodeURIComponent(token)}" data-vault="${path}"
  data-purpose="${purpose}" data-button="${button}" data-redirect="${view.redirectTo}"
  data-total="${view.total}" data-currency="${currency}" data-merchant="${businessName}" data-done="${isOpen ? afterwards(view, locale) : ""}"${view.isOpenLink ? html` data-open` : null}>
<section class="summary" aria-labelledby="title">
${summary({ view, imageOrigins, locale }, isOpen)}
</section>
<section class="panel" aria-label="${locale.say("payment")}">
${panel}
<div id="end" tabindex="-1" hidden></div>
${contact(view, locale)}
</section>
</main>`,
  };
}

/** How the customer reaches the business, and its terms. */
export function contact({ branding }: Pick<View, "branding">, locale: Locale): Markup | null {
  const { supportEmail = null, termsUrl = null } = branding;
  if (supportEmail === null && termsUrl === null) return null;
  const address = encodeURIComponent(supportEmail ?? "").replace("%40", "@");
  const mail = html`<p>${locale.say("questions")} <a href="mailto:${address}">${supportEmail}</a></p>`;
  const terms = html`<p><a href="${termsUrl}" target="_blank" rel="noopener">${locale.say("terms")}</a></p>`;
  return html`<footer class="fine contact">${supportEmail === null ? null : mail}${termsUrl === null ? null : terms}</footer>`;
}

/** What the customer reads right after a set-up. */
function afterwards(view: View, locale: Locale): string {
  const { recurring, purpose } = view;
  return recurring && purpose === "subscribe" ? chargesAhead({ view, recurring, locale }) : "";
}

type Purpose = (view: View, locale: Locale) => { title: string; button: string };

/** The customer's action on the page, for its title and its button. */
const PURPOSES: Record<View["purpose"], Purpose> = {
  pay: ({ businessName: business, currency, total }, locale) => ({
    title: locale.say("payTitle", { business }),
    button: locale.say("payButton", { amount: locale.money(currency, total) }),
  }),
  subscribe: (view, locale) => ({
    title: locale.say("subscribeTitle", { business: view.businessName }),
    button: view.recurring
      ? subscribeButton({ view, recurring: view.recurring, locale })
      : locale.say("subscribe"),
  }),
  change_method: ({ businessName: business }, locale) => ({
    title: locale.say("saveTitle", { business }),
    button: locale.say("saveButton"),
  }),
};

/** The page for a link that does not exist. */
export function notFoundPage(locale: Locale): PageParts {
  return plainPage(locale, { title: locale.say("notFound"), text: locale.say("notFoundText") });
}

/** The page for a link that cannot be looked up now. */
export function unavailablePage(locale: Locale): PageParts {
  return plainPage(
    locale,
    { title: locale.say("unavailable"), text: locale.say("unavailableText") },
    html`<p><a class="action" href="">${locale.say("tryAgain")}</a></p>`,
  );
}

interface Notice {
  title: string;
  text: string;
}

/** A page with a notice alone. */
export function plainPage(locale: Locale, said: Notice, more: Markup | null = null): PageParts {
  const plain = { primaryColor: null, backgroundColor: null };
  return {
    title: said.title,
    locale,
    colours: colourProperties(plain),
    icon: pageIcon("?", plain),
    imageOrigins: [],
    frameOrigin: null,
    scriptTexts: null,
    body: html`<main class="alone"><section class="panel">${notice(said, "h1")}${more}</section></main>`,
  };
}

function notice({ title, text }: Notice, heading: "h1" | "h2" = "h2"): Markup {
  const head = heading === "h1" ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`;
  return html`<div id="notice" class="notice">${head}<p>${text}</p></div>`;
}

/** The reason why the link cannot be used here. */
function endedNotice({ status, purpose, businessName: business }: View, locale: Locale): Markup {
  const over = purpose === "pay" ? "overForPaying" : "overForSaving";
  const text = locale.say(over, { business });
  switch (status) {
    case "USED":
      return notice(USED[purpose](locale, business));
    case "EXPIRED":
      return notice({ title: locale.say("expired"), text });
    case "DISABLED":
      return notice({ title: locale.say("disabled"), text });
    case "PAUSED":
      return notice({
        title: locale.say("paused"),
        text: locale.say("pausedText", { business }),
      });
    case "ACTIVE":
      return notice({
        title: locale.say("noCards"),
        text: locale.say("noCardsText", { business }),
      });
  }
}

const USED: Record<View["purpose"], (locale: Locale, business: string) => Notice> = {
  pay: ({ say }, business) => ({ title: say("paid"), text: say("paidText", { business }) }),
  subscribe: ({ say }) => ({ title: say("subscribed"), text: say("subscribedText") }),
  change_method: ({ say }) => ({ title: say("saved"), text: say("savedText") }),
};

interface Shown {
  view: View;
  imageOrigins: string[];
  locale: Locale;
}

/** @param isOpen whether the link can be used: otherwise its price is of no use to a customer */
function summary(shown: Shown, isOpen: boolean): Markup {
  const { view, imageOrigins, locale } = shown;
  const { businessName: business, branding } = view;
  const logo = shownImage(branding.logo, imageOrigins);
  return html`<p class="merchant">${logo === null ? null : html`<img src="${logo}" alt="">`}<span dir="auto">${business}</span></p>
<h1 id="title" dir="auto">${nameOf(view, locale)}</h1>
${isOpen ? costs(shown) : null}`;
}

/** The link's name; a link without one is called by what the customer does there, and for whom. */
export function nameOf(
  { name, businessName: business, purpose }: Pick<View, "name" | "businessName" | "purpose">,
  locale: Locale,
): string {
  if (name !== NAMELESS) return name;
  return locale.say(purpose === "pay" ? "paymentTo" : "subscriptionTo", { business });
}

function costs(shown: Shown): Markup | null {
  const { view, locale } = shown;
  const { recurring, purpose, currency } = view;
  if (purpose === "change_method") {
    return html`<p class="every">${locale.say("anotherCard")}</p>`;
  }
  if (recurring) {
    const { headline, every, rows, isSummed } = describeOffer({ view, recurring, locale });
    return html`${headline === null ? null : html`<p class="total">${headline}</p>`}
<p class="every">${every}</p>
${details(shown, sums(rows, isSummed))}`;
  }
  const total = locale.money(currency, view.total);
  const rows: Row[] = [
    [locale.say("amount"), locale.money(currency, view.amount)],
    [locale.say("fee"), locale.money(currency, view.fees)],
    [locale.say("total"), total],
  ];
  // Without a fee the total is the amount, and stands above.
  return html`<p class="total">${total}</p>
${details(shown, sums(Number(view.fees) > 0 ? rows : []))}`;
}

/** The items and sums. On a phone the script folds them, so the form is on the first screen. */
function details(shown: Shown, rows: Markup | null): Markup {
  return html`<details class="costs" open><summary>${shown.locale.say("details")}</summary>
${itemList(shown)}
${rows}
</details>`;
}

/** @param isSummed whether the last row is the sum of the others */
function sums(rows: Row[], isSummed = true): Markup | null {
  const lines = rows.map(([name, value], i) => {
    const line = html`<dt>${name}</dt><dd>${value}</dd>`;
    const isSum = isSummed && i === rows.length - 1;
    return isSum ? html`<div class="all">${line}</div>` : html`<div>${line}</div>`;
  });
  return lines.length > 0 ? html`<dl>${lines}</dl>` : null;
}

function itemList(shown: Shown): Markup {
  const items = shown.view.items.map((item) => itemLine(shown, item));
  const folded = items.slice(ITEMS_UNFOLDED);
  const count = shown.locale.number(folded.length);
  const more = html`<details><summary>${shown.locale.say("more", { count })}</summary><ul>${folded}</ul></details>`;
  return html`<div class="items"><ul>${items.slice(0, ITEMS_UNFOLDED)}</ul>${folded.length > 0 ? more : null}</div>`;
}

function itemLine(shown: Shown, item: View["items"][number]): Markup {
  const { name, description, imageUrl } = item;
  const image = shownImage(imageUrl, shown.imageOrigins);
  const { count, worth } = describePrice(shown, item);
  return html`<li>${image === null ? null : html`<img src="${image}" alt="" width="48" height="48" loading="lazy">`}<div class="text"><p dir="auto">${name}</p><p class="muted" dir="auto">${description}</p>${count === null ? null : html`<p class="muted">${count}</p>`}</div>${worth === null ? null : html`<p class="worth">${worth}</p>`}</li>`;
}

/** The quantity and the price of an item. Prices that are not charged are not shown. */
function describePrice(
  { view: { currency }, locale }: Shown,
  { qty = 1, price, total }: View["items"][number],
): { count: string | null; worth: string | null } {
  const worth = total === undefined ? null : locale.money(currency, total);
  if (qty === 1) return { count: null, worth };
  const count = locale.number(qty);
  if (worth === null || price === undefined)
    return { count: locale.say("quantity", { count }), worth };
  return { count: `${count} × ${locale.money(currency, price)}`, worth };
}
