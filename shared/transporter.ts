// NATS between brokers: Moleculer's transporter, which also detects a dead node at once. A killed
// process sends no goodbye, so it is called until its heartbeat is missed: for some seconds every
// second call would end in a timeout. But the NATS server knows that the node no longer subscribes,
// and answers a request that has a reply subject with "no responders".

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
    // After a lost connection it reconnects without a limit; /health/ready reports it meanwhile.
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
  });
  let isWatching = false;

  /** A reply subject under this prefix contains the node that a request could not reach. */
  const gone = () => `${transporter.prefix}.GONE.${transporter.nodeID}`;

  function watch(client: NatsConnection): void {
    isWatching = true;
    const callback = (_error: unknown, { subject, headers }: Msg) => {
      if (headers?.code !== NO_RESPONDERS) return;
      const nodeId = subject.slice(gone().length + 1);
      // Fails the calls that wait for the node; if it is alive after all, its next heartbeat
      // restores it.
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
