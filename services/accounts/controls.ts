// The operator's controls of a business, and the freezes of wallets and people. Each is one document
// under the id of what is stopped; a change is told by its time (shared/rpc/controls.ts).

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { CONTROLS_AT_ONCE } from "../../shared/contracts/controls.ts";
import type { Deps } from "./deps.ts";
import { BY_CHANGE, type Control } from "./control.model.ts";

export async function readControls(
  deps: Deps,
  { businessId }: Params<"accounts.controls">,
): Promise<Result<"accounts.controls">> {
  const stored = await deps.models.controls.findById(businessId).readConcern("majority").lean<Control>();
  return { status: stored?.status ?? "ACTIVE" };
}

export async function setControls(
  deps: Deps,
  { businessId, status }: Params<"accounts.setControls">,
): Promise<Result<"accounts.controls">> {
  await store(deps, businessId, { businessId, status });
  return { status };
}

export async function freeze(
  deps: Deps,
  { businessId, subjectId: id, frozen }: Params<"accounts.freeze">,
): Promise<Result<"accounts.freeze">> {
  await store(deps, id, { businessId, frozen });
  return { id, frozen };
}

async function store({ models }: Deps, _id: string, set: Partial<Control>): Promise<void> {
  const change = { $set: set, $currentDate: { changedAt: true } } as const;
  await models.controls.updateOne({ _id }, change, { upsert: true });
}

/** The ids of those that are frozen. */
export async function frozenAmong({ models }: Deps, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await models.controls
    .find({ _id: { $in: ids }, frozen: true }, { _id: 1 })
    .readConcern("majority")
    .lean<Pick<Control, "_id">[]>();
  return new Set(found.map(({ _id }) => _id));
}

export async function listControls(
  { models }: Deps,
  { since, after }: Params<"accounts.changedControls">,
): Promise<Result<"accounts.changedControls">> {
  const at = new Date(since);
  const later = { changedAt: { $gt: at } };
  const filter =
    after === undefined
      ? { changedAt: { $gte: at } }
      : { $or: [{ changedAt: at, _id: { $gt: after } }, later] };
  const found = await models.controls
    .find(filter)
    .hint(BY_CHANGE)
    .readConcern("majority")
    .sort(BY_CHANGE)
    .limit(CONTROLS_AT_ONCE + 1)
    .lean<Control[]>();
  return {
    controls: found
      .slice(0, CONTROLS_AT_ONCE)
      .map(({ _id: id, changedAt, ...control }) => ({ id, ...control, changedAt: changedAt.getTime() })),
    isWhole: found.length <= CONTROLS_AT_ONCE,
  };
}
