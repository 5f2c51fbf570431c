// The signing secrets of endpoints, sealed at rest.

import type { KeyObject } from "node:crypto";
import type { ConfigOf } from "../../../shared/config/config.ts";
import { errorType } from "../../../shared/errors.ts";
import { seal, unseal } from "../../../shared/security/seal.ts";
import { signingKey } from "../exchange/signature.ts";
import type { Endpoint, EndpointSecret } from "./endpoint.model.ts";

/** The time for which the previous secret signs beside the new one. */
const OLD_SECRET_SIGNS_MS = 24 * 3_600_000;

/** The place that an endpoint's sealed secrets are bound to. */
export function secretPlace(endpointId: string): string {
  return `webhook:${endpointId}`;
}

export function sealSecret(
  config: ConfigOf<"webhooks">,
  endpointId: string,
  secret: string,
  createdAt: Date,
): EndpointSecret {
  return { sealed: seal(config, secretPlace(endpointId), secret), createdAt };
}

/** @throws UNREADABLE if it was encrypted with a key that is not configured any more */
export function openSecret(
  config: ConfigOf<"webhooks">,
  endpointId: string,
  { sealed }: EndpointSecret,
): string {
  return unseal(config, secretPlace(endpointId), sealed);
}

/** The keys that sign at this time, the newest first; without those that cannot be opened. */
export function signingKeys(
  config: ConfigOf<"webhooks">,
  { _id, secrets }: Endpoint,
  at: Date,
): KeyObject[] {
  const [newest, before] = secrets as [EndpointSecret, EndpointSecret | undefined];
  const signsOn = at.getTime() < newest.createdAt.getTime() + OLD_SECRET_SIGNS_MS;
  const signing = before && signsOn ? [newest, before] : [newest];
  return signing.flatMap((secret) => {
    try {
      return signingKey(openSecret(config, _id, secret));
    } catch (error) {
      if (errorType(error) === "UNREADABLE") return [];
      throw error;
    }
  });
}
