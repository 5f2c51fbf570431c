// The partners that can be compared: the configured rails and acquirers, and the sandbox's own if
// it is on.

import type { mongo } from "mongoose";
import type { AcquirerEntry, RailEntry } from "../../../partners/types.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import {
  type EntryReading,
  readAcquirerEntry,
  readRailEntry,
} from "../../../shared/partners/answers.ts";
import { loadAcquirers, loadRails } from "../../../shared/partners/load.ts";
import { SANDBOX_ACQUIRER, SANDBOX_RAIL } from "../../../shared/partners/sandbox.ts";
import { contextsFor } from "../../platform/partners.ts";
import { SetupError } from "../../platform/processes.ts";
import type { PartnerEntry } from "./judge.ts";
import type { Partner } from "./list.ts";

/**
 * Finds the partner of a role and name.
 * @throws SetupError if no such partner is configured, or it has no list; ConfigError if a module
 *   cannot be loaded
 */
export async function findPartner(
  config: ConfigOf<"compare">,
  db: mongo.Db,
  role: Partner["role"],
  name: string,
): Promise<Partner> {
  const all = role === "rail" ? await rails(config, db) : await acquirers(config, db);
  const partner = all.find((each) => each.name === name);
  if (!partner) {
    const names = all.map((each) => each.name).join(", ") || "none";
    throw new SetupError(`No ${role} is called ${name}; configured: ${names}.`);
  }
  if (typeof partner.list !== "function") {
    throw new SetupError(`The ${role} ${name} has no list, so it cannot be compared.`);
  }
  const list = partner.list.bind(partner);
  return role === "rail"
    ? { role, name, kinds: ["payout"], list, read: readOfRail }
    : { role, name, kinds: ["payment", "refund"], list, read: readOfAcquirer };
}

interface Listing {
  name: string;
  list?(since: number): AsyncIterable<unknown>;
}

async function rails(config: ConfigOf<"compare">, db: mongo.Db): Promise<Listing[]> {
  const paths = [...Object.values(config.rails).flat(), ...(config.sandbox ? [SANDBOX_RAIL] : [])];
  return [...(await loadRails(paths, contextsFor(db, "rails", config))).values()];
}

async function acquirers(config: ConfigOf<"compare">, db: mongo.Db): Promise<Listing[]> {
  const paths = [...config.acquirers, ...(config.sandbox ? [SANDBOX_ACQUIRER] : [])];
  const contextOf = contextsFor(db, "acquirers", config);
  return [...(await loadAcquirers(paths, contextOf, config)).values()];
}

const RAIL_OUTCOMES = {
  accepted: "open",
  settled: "done",
  rejected: "undone",
  returned: "returned",
} as const;

function readOfRail(value: unknown, now: number): EntryReading<PartnerEntry> {
  return translated(readRailEntry(value, now), (entry: RailEntry) => ({
    ...entry,
    kind: "payout",
    outcome: RAIL_OUTCOMES[entry.state],
  }));
}

function readOfAcquirer(value: unknown, now: number): EntryReading<PartnerEntry> {
  return translated(readAcquirerEntry(value, now), (entry: AcquirerEntry) => ({
    ...entry,
    kind: entry.kind === "charge" ? "payment" : "refund",
    outcome: entry.state === "done" ? "done" : "undone",
  }));
}

function translated<E>(
  reading: EntryReading<E>,
  translate: (entry: E) => PartnerEntry,
): EntryReading<PartnerEntry> {
  return "entry" in reading ? { entry: translate(reading.entry) } : reading;
}
