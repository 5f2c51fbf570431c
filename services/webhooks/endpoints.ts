// Endpoints: registered, changed and deleted by the business they belong to; another's id answers as
// one that does not exist. Secrets are shown once, and lie encrypted.

import type { Model } from "mongoose";
import { EVENT_TYPES } from "../../shared/contracts/webhooks.ts";
import type { Params, Result } from "../../shared/contracts.ts";
import type { Config } from "../../shared/env.ts";
import { fail, typeOf } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { oldestFirst } from "../../shared/paging.ts";
import { seal, unseal } from "../../shared/seal.ts";
import { destinationError } from "./destination.ts";
import type { Endpoint, EndpointSecret } from "./endpoint.model.ts";
import { newSecret } from "./signature.ts";

/** How long the secret before the last rotation signs beside the new one. */
const OLD_SECRET_SIGNS_MS = 24 * 3_600_000;
const MAX_SECRETS = 2;
const MAX_ENDPOINTS = 200;

type Endpoints = Model<Endpoint>;
type EndpointView = Result<"webhooks.endpoint">;
type EndpointWithSecret = Result<"webhooks.createEndpoint">;

/**
 * Registers an endpoint.
 * @throws VALIDATION where the URL is no destination, no type is wanted, or there are too many
 */
export async function createEndpoint(
  endpoints: Endpoints,
  config: Config,
  { businessId, url, description, eventTypes }: Params<"webhooks.createEndpoint">,
): Promise<EndpointWithSecret> {
  checkSettings(config, { url, eventTypes });
  if ((await endpoints.countDocuments({ businessId })) >= MAX_ENDPOINTS) {
    fail("VALIDATION", `A business has at most ${MAX_ENDPOINTS} webhooks`);
  }
  const id = newId();
  const { secret, stored } = secretFor(config, id);
  const endpoint: Endpoint = {
    _id: id,
    businessId,
    url,
    description: description ?? null,
    eventTypes: eventTypes ? [...new Set(eventTypes)] : null,
    disabled: false,
    disabledReason: null,
    disabledAt: null,
    enabledAt: null,
    secrets: [stored],
    createdAt: new Date(),
  };
  await endpoints.create(endpoint);
  return { ...endpointView(endpoint), secret };
}

export async function listEndpoints(
  endpoints: Endpoints,
  businessId: string,
  paging: { page?: number; limit?: number },
): Promise<Result<"webhooks.endpoints">> {
  const { documents, meta } = await oldestFirst(endpoints, { businessId }, paging);
  return { items: documents.map(endpointView), meta };
}

/** @throws WEBHOOK_NOT_FOUND */
export async function findEndpoint(
  endpoints: Endpoints,
  businessId: string,
  id: string,
): Promise<Endpoint> {
  return (await endpoints.findOne({ _id: id, businessId }).lean()) ?? fail("WEBHOOK_NOT_FOUND");
}

/**
 * Changes what is named of an endpoint.
 * @throws VALIDATION as creation does, or where nothing is named; WEBHOOK_NOT_FOUND
 */
export async function updateEndpoint(
  endpoints: Endpoints,
  config: Config,
  { businessId, id, url, description, eventTypes, disabled }: Params<"webhooks.updateEndpoint">,
): Promise<EndpointView> {
  const settings = { url, description, eventTypes, disabled };
  if (Object.values(settings).every((value) => value === undefined)) {
    fail("VALIDATION", `The body must have one of ${Object.keys(settings).join(", ")}`);
  }
  checkSettings(config, { url, eventTypes });
  const endpoint = await findEndpoint(endpoints, businessId, id);
  const switched = disabled !== undefined && disabled !== endpoint.disabled;
  const changed = await endpoints
    .findOneAndUpdate(
      { _id: id, businessId },
      {
        ...(url !== undefined && { url }),
        ...(description !== undefined && { description }),
        ...(eventTypes !== undefined && { eventTypes: [...new Set(eventTypes)] }),
        ...(switched && (disabled ? switchedOff() : switchedOn())),
      },
      { new: true },
    )
    .lean();
  return endpointView(changed ?? fail("WEBHOOK_NOT_FOUND"));
}

const switchedOff = () => ({
  disabled: true,
  disabledReason: "Disabled by request",
  disabledAt: new Date(),
  enabledAt: null,
});

const switchedOn = () => ({ disabled: false, disabledReason: null, enabledAt: new Date() });

/** @throws WEBHOOK_NOT_FOUND */
export async function deleteEndpoint(
  endpoints: Endpoints,
  businessId: string,
  id: string,
): Promise<void> {
  const { deletedCount } = await endpoints.deleteOne({ _id: id, businessId });
  if (deletedCount === 0) fail("WEBHOOK_NOT_FOUND");
}

/**
 * Gives an endpoint a new secret. The one before signs on for a while; older ones are dropped.
 * @throws WEBHOOK_NOT_FOUND
 */
export async function rotateSecret(
  endpoints: Endpoints,
  config: Config,
  businessId: string,
  id: string,
): Promise<EndpointWithSecret> {
  const { secret, stored } = secretFor(config, id);
  const changed = await endpoints
    .findOneAndUpdate(
      { _id: id, businessId },
      { $push: { secrets: { $each: [stored], $position: 0, $slice: MAX_SECRETS } } },
      { new: true },
    )
    .lean();
  return { ...endpointView(changed ?? fail("WEBHOOK_NOT_FOUND")), secret };
}

/**
 * The secrets that sign at a moment, the newest first; without those that cannot be opened, because
 * they were encrypted with a key that is not configured any more.
 */
export function signingSecrets(config: Config, { _id, secrets }: Endpoint, at: Date): string[] {
  const [newest, before] = secrets as [EndpointSecret, EndpointSecret | undefined];
  const signsOn = at.getTime() < newest.createdAt.getTime() + OLD_SECRET_SIGNS_MS;
  const signing = before && signsOn ? [newest, before] : [newest];
  return signing.flatMap(({ sealed }) => {
    try {
      return unseal(config, placeOf(_id), sealed);
    } catch (error) {
      if (typeOf(error) === "UNREADABLE") return [];
      throw error;
    }
  });
}

function secretFor(config: Config, id: string): { secret: string; stored: EndpointSecret } {
  const secret = newSecret();
  const stored = { sealed: seal(config, placeOf(id), secret), createdAt: new Date() };
  return { secret, stored };
}

/** What an endpoint's sealed secrets are bound to. */
export function placeOf(endpointId: string): string {
  return `webhook:${endpointId}`;
}

function checkSettings(
  config: Config,
  { url, eventTypes }: { url?: string; eventTypes?: string[] },
): void {
  const form = url === undefined ? null : destinationError(url, config.webhooks.allowPrivate);
  if (form !== null) fail("VALIDATION", `url must be ${form}`);
  if (eventTypes?.length === 0) fail("VALIDATION", "eventTypes must name at least one type");
}

export function endpointView(endpoint: Endpoint): EndpointView {
  const { _id, url, description, eventTypes, disabled, disabledReason, createdAt } = endpoint;
  return {
    id: _id,
    url,
    description: description ?? null,
    eventTypes: eventTypes ?? [...EVENT_TYPES],
    disabled,
    disabledReason,
    createdAt: createdAt.toISOString(),
  };
}
