// The operator's controls of a business, and the freezes of wallets and people. Each is one document
// under the id of what is stopped; a change is told by its time (shared/rpc/controls.ts).

import type { mongo } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { CONTROLS_AT_ONCE } from "../../shared/contracts/controls.ts";
import { type FieldError, failFields, wrongField } from "../../shared/errors.ts";
import { BY_CHANGE, type StoredControl } from "./control.model.ts";
import type { Deps } from "./deps.ts";

export async function readControls(
  deps: Deps,
  { businessId }: Params<"accounts.controls">,
): Promise<Result<"accounts.controls">> {
  const stored = await findControl(deps, businessId);
  return { status: stored?.status ?? "ACTIVE" };
}

export async function setControls(
  deps: Deps,
  { businessId, status }: Params<"accounts.setControls">,
): Promise<Result<"accounts.controls">> {
  await store(deps, businessId, { businessId, status });
  return { status };
}

export async function readLimits(
  deps: Deps,
  { businessId, by }: Params<"accounts.limits">,
): Promise<Result<"accounts.limits">> {
  const stored = await findControl(deps, businessId);
  return { limits: (stored?.limits?.[by] ?? []).map(({ since: _since, ...limit }) => limit) };
}

/** @throws VALIDATION for a limit of nothing, or of the number of one payout */
export async function setLimits(
  deps: Deps,
  { businessId, by, limits }: Params<"accounts.setLimits">,
): Promise<Result<"accounts.limits">> {
  failFieldsIf(limits.flatMap(wrongIn));
  const since = deps.clock.now();
  const held = limits.map((limit) => ({ ...limit, since }));
  await store(deps, businessId, { businessId, [`limits.${by}`]: held });
  return { limits };
}

function wrongIn({ per, amount, count }: SetLimit, i: number): FieldError[] {
  if (per === "payout" && count !== undefined) {
    return [wrongField(`limits[${i}].count`, "must be left out of a limit per payout")];
  }
  if (amount !== undefined || count !== undefined) return [];
  return [wrongField(`limits[${i}].amount`, "must be given, or count", "required")];
}
type SetLimit = Params<"accounts.setLimits">["limits"][number];

function failFieldsIf(wrong: FieldError[]): void {
  if (wrong.length > 0) failFields(wrong);
}

function findControl({ models }: Deps, id: string): Promise<StoredControl | null> {
  return models.controls.findById(id).readConcern("majority").lean<StoredControl>();
}

export async function freeze(
  deps: Deps,
  { businessId, subjectId: id, frozen }: Params<"accounts.freeze">,
): Promise<Result<"accounts.freeze">> {
  await store(deps, id, { businessId, frozen });
  return { id, frozen };
}

/**
 * Stores a change under the database's time, but no earlier than each one before: the processes
 * follow the changes by their time, and the primaries' clocks disagree. A new primary has all changes
 * of the one before it, although it does not know at once that a majority has them.
 */
async function store({ models }: Deps, _id: string, set: Partial<StoredControl>): Promise<void> {
  const [newest] = await models.controls
    .find({}, { changedAt: 1 })
    .sort({ changedAt: -1, _id: -1 })
    .limit(1)
    .lean<Pick<StoredControl, "changedAt">[]>();
  const literal = Object.entries(set).map(([field, value]) => [field, { $literal: value }]);
  const after = { $add: ["$changedAt", 1] };
  const changedAt = { $max: ["$$NOW", newest?.changedAt ?? null, after] };
  const change = { $set: { ...Object.fromEntries(literal), changedAt } };
  const controls = models.controls.collection as unknown as mongo.Collection<StoredControl>;
  await controls.updateOne({ _id }, [change], { upsert: true });
}

/** The ids of those that are frozen. */
export async function frozenAmong({ models }: Deps, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await models.controls
    .find({ _id: { $in: ids }, frozen: true }, { _id: 1 })
    .readConcern("majority")
    .lean<Pick<StoredControl, "_id">[]>();
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
    .lean<StoredControl[]>();
  return {
    controls: found
      .slice(0, CONTROLS_AT_ONCE)
      .map(({ _id: id, changedAt, limits, ...control }) => ({
        id,
        ...control,
        ...(limits && { limits: Object.values(limits).flat() }),
        changedAt: changedAt.getTime(),
      })),
    isWhole: found.length <= CONTROLS_AT_ONCE,
  };
}
