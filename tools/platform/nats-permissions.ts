// The permissions of payrail's users on NATS, made from the contracts: each service publishes and
// subscribes to its needs, and the server refuses everything else. Internal systems have a user
// without limits.

import {
  type ActionName,
  contractFor,
  contracts,
  events,
} from "../../shared/contracts/contracts.ts";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";
import { BROADCAST_TYPES, NAMESPACE, subjectBy } from "../../shared/rpc/subjects.ts";

export interface Permissions {
  publish: string[];
  subscribe: string[];
}

/** The part of a nats-server's configuration that names certificates, by their paths. */
export interface NatsTls {
  cert_file: string;
  key_file: string;
}

/** Moleculer's prefix of subjects. */
const PREFIX = `MOL-${NAMESPACE}`;
/** The types of packets to one node, without requests: the contracts name their senders. */
const ANSWERS = ["INFO", "DISCOVER", "RES", "PONG"];

/** The subjects that the user of a service may use; the server refuses all others. */
export function natsPermissions(name: ServiceName): Permissions {
  return { publish: published(name), subscribe: subscribed(name) };
}

function published(name: ServiceName): string[] {
  const own = `${name}.*`;
  const sendsEvents = Object.values(events).some(({ sender }) => sender === name);
  const types = [...ANSWERS, ...(sendsEvents ? ["EVENT"] : [])];
  const called = (Object.keys(contracts) as ActionName[]).filter((action) =>
    contractFor(action).callers.includes(name),
  );
  return [
    ...BROADCAST_TYPES.map((type) => subjectBy(PREFIX, own, type)),
    ...types.map((type) => subjectBy(PREFIX, own, type, ">")),
    ...called.map((action) => {
      const service = action.split(".")[0];
      return subjectBy(PREFIX, own, "REQ", `${service}.*`, action);
    }),
    // To plain nodes. A service drops packets on these subjects in a service's name.
    ...BROADCAST_TYPES.map((type) => `${PREFIX}.${type}`),
    ...types.map((type) => `${PREFIX}.${type}.>`),
  ];
}

function subscribed(name: ServiceName): string[] {
  const own = `${name}.*`;
  return [
    ...[...BROADCAST_TYPES, "PING"].flatMap((type) => [
      `${PREFIX}.${type}`,
      subjectBy(PREFIX, "*.*", type),
    ]),
    // Packets of every type to its own nodes, and requests to them under their senders' names.
    `${PREFIX}.*.${own}`,
    subjectBy(PREFIX, "*.*", "*", own),
    subjectBy(PREFIX, "*.*", "REQ", own, ">"),
    `${PREFIX}.GONE.${own}.>`,
  ];
}

/**
 * A nats-server's configuration with these users (a superset of JSON is its format): a service has
 * its permissions, every other name has all rights.
 * @param users with passwords, or their bcrypt hashes
 */
export function natsConfig(users: { name: string; password: string }[], tls?: NatsTls): string {
  const entries = users.map(({ name, password }) => {
    const service = SERVICE_NAMES.find((known) => known === name);
    return { user: name, password, ...(service && { permissions: natsPermissions(service) }) };
  });
  const config = { authorization: { users: entries }, ...(tls && { tls }) };
  return `${JSON.stringify(config, null, 2)}\n`;
}
