// Planted values: numbers and secrets that a test sends in and then looks for wherever they must not be,
// in every form in which they could lie there.

/** What kind of thing it is: who may carry it depends on that. */
export type Kind =
  /** Of accounts and cards: routing numbers and vault tokens too. */
  | "account number"
  /** What else is encrypted of an account. */
  | "account detail"
  | "client secret"
  | "access token"
  | "application token"
  /** The secret in a payment link's URL. */
  | "link token"
  /** Of a customer, whole; only the vault hears it. */
  | "card number"
  | "webhook secret";

export class Planted {
  private readonly forms = new Map<string, { kind: Kind; value: string }>();

  /** @param value at least nine characters, so that it is nowhere by chance */
  add(kind: Kind, value: string): string {
    if (value.length < 9) throw new Error(`Too short to be looked for: ${value}`);
    for (const form of formsOf(value)) this.forms.set(form, { kind, value });
    return value;
  }

  /** The kinds that a text has, each with what of it was found. */
  in(text: string): Map<Kind, string> {
    const found = new Map<Kind, string>();
    const joined = text.replaceAll(/[\s.\-_:/]/g, "");
    for (const [form, { kind, value }] of this.forms) {
      // Digits without separators come about by chance if they are few.
      const isLong = form.length >= 12;
      if (text.includes(form) || (isLong && joined.includes(form))) found.set(kind, value);
    }
    return found;
  }
}

/** As it is, without separators, in hex, and in base64 wherever it begins in what is encoded. */
function formsOf(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const bare = value.replaceAll(/[\s.\-_:/]/g, "");
  return new Set([value, bare, hex, hex.toUpperCase(), ...base64Forms(bytes)]);
}

/** The characters that do not depend on what stands before and after, in both alphabets. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const from = Math.ceil((before * 8) / 6);
    const inner = text.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
