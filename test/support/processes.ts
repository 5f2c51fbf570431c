// Services in their own processes beside a system over NATS.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { nodeIdFor } from "../../shared/rpc/subjects.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { SCHEMAS } from "../../tools/migrate/schemas.ts";
import { inherited } from "./inherited.ts";
import { type System, testEnvironment, until } from "./system.ts";

export type ServiceProcess =
  | "accounts"
  | "wallet-ledger"
  | "webhooks"
  | "payouts"
  | "payment-links";
type Host = Pick<System, "config" | "broker">;

/** Starts one more process of a service; the caller handles its output and its end. */
export function forkService(
  { config, broker }: Host,
  name: ServiceProcess,
  environment: Record<string, string>,
): ChildProcess {
  const { mongoUrl, natsUrl, encryptionKeys, fingerprintKey } = config;
  const [key] = encryptionKeys;
  return fork(join(import.meta.dirname, "service-process.ts"), [name], {
    silent: true,
    env: {
      ...inherited(),
      ...testEnvironment({
        MONGO_URL: mongoUrl as string,
        NATS_URL: natsUrl ?? "",
        ENCRYPTION_KEYS: `${key?.id}:${key?.key.toString("base64")}`,
        FINGERPRINT_KEY: fingerprintKey.toString("base64"),
        TEST_NAMESPACE: broker.namespace,
        ...environment,
      }),
    },
  });
}

/**
 * Starts one more process of a service, with its collections, which the system may lack.
 * @returns when the system reaches it
 */
export async function startService(
  host: Host,
  name: ServiceProcess,
  environment: Record<string, string> = {},
): Promise<{ child: ChildProcess; nodeID: string }> {
  await migrateConfigured(host.config, { schemas: SCHEMAS[name] });
  const child = forkService(host, name, environment);
  child.stdout?.resume();
  child.stderr?.pipe(process.stderr);
  await once(child, "message");
  const nodeID = nodeIdFor(name, child.pid);
  const ready = () => host.broker.call(`${name}.ready`, {}, { nodeID }).catch(() => null);
  await until(ready, { awaited: `a connection to ${nodeID}` });
  return { child, nodeID };
}

/** Starts one more process of a service that dies when a document reaches the given point. */
export function startDying(
  host: Host,
  name: ServiceProcess,
  point: string,
  of: string,
  environment = {},
) {
  return startService(host, name, { ...environment, PAYRAIL_CRASH_AT: `${point}:${of}` });
}

/** Waits for the end of the process. @returns the signal that ended it */
export async function endOf(child: ChildProcess): Promise<NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.signalCode;
}
