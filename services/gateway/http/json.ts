// The JSON object of a body, judged as it was written: JSON.parse alone rounds numbers and drops
// all but the last of equal names, and a request could then move another amount than its sender
// wrote.

import { isUtf8 } from "node:buffer";
import { isObject } from "../../../shared/contracts/field.ts";
import { type FieldError, fail, failFields, wrongField } from "../../../shared/errors.ts";
import { shownName } from "../../../shared/texts.ts";

/**
 * Deeper than any body of the API. Without a limit, the encoder between services overflows its
 * stack.
 */
const MAX_DEPTH = 16;
/**
 * More values than any body of the API has. Checking many more would block the process for long.
 */
const MAX_VALUES = 10_000;
/** JSON.parse leaves them harmless, but code that merges objects can copy them into a prototype. */
const PROTOTYPE_KEYS = ["__proto__", "constructor", "prototype"];

export const NOT_AN_OBJECT = "The body must be a JSON object";

/** Some senders begin a text with it; a reader may ignore it (RFC 8259, 8.1). */
const BYTE_ORDER_MARK = "\ufeff";

/** The way from the body to a value: names of fields, and indexes of lists. */
export type Path = (string | number)[];

/** The numbers of each body that JSON.parse has rounded; most have none. */
const rounded = new WeakMap<object, Path[]>();

/** The paths of the numbers of a parsed body that are not as they were written. */
export function roundedIn(body: object): Path[] {
  return rounded.get(body) ?? [];
}

/**
 * Parses a body; undefined if it is empty. Its rounded numbers are in `roundedIn`: they are wrong
 * only where a route reads them.
 * @throws VALIDATION for anything but a JSON object, for names that repeat or could reach a
 *   prototype, for a body of too many values
 */
export function parseObject(bytes: Buffer): object | undefined {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return fail("VALIDATION", "The body is not UTF-8");
  const given = bytes.toString();
  const text = given.startsWith(BYTE_ORDER_MARK) ? given.slice(1) : given;
  const value = parse(text);
  if (!isObject(value)) return fail("VALIDATION", NOT_AN_OBJECT);
  const { repeated, changed } = findWrong(text);
  if (changed.length > 0) rounded.set(value, changed);
  return repeated.length === 0 ? value : failFields(repeated);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The rest of V8's message may quote the body.
    const [where = ""] = / at position \d+/.exec((error as Error).message) ?? [];
    return fail("VALIDATION", `The body is not valid JSON${where}`);
  }
}

/** An object or a list around the current token. */
interface Around {
  /** The names so far; null in a list. */
  names: Set<string> | null;
  /** The current name or index. */
  at: string | number;
  isNameNext: boolean;
}

/**
 * The parts of a body that differ from what JSON.parse made of them: names that repeat, and numbers
 * that it rounded. By tokens, because only they have the numbers and the names as they were
 * written.
 * @param text an object as valid JSON
 */
function findWrong(text: string): { repeated: FieldError[]; changed: Path[] } {
  const repeated: FieldError[] = [];
  const changed: Path[] = [];
  const stack: Around[] = [];
  let values = 0;
  const count = () => {
    values += 1;
    if (values > MAX_VALUES) fail("VALIDATION", "The body has too many values");
  };
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = endOfToken(text, start);
    const first = text[start] as string;
    const around = stack.at(-1);
    if (BLANK.includes(first) || first === ":") continue;
    if (first === "}" || first === "]") {
      stack.pop();
    } else if (first === "," && around) {
      if (around.names) around.isNameNext = true;
      else around.at = Number(around.at) + 1;
    } else if (around?.names && around.isNameNext) {
      count();
      around.isNameNext = false;
      around.at = readName(text.slice(start, end));
      if (around.names.has(around.at)) {
        repeated.push(wrongField(written(pathOf(stack)), "must be given once", "repeated"));
      }
      around.names.add(around.at);
    } else {
      if (around && !around.names) count();
      if (first === "{" || first === "[") {
        if (stack.length === MAX_DEPTH) fail("VALIDATION", "The body is nested too deeply");
        const names = first === "{" ? new Set<string>() : null;
        stack.push({ names, at: 0, isNameNext: names !== null });
      } else if (NUMERIC.includes(first) && isRounded(text.slice(start, end))) {
        changed.push(pathOf(stack));
      }
    }
  }
  return { repeated, changed };
}

const BLANK = " \t\r\n";
const STRUCTURE = "{}[],:";
const NUMERIC = "-0123456789";

/** A number, true, false or null. */
const SCALAR = /[-+.\w]+/y;

/** The end of the token, or of the blank, that starts there. */
function endOfToken(text: string, start: number): number {
  const first = text[start] as string;
  if (first === '"') {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    return end + 1;
  }
  if (BLANK.includes(first) || STRUCTURE.includes(first)) return start + 1;
  SCALAR.lastIndex = start;
  SCALAR.test(text);
  return SCALAR.lastIndex;
}

/** Whether an odd number of backslashes stands before a quote. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote;
  while (text[before - 1] === "\\") before -= 1;
  return (quote - before) % 2 === 1;
}

function readName(token: string): string {
  const name = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
  if (PROTOTYPE_KEYS.includes(name)) fail("VALIDATION", `The body must not have a key ${name}`);
  return name;
}

const pathOf = (stack: Around[]): Path => stack.map(({ at }) => at);

/** A path as errors show it, such as data.items[3].name. */
export function written(path: Path): string {
  const parts = path.map((at) => (typeof at === "number" ? `[${at}]` : `.${shownName(at)}`));
  return parts.join("").slice(1);
}

/** Digits that every double keeps. */
const KEPT = 15;
/** More than the longest double has; it bounds the work for one number. */
const LONGEST = 400;

/** Whether a token is a number that its double differs from, as the double is written. */
function isRounded(token: string): boolean {
  if (token.length <= KEPT && !/[eE]/.test(token)) return false;
  const number = Number(token);
  // Its field refuses it by its bounds.
  if (!Number.isFinite(number)) return false;
  return token.length > LONGEST || decimal(token) !== decimal(String(number));
}

/** One text for each number: its digits without zeros around them, and its exponent. */
function decimal(number: string): string {
  const [, sign, whole = "", part = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + part).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(exponent) - part.length + digits.length - kept.length}`;
}
