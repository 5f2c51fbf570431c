// Erasures: an erased end user has no personal data left in its entity, its linked accounts and its
// payouts. The entity is erased last, so everything that is read after it is erased too.

import { creationTime } from "../../../shared/ids.ts";
import { ERASED, ERASED_DIGITS, ERASED_EMAIL } from "../../../shared/storage/erased.ts";
import { type Books, readOlder, select } from "../books.ts";

interface Entity {
  _id: string;
  businessId: string;
  email: string;
  externalIdentifier?: string;
  erasure: { at: Date };
}

const FIELDS = select("businessId", "email", "externalIdentifier", "erasure.at");

/** Checks the data of end users whose erasure was complete before the verification began. */
export async function verifyErasures(books: Books): Promise<void> {
  const isErased = { "erasure.step": "erased" };
  const before = creationTime(books.recently);
  for await (const batch of readOlder<Entity>(books, "entities", FIELDS, isErased)) {
    for (const entity of batch) {
      if (Number(entity.erasure.at) >= before) continue;
      await verifyErasure(books, entity);
      books.findings.count("erasures", 1);
    }
  }
}

async function verifyErasure({ find, findings }: Books, entity: Entity): Promise<void> {
  const { _id: entityId, businessId, email, externalIdentifier } = entity;
  const report = (what: string) => {
    findings.violation("erasures", `${what} of the erased end user ${entityId} has personal data`);
  };
  if (email !== ERASED_EMAIL || externalIdentifier !== undefined) report("the entity");
  const ofAccount = {
    $or: [{ fingerprint: { $ne: ERASED } }, { lastFour: { $ne: ERASED_DIGITS } }],
  };
  const accounts = find("linked_accounts", { entityId, ...ofAccount }, { projection: { _id: 1 } });
  for await (const { _id } of accounts) report(`the linked account ${String(_id)}`);
  const ofPayout = {
    $or: [
      { fingerprint: { $exists: true } },
      { lastFour: { $ne: ERASED_DIGITS } },
      { reason: { $ne: ERASED } },
      { metadata: { $exists: true } },
    ],
  };
  for (const its of [{ businessId, entityId }, { payeeId: entityId }]) {
    const visible = { ...its, visible: true, ...ofPayout };
    const payouts = find("payouts", visible, { projection: { _id: 1 } });
    for await (const { _id } of payouts) report(`the payout ${String(_id)}`);
  }
}
