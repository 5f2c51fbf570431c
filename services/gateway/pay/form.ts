// The form of the checkout page. Each field has a label, an input with the attributes that browsers
// and keyboards need, and a place for its error. The first four are the customer's and are on every
// form; the others are the link's own.

import { html, type Markup } from "./html.ts";
import type { Locale } from "./locale.ts";
import { changeTerms, subscriptionTerms } from "./plan.ts";
import type { View } from "./view.ts";

/** The names that ask for a shipping address (docs/integrate/payment-links.md). */
const SHIPPING_ADDRESS = /^(shipping|delivery)[ _-]?address$/i;

/** The parts of an address, in the order in which they are sent as one text. */
const ADDRESS: Pick<Ours, "text" | "autocomplete" | "maxlength" | "isHalf">[] = [
  { text: "street", autocomplete: "shipping address-line1", maxlength: 128 },
  { text: "apartment", autocomplete: "shipping address-line2", maxlength: 64 },
  { text: "postalCode", autocomplete: "shipping postal-code", maxlength: 16, isHalf: true },
  { text: "city", autocomplete: "shipping address-level2", maxlength: 96, isHalf: true },
  { text: "region", autocomplete: "shipping address-level1", maxlength: 64, isHalf: true },
  { text: "country", autocomplete: "shipping country-name", maxlength: 64, isHalf: true },
];

/** The card's entry: a frame of an acquirer's vault, or the sandbox's own inputs. */
export type CardEntry =
  | {
      kind: "frame";
      fieldUrl: string;
      /** The origin of the field's URL: the only one that the page allows in a frame. */
      origin: string;
      /** Whether the page asks for the postcode of the card's bill. */
      wantsPostcode: boolean;
    }
  | {
      kind: "inputs";
      /** The path, relative to the page, that the inputs' values are sent to. */
      path: string;
    };

interface Input {
  id: string;
  label: string;
  isOptional?: boolean;
  isHalf?: boolean;
  /** It may be empty, as its whole group may, whose legend says so. */
  isPart?: boolean;
  /** The name in the form; the card's inputs have none. */
  name?: string;
  /** In place of `name` for the link's own field, which is sent under it as a text. */
  "data-own"?: string;
  /** For a text of any script; other values are written from left to right. */
  dir?: "auto";
  type?: "email" | "tel";
  autocomplete: string;
  inputmode?: "numeric";
  maxlength: number;
  placeholder?: string;
}

/** An input with the keys of its texts: of its label, and of a placeholder that is no number. */
type Ours = Omit<Input, "label"> & { text: Label; hint?: "expiryForm" };
type Label =
  | "email"
  | "firstName"
  | "lastName"
  | "phone"
  | "cardNumber"
  | "expiry"
  | "cvc"
  | "postcode"
  | "street"
  | "apartment"
  | "postalCode"
  | "city"
  | "region"
  | "country";

/** The base set of every link, in the order of the view; the names are those of `customer`. */
const BASE: Ours[] = [
  {
    text: "email",
    id: "email",
    name: "email",
    type: "email",
    autocomplete: "email",
    maxlength: 254,
  },
  {
    text: "firstName",
    id: "first-name",
    name: "firstName",
    autocomplete: "given-name",
    dir: "auto",
    maxlength: 128,
    isHalf: true,
  },
  {
    text: "lastName",
    id: "last-name",
    name: "lastName",
    autocomplete: "family-name",
    dir: "auto",
    maxlength: 128,
    isHalf: true,
  },
  { text: "phone", id: "phone", name: "phone", type: "tel", autocomplete: "tel", maxlength: 64 },
];

const CARD: Ours[] = [
  {
    text: "cardNumber",
    id: "card-number",
    autocomplete: "cc-number",
    inputmode: "numeric",
    maxlength: 48,
    placeholder: "1234 1234 1234 1234",
  },
  {
    text: "expiry",
    hint: "expiryForm",
    id: "card-expiry",
    autocomplete: "cc-exp",
    inputmode: "numeric",
    maxlength: 24,
    isHalf: true,
  },
  {
    text: "cvc",
    id: "card-cvc",
    autocomplete: "cc-csc",
    inputmode: "numeric",
    maxlength: 4,
    placeholder: "CVC",
    isHalf: true,
  },
];

/** Without a name, as the card's inputs, because it goes to the vault alone. */
const POSTCODE: Ours = {
  text: "postcode",
  id: "postcode",
  autocomplete: "billing postal-code",
  maxlength: 16,
  isHalf: true,
};

const TEST_NUMBER = "4242\u00a04242\u00a04242\u00a04242";

interface FormParts {
  view: View;
  /** The text of the button. */
  button: string;
  /** The place to type the card into. */
  entry: CardEntry;
  locale: Locale;
}

