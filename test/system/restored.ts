// A database that was restored from a backup: payrail's commands on it, and its books beside those
// of the sandbox's partners, which a restore does not change.

import mongoose, { type mongo } from "mongoose";
import type { SandboxCharge } from "../../partners/sandbox/acquirer.ts";
import type { SandboxPayment } from "../../partners/sandbox/rail-book.ts";
import type { Payout } from "../../services/payouts/payout.model.ts";
import type { Block } from "../../services/wallet-ledger/journal.model.ts";
import type { Difference } from "../../tools/commands/compare/compare.ts";
import type { DifferenceClass } from "../../tools/commands/compare/judge.ts";
import { inherited } from "../support/inherited.ts";
import { runNode } from "../support/scripts.ts";

type Command = "migrate" | "verify" | "compare" | "hold-billing";

/** The documents of the partners' collections by name. */
export type PartnerBooks = Record<string, mongo.Document[]>;

/** Reads the books of the sandbox's rail and acquirer, which are in payrail's database. */
export async function readPartnerBooks(db: mongo.Db): Promise<PartnerBooks> {
  const all = (await db.collections()).map(({ collectionName }) => collectionName);
  const names = all.filter((name) => name.startsWith("sandbox_"));
  const read = async (name: string) => [name, await db.collection(name).find().toArray()] as const;
  return Object.fromEntries(await Promise.all(names.map(read)));
}

export type Restored = Awaited<ReturnType<typeof openRestored>>;

/**
 * Opens a restored database.
 * @param partners the newest books of the partners, which replace those of the backup
 */
export async function openRestored(url: string, partners: PartnerBooks) {
  const connection = await mongoose.createConnection(url, { autoIndex: false }).asPromise();
  const db = connection.getClient().db(connection.name);
  for (const [name, documents] of Object.entries(partners)) {
    await db.collection(name).deleteMany({});
    if (documents.length > 0) await db.collection(name).insertMany(documents);
  }

  /** Runs one of payrail's commands to its end. */
  async function command(name: Command, ...args: string[]) {
    const script = runNode(`tools/commands/${name}.ts`, args, { ...inherited(), MONGO_URL: url });
    const { code } = await script.exit;
    return { code, stdout: script.stdout(), stderr: script.stderr() };
  }

  const payouts = () => db.collection<Payout>("payouts").find().toArray();
  const keysIn = async (name: "payments" | "payment_refunds") => {
    const found = await db.collection<{ _id: string; key?: string }>(name).find().toArray();
    return found.map(({ _id, key = _id }) => key);
  };

  return {
    url,
    db,
    command,
    payouts,

    /** The restore point: the moment of the last posting, epoch ms. */
    async lastPosting(): Promise<number> {
      const blocks = db.collection<Block>("ledger_blocks");
      const last = await blocks.findOne({}, { sort: { _id: -1 } });
      return last?.at ?? 0;
    },

    /** The ids of all payouts that the rail has accepted, and of those that the books lack. */
    async atRail() {
      const accepted = { acceptedAt: { $exists: true } };
      const book = await db.collection<SandboxPayment>("sandbox_rail").find(accepted).toArray();
      const known = (await payouts()).map(({ _id }) => _id);
      return split(
        book.map(({ _id }) => _id),
        known,
      );
    },

    /** The same for charges and refunds of the acquirer. */
    async atAcquirer() {
      const book = await db.collection<SandboxCharge>("sandbox_charges").find().toArray();
      const all = book.flatMap(({ _id, refunds }) => [_id, ...refunds.map(({ id }) => id)]);
      return split(all, [...(await keysIn("payments")), ...(await keysIn("payment_refunds"))]);
    },

    /** The ids that `npm run compare` names, by the class of the difference. */
    async compare(role: "rail" | "acquirer", since: number) {
      const from = ["--since", new Date(since).toISOString(), "--margin", "0s"];
      const { stdout, stderr } = await command(
        "compare",
        `--${role}`,
        "sandbox",
        ...from,
        "--json",
      );
      const lines = stdout.split("\n").filter(Boolean);
      const found = lines.map((line) => JSON.parse(line) as Difference & { summary?: object });
      if (!found.pop()?.summary) throw new Error(`The comparison did not end: ${stderr}`);
      const named: Partial<Record<DifferenceClass, string[]>> = {};
      for (const { difference, id = "" } of found) {
        named[difference] = [...(named[difference] ?? []), id].sort();
      }
      return named;
    },

    close: () => connection.close(),
  };
}

function split(all: string[], known: string[]): { all: string[]; lost: string[] } {
  const kept = new Set(known);
  return { all: all.toSorted(), lost: all.filter((id) => !kept.has(id)).toSorted() };
}
