// The partners that can be compared: the configured rails and acquirers, and the sandbox's own if
// it is on.

import type { mongo } from "mongoose";
import type { AcquirerEntry, RailEntry } from "../../partners/types.ts";
import {
  type SandboxCharge,
  sandboxAcquirer,
} from "../../services/payment-links/acquirers/sandbox.ts";
import type { SandboxCard } from "../../services/payment-links/acquirers/vault.ts";
import { type SandboxPayment, sandboxRail } from "../../services/payouts/rails/sandbox.ts";
import { systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config.ts";
import {
  type EntryReading,
  readAcquirerEntry,
  readRailEntry,
} from "../../shared/partners/answers.ts";
import { createContext } from "../../shared/partners/context.ts";
import { loadAcquirers, loadRails } from "../../shared/partners/load.ts";
import { say } from "../support/lifetime.ts";
import { SetupError } from "../support/processes.ts";
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
  const context = contextOf(config, db, "rails");
  const configured = await loadRails(Object.values(config.rails).flat(), context);
  const book = db.collection<SandboxPayment>("sandbox_rail");
  const own = sandboxRail(book, systemClock, config.sandboxSettleMs);
  return [...configured.values(), ...(config.sandbox ? [own] : [])];
}

async function acquirers(config: ConfigOf<"compare">, db: mongo.Db): Promise<Listing[]> {
  const context = contextOf(config, db, "acquirers");
  const configured = await loadAcquirers(config.acquirers, context, config);
  const cards = db.collection<SandboxCard>("sandbox_cards");
  const charges = db.collection<SandboxCharge>("sandbox_charges");
  const own = sandboxAcquirer(cards, charges, systemClock);
  return [...configured.values(), ...(config.sandbox ? [own] : [])];
}

function contextOf({ sandbox }: ConfigOf<"compare">, db: mongo.Db, kind: "rails" | "acquirers") {
  const log = { info: say, warn: say, error: say };
  return createContext(db.client, db.databaseName, kind, { sandbox, clock: systemClock, log });
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
