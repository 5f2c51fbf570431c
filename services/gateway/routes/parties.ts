// Adds to transactions their recipients and entities, which only accounts knows.

import type { Result } from "../../../shared/contracts/contracts.ts";
import { errorType } from "../../../shared/errors.ts";
import type { Call } from "../http/route.ts";

type Parties = Pick<Result<"payouts.transaction">, "recipient" | "entity">;
interface WithoutParties {
  linkedAccountId: string | null;
  entityId: string;
}

/**
 * The transactions with their recipients and entities, read at once; null for one that is erased.
 * Both are left out while no node of accounts tells them.
 */
export async function withParties<T extends WithoutParties>(
  call: Call,
  transactions: T[],
): Promise<(T & Parties)[]> {
  if (transactions.length === 0) return [];
  const asked = {
    linkedAccountIds: distinct(
      transactions.flatMap(({ linkedAccountId }) => linkedAccountId ?? []),
    ),
    entityIds: distinct(transactions.map(({ entityId }) => entityId)),
  };
  const told = await call("accounts.parties", asked).catch((error: unknown) => {
    if (errorType(error) === "UNAVAILABLE") return null;
    throw error;
  });
  if (told === null) return transactions;
  const recipients = new Map(told.recipients.map(({ id, ...recipient }) => [id, recipient]));
  const entities = new Map(told.entities.map((entity) => [entity.id, entity]));
  return transactions.map((transaction) => ({
    ...transaction,
    recipient: recipients.get(transaction.linkedAccountId ?? "") ?? null,
    entity: entities.get(transaction.entityId) ?? null,
  }));
}

function distinct(ids: string[]): string[] {
  return [...new Set(ids)];
}

export async function withPartiesOf<T extends WithoutParties>(
  call: Call,
  transaction: T,
): Promise<T & Parties> {
  return (await withParties(call, [transaction]))[0] as T & Parties;
}
