// The form's fields: each has a label, an input with the attributes that browsers and keyboards
// need, and a place for its error. The first four are the customer's and are on every form; the
// others are the link's own.

import type { Result } from "../../../shared/contracts.ts";
import { html, type Markup } from "./html.ts";

type Asked = Result<"payment-links.checkout">["fields"];

interface Input {
  id: string;
  label: string;
  isOptional?: boolean;
  /** The name in the form; the card's inputs have none. */
  name?: string;
  type?: "text" | "email" | "tel";
  autocomplete: string;
  inputMode?: "text" | "email" | "tel" | "numeric";
  maxLength: number;
  placeholder?: string;
  isHalf?: boolean;
}

/** The base set of every link, in the order of the view; the names are those of `customer`. */
const BASE: Omit<Input, "label">[] = [
  { id: "email", name: "email", type: "email", autocomplete: "email", maxLength: 254 },
  {
    id: "first-name",
    name: "firstName",
    autocomplete: "given-name",
    maxLength: 128,
    isHalf: true,
  },
  {
    id: "last-name",
    name: "lastName",
    autocomplete: "family-name",
    maxLength: 128,
    isHalf: true,
  },
  { id: "phone", name: "phone", type: "tel", autocomplete: "tel", maxLength: 32 },
];

const CARD: Input[] = [
  {
    id: "card-number",
    label: "Card number",
    autocomplete: "cc-number",
    inputMode: "numeric",
    maxLength: 23,
    placeholder: "1234 1234 1234 1234",
  },
  {
    id: "card-expiry",
    label: "Expiry date",
    autocomplete: "cc-exp",
    inputMode: "numeric",
    maxLength: 9,
    placeholder: "MM / YY",
    isHalf: true,
  },
  {
    id: "card-cvc",
    label: "Security code",
    autocomplete: "cc-csc",
    inputMode: "numeric",
    maxLength: 4,
    placeholder: "CVC",
    isHalf: true,
  },
];

/** The fields with the customer's data. */
export function customerFields(asked: Asked): Markup[] {
  return asked.map(({ name: label, required }, i) => {
    const own = { id: `own-${i}`, name: label, autocomplete: "off", maxLength: 512 };
    return field({ ...(BASE[i] ?? own), label, isOptional: !required }, BASE[i] === undefined);
  });
}

export function cardFields(): Markup[] {
  return CARD.map((each) => field(each, false));
}

/**
 * The place of a vault's frame; the script loads the field into it. The frame runs scripts and
 * keeps its own origin, by which both sides recognise each other. It may submit forms, because
 * otherwise Enter in one of its fields would have no effect. It opens no windows and does not
 * navigate the page.
 */
export function cardFrame(fieldUrl: string): Markup {
  return html`<iframe id="card-frame" title="Card details" data-src="${fieldUrl}" sandbox="allow-scripts allow-same-origin allow-forms" referrerpolicy="no-referrer"></iframe>`;
}

/** @param isOwn the link's own field: sent under its name, as a text */
function field({ isOptional = false, isHalf = false, ...input }: Input, isOwn: boolean): Markup {
  const { id, label, name, type = "text", autocomplete, maxLength } = input;
  const attributes = [
    name === undefined ? null : html` ${isOwn ? html`data-own` : html`name`}="${name}"`,
    input.inputMode === undefined ? null : html` inputmode="${input.inputMode}"`,
    input.placeholder === undefined ? null : html` placeholder="${input.placeholder}"`,
    isOptional ? null : html` required`,
  ].filter((each) => each !== null);
  return html`
<div${isHalf ? html` class="half"` : null}>
<label for="${id}">${label}${isOptional ? html` <span>(optional)</span>` : null}</label>
<input id="${id}" type="${type}" autocomplete="${autocomplete}" maxlength="${maxLength}" aria-describedby="${id}-error"${attributes}>
<p id="${id}-error" class="error"></p>
</div>`;
}
