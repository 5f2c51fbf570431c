// The checker: all rules over the evidence of a run.

import { checkConserved } from "./conserved.ts";
import { checkEnded } from "./ended.ts";
import type { Evidence, Finding } from "./evidence.ts";
import { checkKept } from "./kept.ts";
import { checkLinear } from "./linear.ts";
import { checkOnce } from "./once.ts";
import { checkTold } from "./told.ts";

export function check(evidence: Evidence): Finding[] {
  return [checkOnce, checkConserved, checkKept, checkLinear, checkTold, checkEnded].flatMap(
    (rule) => rule(evidence),
  );
}
