// The page of a subscriber: one subscription, and the question before it is cancelled. It needs no
// script: the confirmation is a form that the browser sends. Pure.

import { colourProperties } from "../../../shared/colours.ts";
import type { Result } from "../../../shared/contracts/contracts.ts";
import { isolate } from "./browser/direction.js";
import { html, type Markup } from "./html.ts";
import { pageIcon } from "./icon.ts";
import { findImageOrigins, shownImage } from "./images.ts";
import type { Locale } from "./locale.ts";
import { contact, nameOf, type PageParts, plainPage } from "./page.ts";
import { describeInterval, type Row } from "./plan.ts";

type View = Result<"payment-links.subscriber">;

/** The subscription, with a link to the question. */
export function subscriptionPage(view: View, token: string, locale: Locale): PageParts {
  const cancel = `${encodeURIComponent(token)}/cancel?lang=${locale.language}`;
  const facts = factsOf(view, locale).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`,
  );
  return page(view, locale, {
    says: describe(view, locale),
    more: html`<dl>${facts}</dl>
${view.endsAt === null ? null : html`<a class="action plain" href="${cancel}">${locale.say("cancel")}</a>`}`,
  });
}

/** The question; of a subscription that is cancelled already, the state. */
export function cancelPage(view: View, token: string, locale: Locale): PageParts {
  const { endsAt, type, status } = view;
  if (endsAt === null) return subscriptionPage(view, token, locale);
  const back = `../${encodeURIComponent(token)}?lang=${locale.language}`;
  return page(view, locale, {
    title: locale.say("cancelQuestion"),
    says: [
      locale.say("cancelText", { date: locale.date(endsAt) }),
      ...(type === "consumption" ? [locale.say("usageDue")] : []),
      // A cancellation with the period does not release an open invoice.
      ...(status === "past_due" ? [locale.say("unpaid")] : []),
    ],
    more: html`<form method="post"><button>${locale.say("cancel")}</button></form>
<a class="action plain" href="${back}">${locale.say("keep")}</a>`,
  });
}

/** The page for a link that opens no subscription. */
export function noSubscriptionPage(locale: Locale): PageParts {
  const { say } = locale;
  return plainPage(locale, { title: say("noSubscription"), text: say("notFoundText") });
}

interface Content {
  title?: string;
  says: string[];
  more: Markup;
}

function page(view: View, locale: Locale, { title, says, more }: Content): PageParts {
  const { name, branding } = view;
  const business = isolate(view.businessName);
  const heading = title ?? nameOf({ name, businessName: business, purpose: "subscribe" }, locale);
  const imageOrigins = findImageOrigins({ branding, items: [] }, false);
  const logo = shownImage(branding.logo, imageOrigins);
  return {
    title: locale.say("subscriberTitle", { business }),
    locale,
    colours: colourProperties(branding),
    icon: pageIcon(view.businessName, branding),
    imageOrigins,
    frameOrigin: null,
    scriptTexts: null,
    sendsForm: true,
    body: html`
<main class="alone"><section class="panel subscription">
<p class="merchant">${logo === null ? null : html`<img src="${logo}" alt="">`}<span dir="auto">${business}</span></p>
<div class="notice"><h1 dir="auto">${heading}</h1>${says.map((each) => html`<p>${each}</p>`)}</div>
${more}
${contact(view, locale)}
</section></main>`,
  };
}

/** Its state in sentences. */
function describe(view: View, locale: Locale): string[] {
  const { status, cancelAt, cancelledAt } = view;
  if (cancelledAt !== null) return [locale.say("ended", { date: locale.date(cancelledAt) })];
  const unpaid = status === "past_due" ? [locale.say("unpaid")] : [];
  if (cancelAt === null) {
    return [locale.say("renews", { every: describeInterval(view, locale) }), ...unpaid];
  }
  // An unpaid one ends with its last attempt, which may be before or after its period.
  if (unpaid.length > 0) return [locale.say("endingUnpaid"), ...unpaid];
  return [locale.say("ending", { date: locale.date(cancelAt) })];
}

function factsOf(view: View, locale: Locale): Row[] {
  const { status, card, nextPaymentAt, nextAmount, currency, id } = view;
  return [
    [locale.say("status"), locale.say(status)],
    ...(nextPaymentAt === null
      ? []
      : [[locale.say("nextPayment"), nextPayment(nextPaymentAt)] satisfies Row]),
    [locale.say("card"), `${card.brand} •••• ${card.last4}`],
    [locale.say("reference"), id],
  ];

  function nextPayment(at: string): string {
    const date = locale.date(at);
    if (nextAmount === null) return date;
    return locale.say("amountOn", { amount: locale.money(currency, nextAmount), date });
  }
}
