// The sandbox's own rail and acquirer as modules, with books in the database of MONGO_URL;
// SANDBOX_PART selects one. They have other names, because a module may not use the sandbox's.

import mongoose from "mongoose";
import {
  type SandboxCharge,
  sandboxAcquirer,
} from "../../services/payment-links/acquirers/sandbox.ts";
import type { SandboxCard } from "../../services/payment-links/acquirers/vault.ts";
import { type SandboxPayment, sandboxRail } from "../../services/payouts/rails/sandbox.ts";
import { systemClock } from "../../shared/clock.ts";

export default async function sandboxPartner(): Promise<object> {
  const { MONGO_URL, SANDBOX_PART } = process.env;
  const connection = await mongoose.createConnection(MONGO_URL as string).asPromise();
  const db = connection.getClient().db(connection.name);
  const partner =
    SANDBOX_PART === "rail"
      ? sandboxRail(db.collection<SandboxPayment>("sandbox_rail"), systemClock, 100)
      : sandboxAcquirer(
          db.collection<SandboxCard>("sandbox_cards"),
          db.collection<SandboxCharge>("sandbox_charges"),
          systemClock,
        );
  return { ...partner, name: `sandbox-${SANDBOX_PART}`, test: true };
}
