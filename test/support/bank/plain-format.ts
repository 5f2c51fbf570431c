// A format of bank files in JSON, for tests of the rail that are about no bank's format.

import {
  type Format,
  type Part,
  Unreadable,
  type WrittenFile,
} from "../../../partners/bank-files/format.ts";

/** An answer file, as `plainFormat` reads it. */
export function plainAnswer(...parts: Partial<Part>[]): Buffer {
  const whole = parts.map((part, i): Part => ({ where: `part ${i + 1}`, told: [], ...part }));
  return Buffer.from(JSON.stringify({ parts: whole, passedOver: 0, count: parts.length }));
}

export const plainFormat: Format = {
  thread: { program: new URL("./plain-format-thread.ts", import.meta.url), agreement: null },
  extension: "json",
  findFault: ({ currency, account }) => {
    if (currency !== "USD") return "currency_not_supported";
    return account.accountNumber ? null : "account_not_found";
  },
  shortId: (id) => id.slice(-12).toUpperCase(),
  write({ payments, ...batch }) {
    const paid = payments.map(({ id, amountMinor, account }) => ({ id, amountMinor, account }));
    const sumMinor = paid.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    return Buffer.from(JSON.stringify({ ...batch, sumMinor, payments: paid }));
  },
  read(bytes): WrittenFile {
    const { id, sumMinor, payments } = parse(bytes);
    return {
      id,
      currency: "USD",
      amountMinor: sumMinor,
      payments: payments.map((paid: { id: string; amountMinor: number }) => ({
        id: paid.id,
        amountMinor: paid.amountMinor,
      })),
    };
  },
  answerParser() {
    const pieces: Buffer[] = [];
    return {
      write: (piece) => void pieces.push(piece),
      end() {
        const { count, ...answer } = parse(Buffer.concat(pieces));
        if (answer.parts?.length !== count) throw new Unreadable("Its count is wrong");
        return answer;
      },
    };
  },
};

// biome-ignore lint/suspicious/noExplicitAny: the tests write files of one shape
function parse(bytes: Buffer): any {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Unreadable("It is no JSON");
  }
}
