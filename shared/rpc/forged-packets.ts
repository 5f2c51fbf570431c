// Forged packets: a service that was broken into can publish on Moleculer's own subjects, and under
// its own name. It must not pass for another service, so each packet is checked against the subject
// that brought it, before Moleculer reads the packet.

import { SERVICE_NAMES } from "./service-names.ts";
import { hasSender, serviceOf, subjectBy } from "./subjects.ts";

type Payload = Record<string, unknown>;

/** The node that receives. */
export interface Receiver {
  nodeID: string;
  /** Moleculer's, of all subjects. */
  prefix: string;
  /** The node that this request was sent to; undefined for an unknown request. */
  askedNode(requestId: unknown): string | undefined;
}

/**
 * A part of a subject. A space or a line end in it would be a command to the NATS server, and the
 * server ends the connection that sends a line of more than 4 KB.
 */
const NODE_ID = /^[^\s*>]{1,255}$/;

/**
 * Finds the reason to drop a packet.
 * @param subject the packet's; it tells the sender unless it is one of Moleculer's own
 * @returns null if it may be believed; `copy` if it may be a copy for plain nodes of a packet that
 *   has come, or comes, under its sender's name
 */
export function reasonToDrop(
  type: string,
  payload: Payload,
  subject: string,
  { nodeID, prefix, askedNode }: Receiver,
): string | null {
  const { sender } = payload;
  // Answers are sent to this name. With a line end in it, this node would publish in its own name
  // the text of another service, for instance a posting; a long one would take all nodes off NATS.
  if (typeof sender !== "string" || !NODE_ID.test(sender)) return "its sender is no node id";
  const isBySender = hasSender(prefix, subject);
  if (isBySender) {
    // The server allows subjects: a request for another action than its subject's is not allowed,
    // and one in another's name would bring that node an answer that it did not ask for.
    const action = type === "REQ" ? String(payload.action) : undefined;
    const isTrue =
      subject === subjectBy(prefix, sender, type, nodeID, action) ||
      subject === subjectBy(prefix, sender, type);
    if (!isTrue) return "its subject has another sender or action";
  } else if (serviceOf(nodeID) && serviceOf(sender)) {
    // Any service can publish here: a forged DISCONNECT would take another service away, a forged
    // HEARTBEAT keep a dead one, an INFO with this node's id end this process.
    return "copy";
  }
  // Moleculer would keep the pieces until an action reads them.
  if (type === "REQ" && payload.stream) return "no action takes a stream";
  if (type === "INFO" && !mayOffer(payload, sender, isBySender)) {
    return isBySender ? "it offers another service" : "copy";
  }
  // A service sees the ids of its caller's own requests, and Moleculer's ids can be guessed. With
  // one it would answer "committed" in the place of the ledger.
  const asked = type === "RES" ? askedNode(payload.id) : undefined;
  return asked === undefined || asked === sender ? null : "another node was asked";
}

/**
 * Whether the sender may offer the services and actions of an announcement: a node of one service
 * offers this one, plain nodes none of ours. Otherwise calls of the ledger, for instance, would go
 * to the impostor. Nodes of several services belong to development, where all have the same rights.
 */
function mayOffer(info: Payload, sender: string, isBySender: boolean): boolean {
  const offered = offeredServices(info).filter((name) => SERVICE_NAMES.some((our) => our === name));
  if (!isBySender) return offered.length === 0;
  const own = serviceOf(sender);
  return own === undefined || offered.every((name) => name === own);
}

interface Offer {
  name?: unknown;
  fullName?: unknown;
  /** Moleculer registers each action under its own name, not under its service's name. */
  actions?: Record<string, { name?: unknown }>;
}

function offeredServices({ services = [] }: { services?: Offer[] }): string[] {
  return services.flatMap(({ name, fullName, actions }) => {
    const owners = Object.values(actions ?? {}).map((action) => String(action.name).split(".")[0]);
    return [String(name), String(fullName), ...owners] as string[];
  });
}
