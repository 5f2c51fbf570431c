// Endpoints: a business registers, changes and deletes its own. The id of another business's
// endpoint answers like an unknown id. Secrets are shown once and stored encrypted.

import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { DEFAULT_EVENT_TYPES } from "../../../shared/contracts/events.ts";
import { errorType, fail, failField, failFields, wrongField } from "../../../shared/errors.ts";
import type { Creation } from "../../../shared/rpc/actions.ts";
import type { Paging } from "../../../shared/storage/paging.ts";
import type { Deps, EndpointHealth } from "../deps.ts";
import { destinationError } from "../exchange/destination.ts";
import { newSecret, signingSecret } from "../exchange/signature.ts";
import { type Endpoint, switchedOff } from "./endpoint.model.ts";
import { openSecret, sealSecret } from "./endpoint-secrets.ts";

const MAX_SECRETS = 2;
/**
 * Limits the endpoints that a batch of events loads. Concurrent creations may exceed it by a few.
 */
const MAX_ENDPOINTS = 200;
/**
 * The number of tries of a change that conflicts with other changes, by the service or the same
 * merchant.
 */
const MAX_TRIES = 5;

type Reading = Pick<Deps, "models" | "readHealth">;

type EndpointView = Result<"webhooks.endpoint">;
type EndpointWithSecret = Result<"webhooks.createEndpoint">;

/**
 * Registers an endpoint of the business itself.
 * @throws VALIDATION if the URL is no destination, no type is wanted, or there are too many
 */
export async function createEndpoint(
  deps: Deps,
  { businessId, url, description, eventTypes }: Params<"webhooks.createEndpoint">,
  { id, secret: bits, isRepeat }: Creation,
): Promise<EndpointWithSecret> {
  const { webhook_endpoints: endpoints } = deps.models;
  const secret = signingSecret(bits);
  // The limit below would count the endpoint that an earlier run of the request has created.
  const made = isRepeat ? await endpoints.findById(id) : null;
  if (made) return { ...(await showEndpoint(deps, made)), secret };
  checkSettings(deps.config, { url, eventTypes });
  if ((await endpoints.count({ query: { businessId, paymentLinkId: null } })) >= MAX_ENDPOINTS) {
    fail("VALIDATION", `A business has at most ${MAX_ENDPOINTS} webhooks`);
  }
  const endpoint = await endpoints.create({
    ...newEndpoint(deps, { _id: id, businessId, paymentLinkId: null, url }, secret),
    description: description ?? null,
    eventTypes: eventTypes ? [...new Set(eventTypes)] : null,
  });
  return { ...viewOf(endpoint, NEW), secret };
}

/**
 * Registers the endpoint of a payment link; a link has one, even after repeated calls.
 * @returns the endpoint, with the secret that signs now
 * @throws VALIDATION if the URL is no destination; CONFLICT if it was registered with another URL
 *   or secret; UNREADABLE if its secret cannot be shown again
 */
export async function createLinkEndpoint(
  deps: Deps,
  { businessId, paymentLinkId, url, secret }: Params<"webhooks.createLinkEndpoint">,
): Promise<EndpointWithSecret> {
  const { config, newId } = deps;
  const { webhook_endpoints: endpoints } = deps.models;
  const form = destinationError(url, config.webhooks.allowPrivate);
  if (form !== null) {
    const message = `websiteUrl and webhookPath must make ${form}`;
    failFields([{ field: "advancedConfig.websiteUrl", code: "invalid", message }]);
  }
  const first = secret ?? newSecret();
  const endpoint = newEndpoint(deps, { _id: newId(), businessId, paymentLinkId, url }, first);
  try {
    await endpoints.create(endpoint);
    return { ...viewOf(endpoint, NEW), secret: first };
  } catch (error) {
    if (errorType(error) !== "CONFLICT") throw error;
  }
  const before = await endpoints.findOne({ paymentLinkId, businessId, url });
  const secrets = before?.secrets.map((stored) => openSecret(config, before._id, stored));
  const [newest] = secrets ?? [];
  if (!before || !newest || (secret && !secrets?.includes(secret))) return fail("CONFLICT");
  return { ...(await showEndpoint(deps, before)), secret: newest };
}

/** A new endpoint that wants the default event types. */
function newEndpoint(
  { config, clock }: Deps,
  given: Pick<Endpoint, "_id" | "businessId" | "paymentLinkId" | "url">,
  secret: string,
): Endpoint {
  const createdAt = new Date(clock.now());
  return {
    ...given,
    description: null,
    eventTypes: null,
    disabled: false,
    disabledReason: null,
    disabledAt: null,
    enabledAt: null,
    failingSince: null,
    notices: [],
    secrets: [sealSecret(config, given._id, secret, createdAt)],
    createdAt,
  };
}

