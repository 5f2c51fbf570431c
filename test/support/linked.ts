// A linked account as a stored document, for tests below the level of actions.

import { randomUUID } from "node:crypto";
import type { LinkedAccount } from "../../services/accounts/linked-account.model.ts";
import { creationTime, newId } from "../../shared/ids.ts";

export function aLinkedAccount(
  businessId: string,
  entityType: LinkedAccount["entityType"] = "USER",
): LinkedAccount {
  const _id = newId();
  const madeAt = new Date(creationTime(_id));
  return {
    _id,
    businessId,
    entityId: entityType === "USER" ? newId() : businessId,
    entityType,
    walletId: newId(),
    currency: "USD",
    optionType: "card",
    counterPartyName: "Ada Lovelace",
    counterPartyEmail: "ada@users.test",
    lastFour: "4242",
    fingerprint: randomUUID(),
    sealed: { keyId: "test", box: "none" },
    createdAt: madeAt,
    updatedAt: madeAt,
    unlinkedAt: null,
  };
}
