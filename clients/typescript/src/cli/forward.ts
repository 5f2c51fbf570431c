// Sends a stored event to the developer's server, with the signature of a delivery.

import { randomBytes } from "node:crypto";
import type { StoredEvent } from "../resources/events.ts";
import { signWebhook } from "../signature.ts";
import { coloured, type Print, UsageError } from "./command.ts";

/** The default limit of a delivery. */
const TIMEOUT_MS = 15_000;

/**
 * The URL of the developer's server.
 * @param given a URL, or `localhost:4000/hooks` for http
 * @throws UsageError
 */
export function destination(given: string): string {
  const url = /^https?:\/\//i.test(given) ? given : `http://${given}`;
  if (URL.canParse(url)) return url;
  throw new UsageError("--forward-to must be an address, such as localhost:4000/hooks");
}

/** The signing secret in PAYRAIL_WEBHOOK_SECRET, or a new one. */
export function forwardingSecret(): string {
  return process.env.PAYRAIL_WEBHOOK_SECRET || `whsec_${randomBytes(32).toString("base64")}`;
}

/** The time of day on this machine. */
export const clockTime = (): string => new Date().toLocaleTimeString("en-GB");

/** Sends an event once and prints the outcome. @returns whether the server answered with 2xx */
export async function forward(
  event: StoredEvent,
  { url, secret, print }: { url: string; secret: string; print: Print },
): Promise<boolean> {
  const { id, eventType, body } = event;
  const { status } = JSON.parse(body) as { status: string };
  const begin = performance.now();
  const outcome = await send(url, body, signWebhook(body, secret, { id }));
  const durationMs = Math.round(performance.now() - begin);
  const isTaken = typeof outcome === "number" && outcome >= 200 && outcome < 300;
  const said = coloured(isTaken ? "green" : "red", String(outcome));
  print(`${clockTime()} ${eventType} ${status} ${id} -> ${said} (${durationMs} ms)`, {
    id,
    eventType,
    status,
    createdAt: event.createdAt,
    ...(typeof outcome === "number" ? { statusCode: outcome } : { error: outcome }),
    durationMs,
  });
  return isTaken;
}

/** @returns the status of the answer, or the reason of a failure */
async function send(url: string, body: string, signature: object): Promise<number | string> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "payrail-webhooks/1",
        ...signature,
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    const { cause = error } = error as { cause?: unknown };
    const { code, message } = cause as { code?: string; message: string };
    return code ?? message;
  }
}