export async function listEndpoints(
  reading: Reading,
  businessId: string,
  paging: Paging,
): Promise<Result<"webhooks.endpoints">> {
  const { documents, meta } = await reading.models.webhook_endpoints.list({ businessId }, paging);
  const items = await Promise.all(documents.map((each) => showEndpoint(reading, each)));
  return { items, meta };
}

/** @throws WEBHOOK_NOT_FOUND */
export async function findEndpoint(
  { models }: Pick<Deps, "models">,
  businessId: string,
  id: string,
): Promise<Endpoint> {
  const found = await models.webhook_endpoints.findOne({ _id: id, businessId });
  return found ?? fail("WEBHOOK_NOT_FOUND");
}

/**
 * Changes the given settings of an endpoint. Earlier failures no longer count at another URL, or
 * after the endpoint was switched on again.
 * @returns the endpoint, and whether its earlier failures no longer count
 * @throws VALIDATION as creation does, or without any setting; WEBHOOK_NOT_FOUND; UNAVAILABLE
 */
export async function updateEndpoint(
  deps: Deps,
  { businessId, id, url, description, eventTypes, disabled }: Params<"webhooks.updateEndpoint">,
): Promise<{ endpoint: Endpoint; startsAnew: boolean }> {
  const settings = { url, description, eventTypes, disabled };
  if (Object.values(settings).every((value) => value === undefined)) {
    fail("VALIDATION", `The body must have one of ${Object.keys(settings).join(", ")}`);
  }
  checkSettings(deps.config, { url, eventTypes });
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { disabled: before, url: urlBefore } = await findEndpoint(deps, businessId, id);
    const isElsewhere = url !== undefined && url !== urlBefore;
    const isBack = disabled === false && before;
    const now = new Date(deps.clock.now());
    const changed = await deps.models.webhook_endpoints.change(
      // If its failures switched it off after the read, nothing matches and the loop reads it
      // again.
      { _id: id, businessId, disabled: before, url: urlBefore },
      {
        ...(url !== undefined && { url }),
        ...(isElsewhere && { failingSince: null }),
        ...(description !== undefined && { description }),
        ...(eventTypes !== undefined && { eventTypes: [...new Set(eventTypes)] }),
        ...(disabled === true && !before && switchedOff("Disabled by request", now)),
        ...(isBack && switchedOn(now)),
      },
    );
    if (changed) return { endpoint: changed, startsAnew: isElsewhere || isBack };
  }
  return fail("UNAVAILABLE");
}

const switchedOn = (at: Date) => ({
  disabled: false,
  disabledReason: null,
  enabledAt: at,
  failingSince: null,
});

/** @throws WEBHOOK_NOT_FOUND */
export async function deleteEndpoint(
  { models }: Deps,
  businessId: string,
  id: string,
): Promise<void> {
  const removed = await models.webhook_endpoints.removeMany({ _id: id, businessId });
  if (removed === 0) fail("WEBHOOK_NOT_FOUND");
}

/**
 * Gives an endpoint a new secret. The previous one signs too for a while; older ones are dropped.
 * @throws WEBHOOK_NOT_FOUND
 */
export async function rotateSecret(
  deps: Deps,
  { businessId, id }: Params<"webhooks.rotateSecret">,
  { id: request, secret: bits }: Creation,
): Promise<EndpointWithSecret> {
  const secret = signingSecret(bits);
  const now = new Date(deps.clock.now());
  const stored = { ...sealSecret(deps.config, id, secret, now), request };
  // A second run of one request would push out the previous secret, with which receivers verify.
  const changed = await deps.models.webhook_endpoints.change(
    { _id: id, businessId, "secrets.request": { $ne: request } },
    { $push: { secrets: { $each: [stored], $position: 0, $slice: MAX_SECRETS } } },
  );
  const endpoint = changed ?? (await findEndpoint(deps, businessId, id));
  return { ...(await showEndpoint(deps, endpoint)), secret };
}

function checkSettings(
  config: ConfigOf<"webhooks">,
  { url, eventTypes }: { url?: string; eventTypes?: string[] },
): void {
  const form = url === undefined ? null : destinationError(url, config.webhooks.allowPrivate);
  if (form !== null) failField("url", `must be ${form}`);
  if (eventTypes?.length === 0)
    failFields([wrongField("eventTypes", "must name at least one type", "too_few")]);
}

export async function showEndpoint(
  { readHealth }: Reading,
  endpoint: Endpoint,
): Promise<EndpointView> {
  return viewOf(endpoint, await readHealth(endpoint));
}

/** The health of a new endpoint. */
const NEW: EndpointHealth = { failingSince: null, lastSuccessAt: null, waiting: 0 };

function viewOf(endpoint: Endpoint, health: EndpointHealth): EndpointView {
  const { _id, url, description, eventTypes, disabled, disabledReason, createdAt } = endpoint;
  return {
    id: _id,
    url,
    description: description ?? null,
    eventTypes: eventTypes ?? [...DEFAULT_EVENT_TYPES],
    disabled,
    disabledReason,
    createdAt: createdAt.toISOString(),
    health,
  };
}
