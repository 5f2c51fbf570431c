// The form of the checkout page. Each field has a label, an input with the attributes that browsers
// and keyboards need, and a place for its error. The first four are the customer's and are on every
// form; the others are the link's own.

import { html, type Markup } from "./html.ts";
import { changeTerms, subscriptionTerms } from "./plan.ts";
import type { View } from "./view.ts";

/** The card's entry: a frame of an acquirer's vault, or the sandbox's own inputs. */
export type CardEntry =
  | {
      kind: "frame";
      fieldUrl: string;
      /** The origin of the field's URL: the only one that the page allows in a frame. */
      origin: string;
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
  /** The name in the form; the card's inputs have none. */
  name?: string;
  /** In place of `name` for the link's own field, which is sent under it as a text. */
  "data-own"?: string;
  type?: "email" | "tel";
  autocomplete: string;
  inputmode?: "numeric";
  maxlength: number;
  placeholder?: string;
}

/** The base set of every link, in the order of the view; the names are those of `customer`. */
const BASE: Omit<Input, "label">[] = [
  { id: "email", name: "email", type: "email", autocomplete: "email", maxlength: 254 },
  {
    id: "first-name",
    name: "firstName",
    autocomplete: "given-name",
    maxlength: 128,
    isHalf: true,
  },
  {
    id: "last-name",
    name: "lastName",
    autocomplete: "family-name",
    maxlength: 128,
    isHalf: true,
  },
  { id: "phone", name: "phone", type: "tel", autocomplete: "tel", maxlength: 32 },
];

const CARD: Input[] = [
  {
    id: "card-number",
    label: "Card number",
    autocomplete: "cc-number",
    inputmode: "numeric",
    maxlength: 23,
    placeholder: "1234 1234 1234 1234",
  },
  {
    id: "card-expiry",
    label: "Expiry date",
    autocomplete: "cc-exp",
    inputmode: "numeric",
    maxlength: 9,
    placeholder: "MM / YY",
    isHalf: true,
  },
  {
    id: "card-cvc",
    label: "Security code",
    autocomplete: "cc-csc",
    inputmode: "numeric",
    maxlength: 4,
    placeholder: "CVC",
    isHalf: true,
  },
];

const TEST_NOTE = html`<p class="fine">Test mode: no card is charged. Try 4242&nbsp;4242&nbsp;4242&nbsp;4242 with any date to come and any code.</p>`;

/**
 * @param button its text
 * @param entry the place to type the card into
 */
export function form(view: View, button: string, entry: CardEntry): Markup {
  const { fields, businessName } = view;
  const yourDetails = html`<fieldset disabled>
<legend>Your details</legend>
<div class="grid">${customerFields(fields)}</div>
</fieldset>`;
  return html`<form method="post" novalidate>
<noscript><p class="problem">A script keeps your card details apart from the rest. Please allow scripts on this page.</p></noscript>
<div id="problem" class="problem" role="alert" tabindex="-1"></div>
${fields.length > 0 ? yourDetails : null}
<fieldset disabled>
<legend>Card</legend>
${entry.kind === "frame" ? cardFrame(entry.fieldUrl) : html`<div class="grid">${CARD.map(field)}</div>`}
</fieldset>
${agreement(view)}
<button disabled>${button}</button>
<p id="progress" class="progress" role="status"></p>
<p class="fine">Your card details go straight to a card vault. ${businessName} never sees them.</p>
${entry.kind === "inputs" ? TEST_NOTE : null}
</form>`;
}

/** The fields with the customer's data. */
function customerFields(asked: View["fields"]): Markup[] {
  return asked.map(({ name: label, required }, i) => {
    const own = { id: `own-${i}`, "data-own": label, autocomplete: "off", maxlength: 512 };
    return field({ ...(BASE[i] ?? own), label, isOptional: !required });
  });
}

/**
 * The place of a vault's frame; the script loads the field into it. The frame runs scripts and
 * keeps its own origin, by which both sides recognise each other. It may submit forms, because
 * otherwise Enter in one of its fields would have no effect. It opens no windows and does not
 * navigate the page.
 */
function cardFrame(fieldUrl: string): Markup {
  return html`<iframe id="card-frame" title="Card details" data-src="${fieldUrl}" sandbox="allow-scripts allow-same-origin allow-forms" referrerpolicy="no-referrer"></iframe>`;
}

function field({ id, label, isOptional = false, isHalf = false, ...input }: Input): Markup {
  const attributes = Object.entries(input).map(([name, value]) => html` ${name}="${value}"`);
  return html`
<div${isHalf ? html` class="half"` : null}>
<label for="${id}">${label}${isOptional ? html` <span>(optional)</span>` : null}</label>
<input id="${id}" aria-describedby="${id}-error"${attributes}${isOptional ? null : html` required`}>
<p id="${id}-error" class="error"></p>
</div>`;
}

/** The consequences of saving a card, next to the button. */
function agreement(view: View): Markup | null {
  const { recurring, purpose } = view;
  if (!recurring) return null;
  const terms = purpose === "subscribe" ? subscriptionTerms(view, recurring) : changeTerms(view);
  const [first = "", ...more] = terms;
  return html`<div id="terms" class="terms"><p>${first}</p>${more.map((each) => html`<p>${each}</p>`)}</div>`;
}
