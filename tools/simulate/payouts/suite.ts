// The simulation of payouts: the domain of services/payouts over a simulated replica set, with
// models of the ledger, of accounts, webhooks and a bank.

import { asAccepted } from "../../../services/payouts/accepted.ts";
import { createDeps } from "../../../services/payouts/assembly.ts";
import { cancel } from "../../../services/payouts/cancel.ts";
import { pay } from "../../../services/payouts/pay.ts";
import { askNow } from "../../../services/payouts/push.ts";
import { resolve } from "../../../services/payouts/resolve.ts";
import { review } from "../../../services/payouts/review.ts";
import { release } from "../../../services/payouts/stopped.ts";
import { withdraw } from "../../../services/payouts/withdraw.ts";
import { CONTROL, importWithout } from "../ablate.ts";
import { explained } from "../shorten.ts";
import type { Suite } from "../suite.ts";
import { ABLATIONS } from "./ablations.ts";
import { drawPlan } from "./plan.ts";
import { runSchedule } from "./schedule.ts";
import type { Subject } from "./world.ts";

const WHOLE: Subject = {
  ...{ createDeps, withdraw, pay, cancel, resolve, review, askNow, release, asAccepted },
};
const FILES = [
  ...["accepted", "assembly", "cancel", "pay", "push", "resolve", "review", "stopped", "withdraw"],
];

const subjects = new Map<string | undefined, Promise<Subject>>([
  [undefined, Promise.resolve(WHOLE)],
]);

function subjectWithout(name: string | undefined): Promise<Subject> {
  const subject = subjects.get(name) ?? load(name as string);
  subjects.set(name, subject);
  return subject;
}

async function load(name: string): Promise<Subject> {
  const ablation = [...ABLATIONS, CONTROL].find((each) => each.name === name);
  if (!ablation) throw new Error(`There is no safeguard ${name}`);
  const urls = FILES.map(
    (file) => new URL(`../../../services/payouts/${file}.ts`, import.meta.url),
  );
  return importWithout<Subject>(urls, name, ablation.edits);
}

const suite: Suite = {
  name: "payouts",
  safeguards: ABLATIONS,

  async run(seed, without) {
    return runSchedule(drawPlan(seed), await subjectWithout(without));
  },

  async explain(seed, without) {
    const plan = drawPlan(seed);
    const subject = await subjectWithout(without);
    return explained(plan, (each, print) => runSchedule(each, subject, print));
  },
};

export default suite;
