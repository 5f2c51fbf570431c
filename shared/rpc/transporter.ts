// NATS between brokers: Moleculer's transporter, which also
// - sends packets between services under the sender's name, so that the NATS server enforces the
//   contracts' callers (subjects.ts), and drops forged packets (forged-packets.ts);
// - detects a dead node immediately. A killed process sends no goodbye, so it is called until its
//   heartbeat is missed: for some seconds every second call would end in a timeout. But the NATS
//   server knows that the node no longer subscribes, and answers a request that has a reply subject
//   with "no responders";
// - drops a request that comes twice (repeated-requests.ts);
// - leaves a NATS server that falls silent;
// - reports refusals of the NATS server;
// - sends the packets of one turn of the event loop in one write, because a write to a socket costs
//   more than a packet. They also arrive together, so that the receiver gathers them into fewer and
//   larger batches.

import moleculer from "moleculer";
import { type ConnectionOptions, Events, type Msg, type NatsConnection, type Status } from "nats";
import { endOfTurn } from "../observability/event-loop.ts";
import { closeFailedDials } from "./failed-dials.ts";
import { reasonToDrop } from "./forged-packets.ts";
import { repeatedRequests } from "./repeated-requests.ts";
import { serviceOf, subjectBy } from "./subjects.ts";

const NO_RESPONDERS = 503;

/**
 * A NATS server that falls silent, because it hangs or its host lost power, is left for another one
 * after the third of these intervals. The client's default of two minutes would keep all of a
 * service's processes on such a server for six.
 */
const PING = { pingInterval: 2_000, maxPingOut: 2 };
/** How long a server that accepts a connection may stay silent, in ms. */
const CONNECTED_WITHIN_MS = 3_000;

interface Packet {
  type: string;
  target?: string | null;
  payload: Record<string, unknown> | null;
}

/** Parts of Moleculer's transporter, because its own types of them do not fit. */
interface Receiving {
  /** Middlewares may wrap it. */
  receive(type: string, data: Buffer, subject: string): void;
  messageHandler(type: string, packet: Packet): Promise<void>;
}

interface Topic {
  cmd: string;
  nodeID?: string;
}

/** @param options how to reach the server */
export function natsTransporter(options: ConnectionOptions) {
  closeFailedDials();
  const transporter = new moleculer.Transporters.NATS({
    ...options,
    // After a lost connection it reconnects without a limit; /health/ready reports it meanwhile.
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    timeout: CONNECTED_WITHIN_MS,
    ...PING,
  });

  const receiving = transporter as unknown as Receiving;

  /** A reply subject under this prefix contains the node that a request could not reach. */
  const gone = () => `${transporter.prefix}.GONE.${transporter.nodeID}`;
  /** Whether this is the node of a service. */
  let isOurs = false;
  const receiver = {
    nodeID: "",
    prefix: "",
    askedNode: (id: unknown): string | undefined =>
      transporter.transit.pendingRequests.get(id as string)?.nodeID,
  };

  const requests = repeatedRequests(() => performance.now());

  transporter.makeSubscriptions = async (topics) => {
    receiver.nodeID = transporter.nodeID;
    receiver.prefix = transporter.prefix;
    isOurs = serviceOf(transporter.nodeID) !== undefined;
    const client = transporter.client as NatsConnection;
    void watch(client);
    const dropGone = (_error: unknown, { subject, headers }: Msg) => {
      if (headers?.code !== NO_RESPONDERS) return;
      const nodeId = subject.slice(gone().length + 1);
      // Fails the calls that wait for the node; if it is alive after all, its next heartbeat
      // restores it.
      transporter.broker.registry.nodes.disconnected(nodeId, true);
    };
    client.subscribe(`${gone()}.>`, { callback: dropGone });
    for (const topic of topics as Topic[]) listen(client, topic);
  };

  /** Listens for packets of a type on Moleculer's subject and on the subjects of their senders. */
  function listen(client: NatsConnection, { cmd: type, nodeID }: Topic): void {
    const callback = (error: unknown, { subject, data }: Msg) => {
      // watch() reports a refused subscription.
      if (!error) receiving.receive(type, Buffer.from(data), subject);
    };
    client.subscribe(transporter.getTopicName(type, nodeID), { callback });
    const action = type === "REQ" ? ">" : undefined;
    const byName = subjectBy(transporter.prefix, "*.*", type, nodeID, action);
    client.subscribe(byName, { callback });
  }

  receiving.receive = (type, data, subject) => {
    try {
      const packet = transporter.deserialize(type, data) as unknown as Packet;
      const reason = dropReason(packet, subject);
      if (reason === "copy") return;
      if (reason) {
        transporter.logger.warn(`A packet on ${subject} is dropped, because ${reason}`, packet);
        return;
      }
      // An answer's meta would replace the caller's, in which later calls find the actor.
      if (type === "RES" && packet.payload) packet.payload.meta = undefined;
      void receiving.messageHandler(type, packet);
    } catch (error) {
      transporter.logger.warn("Invalid incoming packet. Type:", type, error);
    }
  };

  function dropReason({ type, payload }: Packet, subject: string): string | null {
    // Moleculer drops, and logs, a packet of another version.
    if (payload?.ver !== transporter.broker.PROTOCOL_VERSION) return null;
    const reason = reasonToDrop(type, payload, subject, receiver);
    if (reason !== null || type !== "REQ") return reason;
    const { sender, id } = payload as { sender: string; id: string };
    return requests.isRepeated(sender, id) ? "it has come before" : null;
  }

  transporter.send = async (topic: string, data: Buffer, sent?: { packet?: Packet }) => {
    // The other packets of this turn join the same write.
    await endOfTurn();
    const client = transporter.client as NatsConnection | null;
    if (!client || !sent?.packet) return;
    const { type, target, payload } = sent.packet;
    const isBetweenServices = isOurs && target && serviceOf(target) !== undefined;
    const isRequest = type === "REQ" && target;
    const how = isRequest ? { reply: `${gone()}.${target}` } : undefined;
    if (!isBetweenServices) client.publish(topic, data, how);
    // Plain nodes get announcements as well, and of those from nodes of several services it is not
    // known which node listens.
    if (isBetweenServices || type === "INFO" || (isOurs && !target)) {
      const action = type === "REQ" ? (payload?.action as string) : undefined;
      const { prefix, nodeID } = transporter;
      client.publish(subjectBy(prefix, nodeID, type, target ?? undefined, action), data, how);
    }
  };

  /** Reports refusals of the server; ends the process where it could only wait for nothing. */
  async function watch(client: NatsConnection): Promise<void> {
    const { broker, logger } = transporter;
    void client.closed().then((error) => {
      if (error) broker.fatal(`NATS has ended the connection for good (${error.message})`);
    });
    for await (const status of client.status()) {
      const { operation, subject } = readRefusal(status) ?? {};
      if (operation === "publish")
        logger.error(`NATS does not let this node publish to ${subject}`);
      if (operation === "subscription") {
        broker.fatal(
          `NATS does not let this node listen to ${subject}: give its user the permissions of npm run nats-permissions`,
        );
      }
    }
  }
  return transporter;
}

interface Refusal {
  operation: "publish" | "subscription";
  subject: string;
}

function readRefusal(status: Status): Refusal | undefined {
  const { permissionContext } = status as Status & { permissionContext?: Refusal };
  return status.type === Events.Error ? permissionContext : undefined;
}
