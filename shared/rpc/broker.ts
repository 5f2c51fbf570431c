// Broker options: the same for all services and all ways to run them.

import { readFileSync } from "node:fs";
import moleculer, { type BrokerOptions, type ServiceBroker } from "moleculer";
import { type ConnectionOptions, credsAuthenticator } from "nats";
import { type CommonConfig, type Config, ConfigError } from "../config/config.ts";
import { DEFAULT_TIMEOUT_MS } from "../contracts/contract.ts";
import { brokerLevels, logOptions } from "../observability/log.ts";
import { slimMetrics } from "../observability/metrics-text.ts";
import { tracingOptions } from "../observability/tracing.ts";
import { callLog } from "./middleware/call-log.ts";
import { deadlines } from "./middleware/deadlines.ts";
import { keptAnswers } from "./middleware/kept-answers.ts";
import { largeAnswers } from "./middleware/large-answers.ts";
import { carriedOrigins } from "./middleware/origins.ts";
import { spans } from "./middleware/spans.ts";
import { timedOutCalls } from "./middleware/timed-out.ts";
import { ContractValidator } from "./middleware/validator.ts";
import { ownersFirst } from "./owner-strategy.ts";
import { NAMESPACE, nodeIdFor } from "./subjects.ts";
import { natsTransporter } from "./transporter.ts";

/**
 * What a call passes through, from the action's handler outwards. The check stands outside of what
 * relies on it, and inside of the span and the log line, which tell of refused calls as well. Both
 * have the origins of the caller. Moleculer's own middlewares come last as always, but its list has
 * the check among them.
 */
const MIDDLEWARES: BrokerOptions["middlewares"] = [
  keptAnswers,
  deadlines,
  "Validator",
  largeAnswers,
  spans,
  callLog,
  carriedOrigins,
  timedOutCalls,
  ...moleculer.ServiceBroker.INTERNAL_MIDDLEWARES.filter((name) => name !== "Validator"),
];

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
    heartbeatInterval: 2,
    // In seconds. Longer than Moleculer's default interval of 10 s, because a node with defaults
    // stays then. A silent node that is called is dropped earlier (timed-out.ts).
    heartbeatTimeout: 15,
    // Other nodes learn of a new service immediately, because a rolling update then stops an old
    // one.
    transit: { serviceChangedDebounceTime: 0 } as BrokerOptions["transit"],
    retryPolicy: { enabled: false },
    validator: new ContractValidator(),
    // SIGTERM: refuse new calls, finish those under way, then close.
    tracking: { enabled: true, shutdownTimeout: 10_000 },
    internalMiddlewares: false,
    middlewares: MIDDLEWARES,
    registry: ownersFirst(),
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
