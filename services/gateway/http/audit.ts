// The audit log of operators: every change that an admin's token asks for, and every reading of
// whole account numbers, is recorded before it is made, with who, what and from where, and its
// outcome afterwards. The gateway refuses what accounts, which keeps the log, cannot record.

import type { ServiceBroker } from "moleculer";
import { type ErrorType, fail } from "../../../shared/errors.ts";
import { type Actor, call } from "../../../shared/rpc/actions.ts";
import type { HttpAnswer } from "./answer.ts";
import { mapError } from "./refusal.ts";
import type { Route, RouteRequest } from "./route.ts";

/** In characters of JSON. No right value is longer; of a longer one the beginning is recorded. */
const MAX_VALUE = 2_048;
/** Of an id, which a client may have made up. */
const MAX_ID = 64;
/** Short, because they come on top of the time that the change itself may take. */
const BEGUN_WITHIN_MS = 2_000;
const ENDED_WITHIN_MS = 1_000;

export function isChange({ method, isRead }: Route): boolean {
  return method !== "GET" && isRead !== true;
}

export function isAudited(route: Route, caller: Actor | null): caller is Actor {
  return caller?.role === "admin" && (isChange(route) || route.showsNumbers === true);
}

/** A change, or a reading of account numbers, that an operator asks for. */
export interface AuditedChange {
  /** Its name in the API. */
  action: string;
  by: Actor;
  businessId?: string;
  subjectId?: string;
  /** Its parameters, except the ids of the path. */
  request: Record<string, unknown>;
  /** The network address of the client. */
  address: string;
  /** The type of a failure after which it may have been made. */
  unknownAs?: ErrorType | undefined;
}

/**
 * A route's change.
 * @param input its parameters
 */
export function changeOf(
  { name, contract, inPath, inQuery, inBody, unknownAs }: Route,
  { params, address }: RouteRequest,
  input: Record<string, unknown>,
  by: Actor,
): AuditedChange {
  const ids = inPath.filter((each) => contract.params[each]?.schema.format === "uuid");
  const others = inPath.filter((each) => !ids.includes(each));
  const asked = [...others, ...inQuery, ...inBody];
  return {
    action: name,
    by,
    ...idsOf(ids, params as Record<string, string>),
    request: Object.fromEntries(asked.map((each) => [each, shortened(input[each])])),
    address: address().network,
    unknownAs,
  };
}

/**
 * Makes a change between the two records of it.
 * @throws UNAVAILABLE if it cannot be recorded, and then it is not made; the change's own errors
 */
export async function audited(
  { by: { sub, role }, request, unknownAs, ...change }: AuditedChange,
  broker: ServiceBroker,
  make: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { id } = await call(
    broker,
    "accounts.beginAudit",
    { ...change, request: JSON.stringify(request) },
    { meta: { actor: { sub, role } }, timeoutMs: BEGUN_WITHIN_MS },
  ).catch((error: unknown) => {
    const cause = { action: change.action, error };
    broker.logger.warn("A change is not made, because it cannot be recorded", cause);
    return fail("UNAVAILABLE");
  });
  let status = 500;
  let createdId: string | undefined;
  try {
    const answer = await make();
    ({ status } = answer);
    if (status === 201) createdId = idOf(answer);
    return answer;
  } catch (error) {
    ({ status } = mapError(error, unknownAs));
    throw error;
  } finally {
    // Without it the entry has no status; the change is made or not all the same.
    const end = { id, status, ...(createdId && { createdId }) };
    await call(broker, "accounts.endAudit", end, { timeoutMs: ENDED_WITHIN_MS }).catch(
      (error: unknown) =>
        broker.logger.warn("The outcome of a change is not in the audit log", { id, error }),
    );
  }
}

function shortened(value: unknown): unknown {
  const json = JSON.stringify(value) as string | undefined;
  return json && json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE)}…` : value;
}

function idOf({ body }: HttpAnswer): string | undefined {
  const { data } = body as { data?: { id?: unknown } };
  return typeof data?.id === "string" ? data.id : undefined;
}

/** The ids of the path: that of the business, and the last one, of the thing that is changed. */
function idsOf(names: string[], params: Record<string, string>) {
  const { businessId } = params;
  const subjectId = params[names.at(-1) ?? ""];
  return {
    ...(businessId && { businessId: businessId.slice(0, MAX_ID) }),
    ...(subjectId && { subjectId: subjectId.slice(0, MAX_ID) }),
  };
}
