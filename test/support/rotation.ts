// For tests of npm run rotate-keys: the services that encrypt, with chosen keys on one database,
// and the command beside them.

import mongoose from "mongoose";
import accounts from "../../services/accounts/accounts.service.ts";
import paymentLinks from "../../services/payment-links/payment-links.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { inherited } from "./inherited.ts";
import { runNode, type Script } from "./scripts.ts";
import { type System, startSystem, testEnvironment } from "./system.ts";
import { linkBody } from "./world.ts";

export type Rotation = Awaited<ReturnType<typeof openRotation>>;

/** Opens a new database for systems with different keys. */
export async function openRotation() {
  const environment = testEnvironment();
  const connection = await mongoose.createConnection(environment.MONGO_URL as string).asPromise();
  const running = new Set<System>();

  async function stop(system: System): Promise<void> {
    running.delete(system);
    await system.broker.stop();
  }

  return {
    db: connection.getClient().db(connection.name),
    stop,

    /** Starts every service that encrypts. @param keys a value of ENCRYPTION_KEYS */
    async start(keys: string): Promise<System> {
      const services = [walletLedger, accounts, webhooks, paymentLinks];
      const system = await startSystem(services, { ...environment, ENCRYPTION_KEYS: keys });
      running.add(system);
      return system;
    },

    /** Runs the command beside payrail. */
    rotateKeys(keys: string, args: string[] = [], more: NodeJS.ProcessEnv = {}): Script {
      const all = { ...inherited(), ...environment, ENCRYPTION_KEYS: keys, ...more };
      return runNode("tools/commands/rotate-keys.ts", args, all);
    },

    async close() {
      for (const system of running) await stop(system);
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

/** The result of a script that has ended. */
export async function ended(script: Script) {
  const { code, signal } = await script.exit;
  return { code, signal, stdout: script.stdout(), stderr: script.stderr() };
}

/** Creates a payment link of a business, which opens its collection account. */
export async function createLink(system: System, businessId: string, fields = {}) {
  await system.call("wallet-ledger.openCollectionAccount", { businessId, currency: "USD" });
  const meta = { actor: { sub: businessId, role: "merchant" as const } };
  const { url, application } = await system.call(
    "payment-links.createLink",
    { body: linkBody(fields) },
    { meta },
  );
  return { url, id: application.id, token: application.token };
}
