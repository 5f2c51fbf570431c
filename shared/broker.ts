// The broker's configuration, one for all services and all ways to run them.

import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import moleculer, {
  type ActionHandler,
  type BrokerOptions,
  type Context,
  type ServiceBroker,
} from "moleculer";
import { type ConnectionOptions, credsAuthenticator } from "nats";
import { LATE, systemClock } from "./clock.ts";
import { DEFAULT_TIMEOUT_MS } from "./contracts/contract.ts";
import type { Config } from "./env.ts";
import { logOptions } from "./log.ts";
import { natsTransporter } from "./transporter.ts";

/**
 * A broker that is not started yet.
 * @param name what runs on it, such as "payouts"; node ids are unique by host and process as well
 * @param namespace keeps systems apart that share a NATS
 */
export function createBroker(config: Config, name: string, namespace = "payrail"): ServiceBroker {
  const options: BrokerOptions = {
    namespace,
    nodeID: `${name}-${hostname()}-${process.pid}`,
    transporter: config.natsUrl
      ? natsTransporter(natsOptions(config.natsUrl, config.natsCreds))
      : null,
    // Bounds what waits for an answer; a call's own contract may say otherwise.
    requestTimeout: DEFAULT_TIMEOUT_MS,
    // In seconds. What freezes, or loses the network, is called no more after twice the second.
    heartbeatInterval: 2,
    heartbeatTimeout: 6,
    // Others hear of a service the moment it is there: who waits for that stops another one then.
    transit: { serviceChangedDebounceTime: 0 } as BrokerOptions["transit"],
    retryPolicy: { enabled: false },
    // Parameters are checked by the contracts (shared/actions.ts).
    validator: false,
    // SIGTERM: stop taking, finish what was let in, then close.
    tracking: { enabled: true, shutdownTimeout: 10_000 },
    middlewares: [{ name: "TimedOut", remoteAction: untilItTimedOut }],
    registry: { preferLocal: true },
    internalServices: false,
    logger: { type: "Pino", options: { pino: { options: logOptions(config.logLevel) } } },
    logLevel: config.logLevel as BrokerOptions["logLevel"],
    // The process that runs the broker owns its signals.
    skipProcessEventRegistration: true,
    errorHandler: null,
  };
  return new moleculer.ServiceBroker(options);
}

/** Longer than the call itself waits, so that its own error is the one that is seen. */
const TIMED_OUT_FOR_MS = 50;

/**
 * Ends a call to another node that has timed out. Moleculer forgets to: it would keep the call, and
 * whatever is in it, for good, and wait for it as long as it may when it is told to stop.
 */
function untilItTimedOut(next: ActionHandler): ActionHandler {
  return async function (context: Context) {
    const call: Promise<unknown> = next.call(this, context);
    const { timeout } = context.options;
    if (!timeout) return call;
    const result = await systemClock.within(call, timeout + TIMED_OUT_FOR_MS);
    if (result === LATE) throw new Error("It timed out");
    return result;
  };
}

/**
 * How to reach NATS_URL: the credentials (of the first, where there are several) travel beside the
 * addresses, TLS where the URL says so.
 */
export function natsOptions(urls: string, creds: string | null): ConnectionOptions {
  const servers = urls.split(",").map((url) => new URL(url));
  const { protocol, username, password } = servers[0] as URL;
  return {
    servers: servers.map(({ host }) => `${protocol}//${host}`),
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(protocol === "tls:" && { tls: {} }),
    ...(creds && { authenticator: credsAuthenticator(readFileSync(creds)) }),
  };
}
