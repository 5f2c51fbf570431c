// Broker options: the same for all services and all ways to run them.

import { readFileSync } from "node:fs";
import moleculer, {
  type ActionHandler,
  type BrokerOptions,
  type Context,
  type ServiceBroker,
} from "moleculer";
import { type ConnectionOptions, credsAuthenticator } from "nats";
import { LATE, within } from "../clock.ts";
import { type CommonConfig, type Config, ConfigError } from "../config/config.ts";
import { DEFAULT_TIMEOUT_MS } from "../contracts/contract.ts";
import { brokerLevels, logOptions } from "../observability/log.ts";
import { slimMetrics } from "../observability/metrics-text.ts";
import { tracingOptions } from "../observability/tracing.ts";
import { NAMESPACE, nodeIdFor } from "./subjects.ts";
import { natsTransporter } from "./transporter.ts";

const HEARTBEAT_S = 2;
/** A payrail node that is silent for longer has missed two heartbeats. */
const SILENT_S = 3 * HEARTBEAT_S;

/**
 * Creates a broker, without starting it.
 * @param name its services, such as "payouts"; node ids are unique by host and process as well
 * @param namespace separates systems that share a NATS
 */
export function createBroker(
  config: CommonConfig,
  name: string,
  namespace?: string,
): ServiceBroker {
  const broker = new moleculer.ServiceBroker(brokerOptions(config, name, namespace));
  slimMetrics(broker);
  return broker;
}

/** The options of such a broker. */
export function brokerOptions(
  config: CommonConfig,
  name: string,
  namespace = NAMESPACE,
): BrokerOptions {
  return {
    namespace,
    nodeID: nodeIdFor(name),
    transporter: config.natsUrl ? natsTransporter(natsOptions(config)) : null,
    // Bounds the wait for an answer; a call's own contract may set another bound.
    requestTimeout: DEFAULT_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_S,
    // In seconds. Longer than Moleculer's default interval of 10 s, because a node with defaults
    // stays then. A silent node that is called is dropped earlier (dropTimedOut).
    heartbeatTimeout: 15,
    // Other nodes learn of a new service at once, because a rolling update then stops an old one.
    transit: { serviceChangedDebounceTime: 0 } as BrokerOptions["transit"],
    retryPolicy: { enabled: false },
    // Parameters are checked by the contracts (shared/rpc/actions.ts).
    validator: false,
    // SIGTERM: refuse new calls, finish those under way, then close.
    tracking: { enabled: true, shutdownTimeout: 10_000 },
    middlewares: [{ name: "TimedOut", remoteAction: dropTimedOut }],
    registry: { preferLocal: true },
    internalServices: false,
    metrics: { enabled: config.probePort !== null, collectProcessMetrics: true },
    tracing: tracingOptions(config, name),
    logger: { type: "Pino", options: { pino: { options: logOptions(config.logLevel, name) } } },
    logLevel: brokerLevels(config.logLevel) as BrokerOptions["logLevel"],
    // The process that runs the broker owns its signals.
    skipProcessEventRegistration: true,
    errorHandler: null,
  };
}

/**
 * Longer than the call itself waits, because the caller has to see Moleculer's own timeout error.
 */
const TIMED_OUT_FOR_MS = 50;

/**
 * Ends a call to another node that has timed out, because Moleculer would keep the call and its
 * parameters, and would wait for it when the broker stops. If the node is silent too (frozen, or
 * off the network), it drops the node: the next calls go to other nodes.
 */
function dropTimedOut(next: ActionHandler): ActionHandler {
  return async function (context: Context) {
    const call: Promise<unknown> = next.call(this, context);
    const { timeout } = context.options;
    if (!timeout) return call;
    const result = await within(call, timeout + TIMED_OUT_FOR_MS);
    if (result !== LATE) return result;
    dropSilent(context.broker, context.nodeID as string);
    throw new Error("It timed out");
  };
}

/** A node that is still alive returns with its next heartbeat. */
function dropSilent({ registry }: ServiceBroker, nodeId: string): void {
  const { lastHeartbeatTime } = registry.nodes.get(nodeId) ?? {};
  const isSilent = lastHeartbeatTime && process.uptime() - lastHeartbeatTime > SILENT_S;
  if (isSilent) registry.nodes.disconnected(nodeId, true);
}

/**
 * Connection options for NATS_URL: the credentials (of the first URL, if there are several) are
 * sent apart from the addresses, and TLS is used if the URL asks for it.
 * @throws ConfigError if a file of the configuration cannot be read
 */
export function natsOptions({ natsUrl, natsCreds, natsCaFile }: NatsConfig): ConnectionOptions {
  const servers = (natsUrl as string).split(",").map((url) => new URL(url));
  const { protocol, username, password } = servers[0] as URL;
  const ca = natsCaFile ? { ca: readGiven("NATS_CA_FILE", natsCaFile).toString() } : {};
  return {
    servers: servers.map(({ host }) => `${protocol}//${host}`),
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(protocol === "tls:" && { tls: ca }),
    ...(natsCreds && { authenticator: credsAuthenticator(readGiven("NATS_CREDS", natsCreds)) }),
  };
}

type NatsConfig = Pick<Config, "natsUrl" | "natsCreds" | "natsCaFile">;

function readGiven(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${variable}: the file ${path} cannot be read (${code}).`);
  }
}
