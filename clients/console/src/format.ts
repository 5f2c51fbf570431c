// How values are shown: in the person's own form of numbers and dates. Times are UTC and say so, as
// in filters, files, charts and invoices, so that all of them agree.

const MOMENT = {
  month: "short",
  day: "numeric",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short",
} as const;
const DATE_TIME = new Intl.DateTimeFormat(undefined, MOMENT);
const EXACT = new Intl.DateTimeFormat(undefined, { ...MOMENT, fractionalSecondDigits: 3 });
const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const DAY = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});
const NUMBER = new Intl.NumberFormat();
const SHORT_NUMBER = new Intl.NumberFormat(undefined, { notation: "compact" });
const SHARE = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/** Prices of one have more decimals than amounts. */
const MOST_DECIMALS = 6;

/** An amount as the API has it: a decimal text in major units. */
export function money(amount: string, currency: string): string {
  const style = {
    style: "currency",
    currency,
    currencyDisplay: "code",
    maximumFractionDigits: MOST_DECIMALS,
  } as const;
  // A text keeps every digit of an amount that a number would round.
  return new Intl.NumberFormat(undefined, style).format(amount as unknown as number);
}

/** The last digits of an account or a card, such as `•••• 6789`, in one piece. */
export function masked(lastFour: string): string {
  return `••••\u00a0${lastFour}`;
}

export function dateTime(at: string): string {
  return DATE_TIME.format(new Date(at));
}

/** With milliseconds, for things that follow each other closely. */
export function exactTime(at: string): string {
  return EXACT.format(new Date(at));
}

/** In the person's own time zone, which it names. */
export function localTime(at: string): string {
  return LOCAL.format(new Date(at));
}

export function number(value: number): string {
  return NUMBER.format(value);
}

/** A number where there is little room: `12K`. */
export function shortNumber(value: number): string {
  return SHORT_NUMBER.format(value);
}

/** A part of one as a percentage. */
export function share(value: number): string {
  return SHARE.format(value);
}

/** A day as the API has it, `2026-01-05`: it is one of UTC. */
export function day(name: string): string {
  return DAY.format(new Date(name));
}

const UNITS: [name: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** A duration in its largest unit: `3 hours`. */
export function duration(seconds: number): string {
  return inUnit(seconds, { unitDisplay: "long", maximumFractionDigits: 0 });
}

/** A duration with a decimal, where there is little room: `3.5 hr`. */
export function shortDuration(seconds: number): string {
  return inUnit(seconds, { unitDisplay: "short", maximumFractionDigits: 1 });
}

/** What has not passed yet does not count: it is cut off, not rounded. */
function inUnit(seconds: number, style: Intl.NumberFormatOptions): string {
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? ["second" as const, 1];
  return new Intl.NumberFormat(undefined, {
    ...style,
    style: "unit",
    unit,
    roundingMode: "trunc",
  }).format(seconds / length);
}

/** How long ago something was. */
export function age(at: string): string {
  return duration(Math.max(0, (Date.now() - Date.parse(at)) / 1_000));
}

const ABBREVIATIONS = /\b(ach|rtp|api)\b/gi;

/** A name of the API as words: `BANK_TRANSFER_ACH` is `Bank transfer ACH`. */
export function words(name: string): string {
  const lower = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .toLowerCase();
  const sentence = lower.charAt(0).toUpperCase() + lower.slice(1);
  return sentence.replaceAll(ABBREVIATIONS, (each) => each.toUpperCase());
}
