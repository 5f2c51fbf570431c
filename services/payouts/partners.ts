// The rails of this process: how they have answered it, and the payouts that wait for them.

import type { Result } from "../../shared/contracts.ts";
import { readWaiting } from "../../shared/resumable/waiting.ts";
import type { Deps } from "./deps.ts";

export function listPartners({
  rails,
  answerLog,
  payouts,
}: Pick<Deps, "rails" | "answerLog" | "payouts">): Promise<Result<"payouts.partners">> {
  const names = [...rails.named.keys()];
  return Promise.all(
    names.map(async (name) => ({
      name,
      ...answerLog.read(name),
      waiting: [await readWaiting("payout", payouts, "rail", name, ["submitting", "settle"])],
    })),
  );
}
