// The sample acquirer with one planted mistake, which MISTAKE names.

import sampleAcquirer from "../../../partners/samples/acquirer.ts";
import type { Acquirer, Charge, RefundCharge } from "../../../partners/types.ts";

type Mistake = (acquirer: Acquirer) => object;

/** The module's own memory, which ends with its process. */
const seen = new Set<string>();

/** An answer with the sum of the question, and not with the moved one. */
function echo<A extends { kind: string }>(
  answer: A,
  { amountMinor, currency }: Pick<Charge, "amountMinor" | "currency">,
): A {
  return "amountMinor" in answer ? { ...answer, amountMinor, currency } : answer;
}

export const MISTAKES: Record<string, Mistake> = {
  "wrong name": () => ({ name: "sandbox" }),
  "a vault over http": () => ({ vault: { fieldUrl: "http://vault.example.com/field" } }),
  "returns the whole number": (acquirer) => ({
    tokenInfo: async (token: string) => {
      const card = await acquirer.tokenInfo(token);
      return card && { ...card, number: "4242424242424242" };
    },
  }),
  "knows unknown cards": () => ({ tokenInfo: async () => ({ brand: "Visa", last4: "4242" }) }),
  "declines a repeat": (acquirer) => ({
    charge: async (charge: Charge) => {
      const isRepeat = seen.has(charge.id);
      seen.add(charge.id);
      const answer = await acquirer.charge(charge);
      return isRepeat ? { kind: "declined", code: "seen_before" } : answer;
    },
  }),
  "charges twice": (acquirer) => ({
    list: async function* list(since: number) {
      for await (const entry of acquirer.list?.(since) ?? []) yield* [entry, entry];
    },
  }),
  "voids captured charges": () => ({ void: async () => ({ kind: "voided" }) }),
  "forgets voids": (acquirer) => ({
    charge: (charge: Charge) => acquirer.charge({ ...charge, id: `${charge.id}-${seen.size}` }),
    void: async (id: string) => {
      const answer = await acquirer.void(`${id}-${seen.size}`);
      seen.add(id);
      return answer;
    },
  }),
  "refunds a repeat again": (acquirer) => ({
    refund: async (refund: RefundCharge) => {
      seen.add(`${refund.id} ${seen.size}`);
      return acquirer.refund({ ...refund, id: `${refund.id}-${seen.size}` });
    },
  }),
  "refunds too much": () => ({
    refund: async ({ amountMinor, currency }: RefundCharge) => ({
      kind: "refunded",
      amountMinor,
      currency,
    }),
  }),
  "captures no sum": (acquirer) => ({
    charge: async (charge: Charge) => {
      const { kind, ...rest } = await acquirer.charge(charge);
      return kind === "captured" ? { kind } : { kind, ...rest };
    },
  }),
  "captures less": (acquirer) => ({
    charge: (charge: Charge) =>
      acquirer.charge({ ...charge, amountMinor: Math.max(0, charge.amountMinor - 1) }),
  }),
  "echoes the asked sum of a charge": (acquirer) => ({
    charge: async (charge: Charge) => echo(await acquirer.charge(charge), charge),
  }),
  "echoes the asked sum of a refund": (acquirer) => ({
    refund: async (refund: RefundCharge) => echo(await acquirer.refund(refund), refund),
  }),
  "voids without the captured sum": (acquirer) => ({
    void: async (id: string) => {
      const answer = await acquirer.void(id);
      return answer.kind === "captured" ? { ...answer, amountMinor: 0 } : answer;
    },
  }),
  "forgets with its process": (acquirer) => ({
    charge: (charge: Charge) => {
      seen.add(charge.id);
      return acquirer.charge(charge);
    },
    void: (id: string) => acquirer.void(seen.has(id) ? id : `${id}-${process.pid}`),
  }),
  "unknown kind": () => ({ refund: async () => ({ kind: "ok" }) }),
  "tokens in its errors": () => ({
    charge: async ({ token }: Charge) => {
      throw new Error(`No answer to ${token}`);
    },
  }),
  "exits during a request": (acquirer) => ({
    void: async (id: string) => (seen.has(id) ? acquirer.void(id) : process.exit(3)),
    charge: (charge: Charge) => {
      seen.add(charge.id);
      return acquirer.charge(charge);
    },
  }),
};

export default function mistakenAcquirer(): object {
  const acquirer = sampleAcquirer();
  return { ...acquirer, ...MISTAKES[process.env.MISTAKE as string]?.(acquirer) };
}
