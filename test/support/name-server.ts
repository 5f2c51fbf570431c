// A name server (RFC 1035, over UDP) with answers that the test sets; it can also stay silent.

import { createSocket } from "node:dgram";

export interface NameServer {
  /** The address in the form that setServers takes. */
  address: string;
  /** The queried names, one per query. */
  queries: string[];
  stop(): Promise<void>;
}

/** The records of a name: addresses, an alias and its addresses, none, or no answer at all. */
export type Records = { A?: string[]; AAAA?: string[]; alias?: string } | "unknown" | "silence";

const QUERY_TYPES = { A: 1, CNAME: 5, AAAA: 28 };

export async function startNameServer(find: (name: string) => Records): Promise<NameServer> {
  const socket = createSocket("udp4");
  const queries: string[] = [];
  socket.on("message", (query, from) => {
    const { name, end, type } = questionOf(query);
    queries.push(name);
    const records = find(name);
    if (records === "silence") return;
    const answers = records === "unknown" ? [] : recordsOf(records, type);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(records === "unknown" ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), from.port);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    stop: () =>
      new Promise((resolve) => {
        socket.close(resolve);
      }),
  };
}

function questionOf(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let size = query.readUInt8(at); size > 0; size = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + size));
    at += 1 + size;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) };
}

function recordsOf(records: Exclude<Records, string>, type: number): Buffer[] {
  const { A = [], AAAA = [], alias } = records;
  // The first record belongs to the name in the question, at offset 12; records after an alias
  // belong to the alias.
  const before = alias ? [record(QUERY_TYPES.CNAME, nameOf(alias), "question")] : [];
  const owner = alias ?? "question";
  const v4 = A.map((address) =>
    record(QUERY_TYPES.A, Buffer.from(address.split(".").map(Number)), owner),
  );
  const v6 = AAAA.map((hex) => record(QUERY_TYPES.AAAA, Buffer.from(hex, "hex"), owner));
  return [...before, ...(type === QUERY_TYPES.A ? v4 : type === QUERY_TYPES.AAAA ? v6 : [])];
}

function record(type: number, data: Buffer, owner: string): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt16BE(data.length, 8);
  const name = owner === "question" ? Buffer.from([0xc0, 0x0c]) : nameOf(owner);
  return Buffer.concat([name, fields, data]);
}

const nameOf = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
