// The acquirers of this process: how they have answered it, and what waits for them.

import type { Result } from "../../shared/contracts/contracts.ts";
import { readWaiting } from "../../shared/resumable/waiting.ts";
import { configured } from "./acquirers/acquirer.ts";
import type { RefundDeps } from "./refunds/deps.ts";

export function listPartners(deps: RefundDeps): Promise<Result<"payment-links.partners">> {
  const { answerLog, payments, refunds } = deps;
  return Promise.all(
    configured(deps).map(async ({ name }) => ({
      name,
      ...answerLog.read(name),
      problems: [],
      waiting: await Promise.all([
        readWaiting("payment", payments.documents, "acquirer", name, ["charge"]),
        readWaiting("refund", refunds.documents, "acquirer", name, ["ask"]),
      ]),
    })),
  );
}
