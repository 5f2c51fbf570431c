// For tests of payments: a look at their documents and at the sandbox's books, an acquirer that says
// what it is told to, and points at which a node can be frozen.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import mongoose from "mongoose";
import type { Acquirer } from "../../services/payment-links/acquirer.ts";
import type { SandboxCharge } from "../../services/payment-links/acquirers/sandbox.ts";
import type { SandboxCard } from "../../services/payment-links/acquirers/vault.ts";
import type { Point } from "../../services/payment-links/deps.ts";
import type { PaymentLink } from "../../services/payment-links/link.model.ts";
import type { Payment } from "../../services/payment-links/payment.model.ts";
import { type System, testEnvironment, until } from "./system.ts";

export type PaymentBooks = Awaited<ReturnType<typeof openPaymentBooks>>;

/** What lies behind a payment; close it before the system stops. */
export async function openPaymentBooks({ config }: Pick<System, "config">) {
  const connection = await mongoose.createConnection(config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  const payments = db.collection<Payment>("payments");
  return {
    payments,
    links: db.collection<PaymentLink>("payment_links"),
    charges: db.collection<SandboxCharge>("sandbox_charges"),
    cards: db.collection<SandboxCard>("sandbox_cards"),
    /** Waits until the payment has ended, and answers it. */
    ended: (id: string) =>
      until(() => payments.findOne({ _id: id, step: "closed" }), { what: `${id} to end` }),
    close: () => connection.close(),
  };
}

type Says<K extends keyof Acquirer> = (id: string) => ReturnType<Acquirer[K]>;

/**
 * An acquirer that answers what `says` has at the moment; `timesAsked` counts for one payment, as
 * earlier ones may be asked on beside it.
 */
export function scriptedAcquirer() {
  const unknown = { kind: "unknown" } as const;
  const says: { charge: Says<"charge">; void: Says<"void">; refund: Says<"refund"> } = {
    charge: async () => unknown,
    void: async () => unknown,
    refund: async () => unknown,
  };
  const asked: string[] = [];
  const answer = <K extends keyof typeof says>(what: K, id: string) => {
    asked.push(`${what} ${id}`);
    return says[what](id) as ReturnType<Acquirer[K]>;
  };
  const acquirer: Acquirer = {
    tokenInfo: async () => ({ brand: "Visa", last4: "4242" }),
    charge: ({ id }) => answer("charge", id),
    void: (id) => answer("void", id),
    refund: ({ id }) => answer("refund", id),
  };
  const timesAsked = (what: keyof typeof says, id: string) =>
    asked.filter((question) => question === `${what} ${id}`).length;
  return { says, acquirer, timesAsked };
}

/** Freezes the first one that comes by a point, until it is released. */
export function paymentFreezer() {
  const frozen = new Map<Point, { reach: (id: string) => void; released: Promise<void> }>();
  return {
    async at(point: Point, { _id }: Payment): Promise<void> {
      const here = frozen.get(point);
      if (!here) return;
      frozen.delete(point);
      here.reach(_id);
      await here.released;
    },
    /** `reached` answers whose payment came by. */
    freeze(point: Point) {
      const reached = Promise.withResolvers<string>();
      const released = Promise.withResolvers<void>();
      frozen.set(point, { reach: reached.resolve, released: released.promise });
      return { reached: reached.promise, release: released.resolve };
    },
  };
}

/** One more payment-links service beside a system over NATS, in a process that a test can kill. */
export async function startPaymentLinksProcess(
  { config, broker }: Pick<System, "config" | "broker">,
  environment: Record<string, string> = {},
): Promise<ChildProcess> {
  const { mongoUrl, natsUrl, encryptionKeys, fingerprintKey } = config;
  const [key] = encryptionKeys;
  const started = fork(join(__dirname, "payment-links-process.ts"), {
    env: testEnvironment({
      MONGO_URL: mongoUrl as string,
      NATS_URL: natsUrl as string,
      ENCRYPTION_KEYS: `${key?.id}:${key?.key.toString("base64")}`,
      FINGERPRINT_KEY: fingerprintKey.toString("base64"),
      TEST_NAMESPACE: broker.namespace,
      ...environment,
    }),
  });
  await once(started, "message");
  return started;
}
