// The audit log. The gateway has an entry stored before it makes a change, and does not make a
// change without its entry. Afterwards it adds the outcome, once: the status, and the id of a
// created thing.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import type { Actor } from "../../shared/rpc/actions.ts";
import { currentOrigin } from "../../shared/rpc/origin.ts";
import { newestFirst } from "../../shared/storage/paging.ts";
import type { AuditEntry } from "./audit-entry.model.ts";
import type { Deps } from "./deps.ts";

/** @param by the operator */
export async function beginAudit(
  { models, clock, newId }: Deps,
  change: Params<"accounts.beginAudit">,
  by: Actor,
): Promise<Result<"accounts.beginAudit">> {
  // The gateway gives every request one.
  const { requestId } = currentOrigin() ?? fail("INTERNAL");
  const id = newId();
  const at = new Date(clock.now());
  await models.audit_log.create({ _id: id, at, by: by.sub, requestId, ...change });
  return { id };
}

export async function endAudit(
  { models }: Deps,
  { id, status, createdId }: Params<"accounts.endAudit">,
): Promise<Record<string, never>> {
  const isOpen = { _id: id, status: { $exists: false } };
  const created = createdId === undefined ? {} : { subjectId: createdId };
  await models.audit_log.change(isOpen, { $set: { status, ...created } });
  return {};
}

/** @throws VALIDATION if the cursor is not one of this list */
export async function listAudit(
  { models }: Deps,
  { businessId, subjectId, by, ...paging }: Params<"accounts.auditLog">,
): Promise<Result<"accounts.auditLog">> {
  const filter = {
    ...(businessId !== undefined && { businessId }),
    ...(subjectId !== undefined && { subjectId }),
    ...(by !== undefined && { by }),
  };
  const { documents, nextCursor } = await newestFirst(models.audit_log.model, filter, paging, {
    readConcern: "majority",
  });
  return { items: documents.map(entryView), meta: { nextCursor } };
}

type EntryView = Result<"accounts.auditLog">["items"][number];

function entryView({ _id, at, request, ...entry }: AuditEntry): EntryView {
  return {
    id: _id,
    at: at.toISOString(),
    by: entry.by,
    action: entry.action,
    businessId: entry.businessId ?? null,
    subjectId: entry.subjectId ?? null,
    request: JSON.parse(request),
    address: entry.address,
    requestId: entry.requestId,
    status: entry.status ?? null,
  };
}
