// The MongoDB and the nats-server of a development start, if the environment names none.

import type { Config } from "../../../shared/config/config.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import type { Variables } from "../../../shared/config/env-reader.ts";
import { SERVICE_NAMES, type ServiceName } from "../../../shared/rpc/service-names.ts";
import { migrateConfigured } from "../../migrate/migrate.ts";
import { binDirectory, provideBinary } from "../../platform/binaries.ts";
import { buildConsole } from "../../platform/console.ts";
import { quietly, withDevelopmentKeys } from "../../platform/environment.ts";
import { type Lifetime, say } from "../../platform/lifetime.ts";
import { startNats } from "../../platform/nats.ts";
import { makeNatsUsers } from "../../platform/nats-users.ts";
import { provideMongo } from "../../platform/open-database.ts";
import { requireFreePort, requireMongo, requireNats } from "../../platform/preflight.ts";

/**
 * Prepares a start of all services: the console, and their environment, with a database that
 * answers and has this version's schema.
 * @param needsNats whether to start a nats-server if the environment names none
 * @returns the URL of internal systems in NATS_URL, and those of the services if the nats-server is
 *   ours
 */
export async function prepareStart(
  lifetime: Lifetime,
  needsNats: boolean,
): Promise<{ environment: Variables; config: Config; natsUrls: NatsUrls | null }> {
  const environment = quietly(withDevelopmentKeys(process.env));
  const configured = loadConfig(environment);
  await requireFreePort(configured);
  const complete = { ...environment };
  const isWithoutNats = needsNats && configured.natsUrl === null;
  const [mongoUrl, nats] = await Promise.all([
    provideMongo(configured, lifetime),
    isWithoutNats ? startOwnNats(configured, lifetime) : null,
    buildConsole(),
  ]);
  if (configured.mongoUrl === null) complete.MONGO_URL = mongoUrl;
  if (nats) complete.NATS_URL = nats.url;
  const config = loadConfig(complete);
  await requireMongo(mongoUrl);
  await migrateConfigured(config, { say });
  if (config.natsUrl) await requireNats(config);
  return { environment: complete, config, natsUrls: nats?.urls ?? null };
}

/** NATS_URL for each service: it has its own user. */
type NatsUrls = Record<ServiceName, string>;

async function startOwnNats(
  { dataDir }: Config,
  lifetime: Lifetime,
): Promise<{ url: string; urls: NatsUrls }> {
  const binary = await provideBinary("nats-server", binDirectory(), say);
  say("Starting nats-server");
  const users = await makeNatsUsers(dataDir);
  const server = await startNats({ binary, say, users });
  lifetime.onStop(() => server.stop());
  const port = Number(new URL(server.url).port);
  const urls = SERVICE_NAMES.map((name) => [name, users.urlOf(name, port)]);
  return { url: server.url, urls: Object.fromEntries(urls) };
}
