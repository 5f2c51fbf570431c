// The customer's locale: the language of the page's texts, and the form of amounts, numbers and
// dates. The browser chooses it (RFC 9110, 12.5.4), or the customer by `?lang=` of the address. A
// merchant's own texts stay as they are.

import type { IncomingMessage } from "node:http";
import { LRUCache } from "lru-cache";
import type { Currency } from "../../../shared/money.ts";
import { inOrderOfWeight } from "../http/negotiation.ts";
import { FORM_TEXTS } from "./texts/form-texts.ts";
import { NOTICE_TEXTS } from "./texts/notice-texts.ts";
import { PAGE_TEXTS } from "./texts/page-texts.ts";
import { TEXTS_OF } from "./texts/script-texts.ts";
import { SUBSCRIBER_TEXTS } from "./texts/subscriber-texts.ts";
import { fillIn, LANGUAGES, type Language, type Texts, type Values } from "./texts/table.ts";

const TEXTS = { ...PAGE_TEXTS, ...FORM_TEXTS, ...NOTICE_TEXTS, ...SUBSCRIBER_TEXTS };
type Key = keyof typeof TEXTS;

export interface Locale {
  /** The language and its region, such as de-CH. */
  tag: string;
  language: Language;
  /** A text of the page, with its values. */
  say<K extends Key>(key: K, ...values: Values<(typeof TEXTS)[K]["en"]>): string;
  /**
   * The texts of the page's script, by their keys, as JSON that may stand in a script element:
   * where a customer pays, and where one saves a card.
   */
  scriptTexts: Record<"pay" | "save", string>;
  /** A decimal string as a price, without a float. */
  money(currency: Currency, decimal: string): string;
  /** A unit price in major units, which may have more decimals than the currency. */
  unitMoney(currency: Currency, amount: number): string;
  number(value: number): string;
  /** The date of a timestamp, in UTC. */
  date(iso: string): string;
}

/** Kept, because making a formatter takes longer than all its uses on a page. */
const LOCALES = new LRUCache<string, Locale>({ max: 100 });

/** The locale of a request for a page. */
export function localeOf({ headers, url = "" }: IncomingMessage): Locale {
  const lang = new URLSearchParams(url.split("?")[1]).get("lang");
  return chooseLocale(headers["accept-language"], lang);
}

/**
 * The locale for a browser's Accept-Language; English if the page speaks none of its languages.
 * @param lang the customer's own choice
 */
export function chooseLocale(
  acceptLanguage: string | undefined,
  lang: string | null = null,
): Locale {
  const wanted = inOrderOfWeight(acceptLanguage).map(plainTag);
  const chosen = LANGUAGES.find((each) => each === lang);
  const tag = wanted.find((each) => each?.startsWith(chosen ?? "")) ?? chosen ?? "en";
  const kept = LOCALES.get(tag);
  if (kept) return kept;
  const made = makeLocale(tag);
  LOCALES.set(tag, made);
  return made;
}

/** The language and region of a tag, without its extensions; null for a language without texts. */
function plainTag(tag: string): string | null {
  const [, language = "", region] =
    /^([a-z]{2})(?:-(?:[a-z]{4}-)?([a-z]{2}|\d{3}))?\b/i.exec(tag) ?? [];
  const known = LANGUAGES.find((each) => each === language.toLowerCase());
  if (!known) return null;
  return region ? `${known}-${region.toUpperCase()}` : known;
}

function makeLocale(tag: string): Locale {
  const language = tag.slice(0, 2) as Language;
  const prices = formatters(tag, {});
  const unitPrices = formatters(tag, { maximumFractionDigits: 6 });
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 6 });
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: "long", timeZone: "UTC" });
  const inScript = (texts: Texts) => {
    const spoken = Object.entries(texts).map(([key, text]) => [key, text[language]]);
    return JSON.stringify(Object.fromEntries(spoken)).replaceAll("<", String.raw`\u003c`);
  };
  return {
    tag,
    language,
    say: (key, ...[values]) => fillIn(TEXTS[key][language], values),
    scriptTexts: { pay: inScript(TEXTS_OF.pay), save: inScript(TEXTS_OF.save) },
    money: (currency, decimal) => prices(currency).format(decimal as `${number}`),
    unitMoney: (currency, amount) => unitPrices(currency).format(amount),
    number: (value) => numbers.format(value),
    date: (iso) => dates.format(new Date(iso)),
  };
}

/** Makes a formatter for a currency when the first page needs it. */
function formatters(tag: string, options: Intl.NumberFormatOptions) {
  const made = new Map<Currency, Intl.NumberFormat>();
  return (currency: Currency): Intl.NumberFormat => {
    const known = made.get(currency);
    if (known) return known;
    const format = new Intl.NumberFormat(tag, { style: "currency", currency, ...options });
    made.set(currency, format);
    return format;
  };
}
