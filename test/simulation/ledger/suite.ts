// The simulation of the ledger: services/wallet-ledger over a simulated replica set.

import { ledgerOver } from "../../../services/wallet-ledger/ledger.ts";
import { importWithout } from "../ablate.ts";
import { shortened } from "../shorten.ts";
import type { Suite } from "../suite.ts";
import { ABLATIONS } from "./ablations.ts";
import { drawPlan } from "./plan.ts";
import { runSchedule, type Subject } from "./world.ts";

const LEDGER = new URL("../../../services/wallet-ledger/ledger.ts", import.meta.url);

const subjects = new Map<string, Promise<Subject>>();

function subjectWithout(name: string | undefined): Promise<Subject> {
  if (name === undefined) return Promise.resolve({ ledgerOver });
  const known = subjects.get(name) ?? loadWithout(name);
  subjects.set(name, known);
  return known;
}

async function loadWithout(name: string): Promise<Subject> {
  const ablation = ABLATIONS.find((each) => each.name === name);
  if (!ablation) throw new Error(`There is no safeguard ${name}`);
  const { edits, server } = ablation;
  const ledger: Subject = edits ? await importWithout(LEDGER, name, edits) : { ledgerOver };
  return { ledgerOver: ledger.ledgerOver, server };
}

const suite: Suite = {
  name: "ledger",
  safeguards: ABLATIONS.map(({ name }) => name),

  async run(seed, without) {
    return runSchedule(drawPlan(seed), await subjectWithout(without));
  },

  async explain(seed, without) {
    const subject = await subjectWithout(without);
    const plan = drawPlan(seed);
    const { violation } = await runSchedule(plan, subject);
    const steps = await shortened(plan.steps, async (fewer) => {
      const outcome = await runSchedule({ ...plan, steps: fewer }, subject);
      return violation !== null && outcome.violation?.rule === violation.rule;
    });
    const lines: string[] = [];
    await runSchedule({ ...plan, steps }, subject, (line) => lines.push(line));
    const { steps: _all, ...rest } = plan;
    return [JSON.stringify(rest), ...lines];
  },
};

export default suite;
