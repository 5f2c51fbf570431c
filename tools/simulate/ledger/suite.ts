// The simulation of the ledger: services/wallet-ledger over a simulated replica set.

import { createRequests } from "../../../services/wallet-ledger/by-reference.ts";
import { ledgerOver } from "../../../services/wallet-ledger/ledger.ts";
import { walletTransferKind } from "../../../services/wallet-ledger/wallet-transfers.ts";
import { CONTROL, type Edit, importWithout } from "../ablate.ts";
import { explained } from "../shorten.ts";
import type { Suite } from "../suite.ts";
import { ABLATIONS, type Ablation, SMALL_PAGES, WHOLE_BLOCKS } from "./ablations.ts";
import { drawPlan, type Plan } from "./plan.ts";
import { runSchedule } from "./schedule.ts";
import type { Subject } from "./world.ts";

const MODULES = ["ledger", "by-reference", "wallet-transfers"].map(
  (file) => new URL(`../../../services/wallet-ledger/${file}.ts`, import.meta.url),
);

const subjects = new Map<string, Promise<Subject>>();

/** Loads the ledger for a plan, without one safeguard or with all. */
function loadSubject(
  { smallPages, wholeBlocks }: Plan,
  without: string | undefined,
): Promise<Subject> {
  const forms = `${smallPages ? "-on-small-pages" : ""}${wholeBlocks ? "-with-whole-transfers" : ""}`;
  const name = `${without ?? "nothing"}${forms}`;
  const edits = [...(smallPages ? SMALL_PAGES : []), ...(wholeBlocks ? WHOLE_BLOCKS : [])];
  const subject = subjects.get(name) ?? load(name, without, edits);
  subjects.set(name, subject);
  return subject;
}

async function load(name: string, without: string | undefined, more: Edit[]): Promise<Subject> {
  const all: Ablation[] = [...ABLATIONS, CONTROL];
  const ablation = all.find((each) => each.name === without);
  if (without !== undefined && !ablation) throw new Error(`There is no safeguard ${without}`);
  const edits = [...(ablation?.edits ?? []), ...more];
  const ledger =
    without !== undefined || more.length > 0
      ? await importWithout<Subject>(MODULES, name, edits)
      : { ledgerOver, createRequests, walletTransferKind };
  return { ...ledger, server: ablation?.server };
}

const suite: Suite = {
  name: "ledger",
  safeguards: ABLATIONS,

  async run(seed, without) {
    const plan = drawPlan(seed);
    return runSchedule(plan, await loadSubject(plan, without));
  },

  async explain(seed, without) {
    const plan = drawPlan(seed);
    const subject = await loadSubject(plan, without);
    return explained(plan, (each, print) => runSchedule(each, subject, print));
  },
};

export default suite;
