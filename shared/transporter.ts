// NATS between brokers: Moleculer's transporter, which also notices at once that a node is gone. A
// killed process says no farewell, and is called until its heartbeat is missed: for seconds every other
// call would end in a timeout. But the server knows that nobody listens to it any more, and tells
// whoever sends it a request that names where to tell ("no responders").

import moleculer from "moleculer";
import type { ConnectionOptions, Msg, NatsConnection } from "nats";

const REQUEST = "REQ";
const NO_RESPONDERS = 503;

interface Sent {
  packet?: { type: string; target?: string | null };
}

/** @param options how to reach the server */
export function natsTransporter(options: ConnectionOptions) {
  const transporter = new moleculer.Transporters.NATS({
    ...options,
    // Lost later, it is sought for good; /health/ready says so meanwhile.
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
  });
  let isWatching = false;

  /** Subjects under this one name the node to which a request of ours could not go. */
  const gone = () => `${transporter.prefix}.GONE.${transporter.nodeID}`;

  function watch(client: NatsConnection): void {
    isWatching = true;
    const callback = (_error: unknown, { subject, headers }: Msg) => {
      if (headers?.code !== NO_RESPONDERS) return;
      const nodeId = subject.slice(gone().length + 1);
      // Fails what waits for it; should it live after all, its next heartbeat brings it back.
      transporter.broker.registry.nodes.disconnected(nodeId, true);
    };
    client.subscribe(`${gone()}.>`, { callback });
  }

  transporter.send = async (topic: string, data: Buffer, sent?: Sent) => {
    const client = transporter.client as NatsConnection | null;
    if (!client) return;
    const { type, target } = sent?.packet ?? {};
    if (type !== REQUEST || !target) return client.publish(topic, data);
    if (!isWatching) watch(client);
    client.publish(topic, data, { reply: `${gone()}.${target}` });
  };
  return transporter;
}