export function form({ view, button, entry, locale }: FormParts): Markup {
  const { fields, businessName: business } = view;
  const address = fields.find(({ name }) => SHIPPING_ADDRESS.test(name));
  const others = fields.filter((each) => each !== address);
  const yourDetails = html`<fieldset disabled>
<legend>${locale.say("yourDetails")}</legend>
<div class="grid">${customerFields(others, locale)}</div>
</fieldset>`;
  const testNote = locale.say("testNote", { number: TEST_NUMBER });
  return html`<form method="post" novalidate>
<noscript><p class="problem">${locale.say("scriptsNeeded")}</p></noscript>
<div id="problem" class="problem" role="alert" tabindex="-1"></div>
${fields.length > 0 ? yourDetails : null}
${address ? addressFields(address, locale) : null}
<fieldset disabled>
<legend>${locale.say("card")}</legend>
${entry.kind === "frame" ? vaultFields(entry, locale) : html`<div class="grid">${CARD.map((each) => ourField(each, locale))}</div>`}
</fieldset>
${agreement(view, locale)}
<button disabled>${button}</button>
<p id="progress" class="progress" role="status"></p>
<p class="fine">${locale.say("vaultNote", { business })}</p>
${entry.kind === "inputs" ? html`<p class="fine">${testNote}</p>` : null}
</form>`;
}

/** The fields with the customer's data; the link's own have the merchant's names. */
function customerFields(asked: View["fields"], locale: Locale): Markup[] {
  return asked.map(({ name, required }, i) => {
    const base = BASE[i];
    const isOptional = !required;
    if (base) return ourField({ ...base, isOptional }, locale);
    const own = { id: `own-${i}`, "data-own": name, autocomplete: "off", dir: "auto" as const };
    return field({ ...own, maxlength: 512, label: name, isOptional }, locale);
  });
}

/** A shipping address in its parts, so that browsers fill them in; the script joins them. */
function addressFields({ name }: View["fields"][number], locale: Locale): Markup {
  const parts = ADDRESS.map((part) => {
    const own = { id: `address-${part.text}`, "data-own": name, dir: "auto" as const };
    return ourField({ ...part, ...own, isPart: true }, locale);
  });
  return html`<fieldset disabled>
<legend>${locale.say("shippingAddress")} <span>${locale.say("optional")}</span></legend>
<div class="grid">${parts}</div>
</fieldset>`;
}

function ourField({ text, hint, ...input }: Ours, locale: Locale): Markup {
  const placeholder = hint && { placeholder: locale.say(hint) };
  return field({ ...input, label: locale.say(text), ...placeholder }, locale);
}

function vaultFields(
  { fieldUrl, wantsPostcode }: Extract<CardEntry, { kind: "frame" }>,
  locale: Locale,
): Markup {
  const frame = cardFrame(fieldUrl, locale);
  if (!wantsPostcode) return frame;
  return html`${frame}<div class="grid">${ourField(POSTCODE, locale)}</div>`;
}

/**
 * The place of a vault's frame; the script loads the field into it. The frame runs scripts and
 * keeps its own origin, by which both sides recognise each other. It may submit forms, because
 * otherwise Enter in one of its fields would have no effect. It opens no windows and does not
 * navigate the page.
 */
function cardFrame(fieldUrl: string, locale: Locale): Markup {
  return html`<iframe id="card-frame" title="${locale.say("cardDetails")}" data-src="${fieldUrl}" sandbox="allow-scripts allow-same-origin allow-forms" referrerpolicy="no-referrer"></iframe>`;
}

function field(
  { id, label, isOptional = false, isHalf = false, isPart = false, ...input }: Input,
  locale: Locale,
): Markup {
  const attributes = Object.entries(input).map(([name, value]) => html` ${name}="${value}"`);
  return html`
<div${isHalf ? html` class="half"` : null}>
<label for="${id}"><bdi>${label}</bdi>${isOptional ? html` <span>${locale.say("optional")}</span>` : null}</label>
<input id="${id}" aria-describedby="${id}-error"${attributes}${isOptional || isPart ? null : html` required`}>
<p id="${id}-error" class="error"></p>
</div>`;
}

/** The consequences of saving a card, next to the button. */
function agreement(view: View, locale: Locale): Markup | null {
  const { recurring, purpose } = view;
  if (!recurring) return null;
  const terms =
    purpose === "subscribe"
      ? subscriptionTerms({ view, recurring, locale })
      : changeTerms(view, locale);
  const [first = "", ...more] = terms;
  return html`<div id="terms" class="terms"><p>${first}</p>${more.map((each) => html`<p>${each}</p>`)}</div>`;
}
