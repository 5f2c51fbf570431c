// Node ids and NATS subjects. A Moleculer packet names its sender, and any client of NATS can write
// any name into it. So packets between our services travel on subjects with the sender in them,
// `MOL-payrail.BY.<sender>.<type>…`: the NATS server lets each user publish only under its own name
// (tools/platform/nats-permissions.ts). All other nodes, such as internal systems on plain
// Moleculer, use Moleculer's own subjects.

import { hostname } from "node:os";
import { SERVICE_NAMES, type ServiceName } from "./service-names.ts";

/** Separates payrail from other Moleculer systems on a NATS. */
export const NAMESPACE = "payrail";

/** The types of Moleculer's packets that go to all nodes; the others go to one. */
export const BROADCAST_TYPES = ["INFO", "DISCOVER", "HEARTBEAT", "DISCONNECT"] as const;

/**
 * The id of a process's node: two tokens of a subject, and the first is the name of the NATS user.
 * @param name its services, such as "payouts"
 */
export function nodeIdFor(name: string, pid: number | undefined = process.pid): string {
  return `${name}.${hostname().replaceAll(/[^\w-]/g, "-")}-${pid}`;
}

/** The service of a node; undefined for a node of several services, and for a plain node. */
export function serviceOf(nodeId: string): ServiceName | undefined {
  const end = nodeId.indexOf(".");
  const first = nodeId.slice(0, Math.max(0, end));
  return SERVICE_NAMES.find((name) => name === first);
}

/** The part of a subject after Moleculer's prefix that begins a subject with its sender. */
const BY = "BY";

/** The subject of a packet under its sender's name; `*` stands for any token. */
export function subjectBy(
  prefix: string,
  sender: string,
  type: string,
  target?: string,
  action?: string,
): string {
  const all = `${prefix}.${BY}.${sender}.${type}`;
  if (target === undefined) return all;
  return action === undefined ? `${all}.${target}` : `${all}.${target}.${action}`;
}

/** Whether the subject has its sender in it. */
export function hasSender(prefix: string, subject: string): boolean {
  return subject.startsWith(BY, prefix.length + 1);
}
