// An OpenTelemetry collector that keeps all spans: OTLP over HTTP, as JSON.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code: number };
  attributes: Attribute[];
}

interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: SentSpan[] }[];
  }[];
}

export interface CollectedSpan extends Omit<SentSpan, "attributes"> {
  service: string;
  attributes: Record<string, string | number | undefined>;
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const receive = async (request: IncomingMessage) => {
    const { resourceSpans } = (await json(request)) as Sent;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(toRecord(resource.attributes)["service.name"]);
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ ...span, service, attributes: toRecord(span.attributes) });
      }
    }
  };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    receive(request).then(
      () => response.end("{}"),
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All spans so far. */
    spans,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function toRecord(attributes: Attribute[]): CollectedSpan["attributes"] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
}
