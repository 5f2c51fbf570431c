// Planted values: numbers and secrets that a test sends in and then searches for, in every
// encoding, in places where they must not be.

/** The kind of a value; it decides which texts may carry it. */
export type Kind =
  /** Of accounts and cards, also routing numbers and vault tokens. */
  | "account number"
  /** Any other encrypted field of an account. */
  | "account detail"
  | "client secret"
  | "access token"
  | "application token"
  /** The secret in a payment link's URL. */
  | "link token"
  /** A customer's full card number, or the postcode of its bill; only the vault receives it. */
  | "card number"
  | "webhook secret";

export class Planted {
  private readonly forms = new Map<string, { kind: Kind; value: string }>();

  /** @param value at least nine characters, so that no other text contains it by chance */
  add(kind: Kind, value: string): string {
    if (value.length < 9) throw new Error(`Too short for a search: ${value}`);
    for (const form of formsOf(value)) this.forms.set(form, { kind, value });
    return value;
  }

  /** The kinds in a text, each with a found value. */
  in(text: string): Map<Kind, string> {
    const found = new Map<Kind, string>();
    const joined = text.replaceAll(/[\s.\-_:/]/g, "");
    for (const [form, { kind, value }] of this.forms) {
      // Short digits without separators occur by chance.
      const isLong = form.length >= 12;
      if (text.includes(form) || (isLong && joined.includes(form))) found.set(kind, value);
    }
    return found;
  }
}

/** The forms of a value: plain, without separators, in hex, and in base64 at each offset. */
function formsOf(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const bare = value.replaceAll(/[\s.\-_:/]/g, "");
  return new Set([value, bare, hex, hex.toUpperCase(), ...base64Forms(bytes)]);
}

/** The characters that do not depend on the neighbouring bytes, in both base64 alphabets. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const from = Math.ceil((before * 8) / 6);
    const inner = text.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
