// The rails of this process: how they have answered it, and the payouts that wait for them.

import type { Result } from "../../shared/contracts/contracts.ts";
import { readProblems } from "../../shared/partners/problems.ts";
import { readWaiting } from "../../shared/resumable/waiting.ts";
import type { Deps } from "./deps.ts";

export function listPartners({
  rails,
  answerLog,
  payouts,
  clock,
}: Pick<Deps, "rails" | "answerLog" | "payouts" | "clock">): Promise<Result<"payouts.partners">> {
  return Promise.all(
    [...rails.named.values()].map(async (rail) => ({
      name: rail.name,
      ...answerLog.read(rail.name),
      problems: await readProblems(rail, clock),
      waiting: [await readWaiting("payout", payouts, "rail", rail.name, ["submitting", "settle"])],
    })),
  );
}
