// The checker: all rules over the evidence of a run.

import { checkConserved } from "./conserved.ts";
import { checkEnded } from "./ended.ts";
import type { Evidence, Finding } from "./evidence.ts";
import { checkKept } from "./kept.ts";
import { checkLimited } from "./limited.ts";
import { checkLinear } from "./linear.ts";
import { checkOnce } from "./once.ts";
import { checkStopped } from "./stopped.ts";
import { checkTold } from "./told.ts";

export function check(evidence: Evidence): Finding[] {
  const rules = [checkOnce, checkConserved, checkKept, checkLinear, checkTold, checkEnded];
  return [...rules, checkStopped, checkLimited].flatMap((rule) => rule(evidence));
}
