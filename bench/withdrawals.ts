// Measures withdrawals over HTTP up to their 200, against an empty action behind the same gateway,
// in one process and over NATS with a process for each service. The client is a separate process on
// the same machine. The work after the 200 (rail, settlement, webhooks) runs meanwhile.

import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { Pool } from "undici";
import { provideBinary } from "../scripts/support/binaries.ts";
import { startNats } from "../scripts/support/nats.ts";
import { freePort } from "../scripts/support/ports.ts";
import type { Config } from "../shared/config.ts";
import { database } from "../shared/database.ts";
import { signToken } from "../shared/jwt.ts";
import { SERVICE_NAMES } from "../shared/service-names.ts";
import { verify } from "../verification/verify.ts";
import { type Row, rateOf } from "./support/rate.ts";
import type { Usage } from "./support/server.ts";
import type { Setting } from "./support/setting.ts";

const CALLERS = [1, 64, 256];
const USERS = 64;

/** Withdrawals per second by number of callers, against the empty action. */
export async function benchWithdrawals(setting: Setting): Promise<Row[]> {
  const inProcess = await measure("in one process", [[...SERVICE_NAMES]], setting);
  const binary = await provideBinary("nats-server", setting.binaries, setting.say);
  const nats = await startNats({ binary, say: setting.say });
  try {
    const alone = SERVICE_NAMES.map((name) => [name]);
    const overNats = { ...setting, environment: { ...setting.environment, NATS_URL: nats.url } };
    return [...inProcess, ...(await measure("over NATS", alone, overNats))];
  } finally {
    await nats.stop();
  }
}

async function measure(how: string, groups: string[][], setting: Setting): Promise<Row[]> {
  const system = await startSystem(groups, setting);
  try {
    const rows: Row[] = [];
    for (const callers of CALLERS) {
      const baseline = await rateOf(callers, setting.ms, system.empty);
      const perSecond = await rateOf(callers, setting.ms, system.withdraw);
      const what = `withdrawals ${how}, ${callers} callers`;
      rows.push({ what, perSecond, baseline, ratio: perSecond / baseline });
    }
    await verifyBooks(setting.config);
    return rows;
  } finally {
    await system.stop();
  }
}

/**
 * Starts processes with these services and creates users of one business with funded wallets.
 * @returns also `usedUs`: the CPU of all processes since their start, in microseconds
 */
export async function startSystem(groups: string[][], setting: Setting) {
  const port = await freePort();
  const environment = {
    ...setting.environment,
    PORT: String(port),
    WITHDRAWAL_LIMIT: "off",
    DECLINE_LIMIT: "off",
  };
  const servers = await Promise.all(groups.map((names) => startServer(names, environment)));
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: Math.max(...CALLERS) });
  const stop = async () => {
    await pool.close();
    for (const server of servers.toReversed()) {
      server.disconnect();
      await once(server, "exit");
    }
  };
  const usedUs = async () => {
    const usages = await Promise.all(servers.map((server) => usageOf(server)));
    return usages.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
  };
  try {
    await untilReady(pool);
    const { users, make } = await createUsers(pool, setting.config);
    const withdraw = withdrawer(pool, users);
    const empty = sender(pool, users, (id) => `/v1/bench/USD/${id}/empty`);
    return { make, withdraw, empty, usedUs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function usageOf(server: ChildProcess): Promise<Usage> {
  server.send("usage");
  const [usage] = (await once(server, "message")) as [Usage];
  return usage;
}

export async function startServer(
  names: string[],
  environment: NodeJS.ProcessEnv,
): Promise<ChildProcess> {
  const server = fork(join(import.meta.dirname, "support", "server.ts"), names, {
    env: environment,
  });
  await Promise.race([
    once(server, "message"),
    once(server, "exit").then(([code]) => {
      throw new Error(`${names.join(", ")} ended with ${code} before it was ready`);
    }),
  ]);
  return server;
}

export async function untilReady(pool: Pool): Promise<void> {
  const end = Date.now() + 30_000;
  while (Date.now() < end) {
    const { statusCode, body } = await pool.request({ method: "GET", path: "/health/ready" });
    const { away } = (await body.json()) as { away: string[] };
    if (statusCode === 200 && away.length === 0) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  throw new Error("The services are not ready after 30 s");
}

interface User {
  token: string;
  linkedAccountId: string;
}

function withdrawer(pool: Pool, users: User[]): () => Promise<void> {
  return sender(pool, users, (id) => `/v1/ext/linked-accounts/USD/${id}/withdrawal`);
}

/** Sends a withdrawal of a random user. */
function sender(pool: Pool, users: User[], pathOf: (account: string) => string) {
  const next = <T>(list: T[]) => list[Math.floor(Math.random() * list.length)] as T;
  const withdrawal = JSON.stringify({ amount: 1, walletType: "SPEND", reason: "Bench" });
  return async () => {
    const { token, linkedAccountId } = next(users);
    await post(pool, pathOf(linkedAccountId), token, withdrawal);
  };
}

export async function post(
  pool: Pool,
  path: string,
  token: string,
  body: string,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await pool.request({ method: "POST", path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode > 201) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}

/** @returns users with linked accounts, and a function that creates more */
async function createUsers(pool: Pool, config: Config) {
  const tokenOf = (role: "admin" | "merchant" | "user", sub: string) =>
    signToken(config, { role, sub, scope: "external.apis", expiresInS: 3_600 });
  const create = async (path: string, token: string, body: object) =>
    ((await post(pool, path, token, JSON.stringify(body))) as { id: string }).id;
  const business = { name: "Bench", email: "bench@example.com" };
  const admin = tokenOf("admin", randomUUID());
  const businessId = await create("/v1/admin/businesses", admin, business);
  const merchant = tokenOf("merchant", businessId);
  const make = (path: string, body: object) =>
    create(`/v1/business/${businessId}${path}`, merchant, body);
  const users: User[] = await Promise.all(
    Array.from({ length: USERS }, async () => {
      const entityId = await make("/entities", { email: "user@example.com" });
      const walletId = await make("/wallets", { entityId, currency: "USD" });
      await make(`/wallets/${walletId}/fund`, { amount: 10_000_000, reference: "bench" });
      const linkedAccountId = await make("/linked-accounts/USD", {
        optionType: "bank",
        walletId,
        data: {
          firstName: "Ada",
          lastName: "Bench",
          email: "ada@example.com",
          bankName: "Bench Bank",
          accountNumber: "123456789",
          routingNumber: "021000021",
          accountType: "CHECKING",
          recipientAddress: "1 Main Street",
          recipientCity: "Albany",
          recipientState: "NY",
          recipientPostalCode: "12207",
        },
      });
      return { token: tokenOf("user", entityId), linkedAccountId };
    }),
  );
  return { users, make };
}

export async function verifyBooks(config: Config): Promise<void> {
  const db = database(config, "bench", {});
  await db.open();
  const { ok, violations } = await verify(db.connection);
  await db.close();
  if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
}
