// The name of the node that opened a connection to a mongod, from its first message: a mongod with
// test commands tells its own port (`hostInfo`), as MongoDB's own mongobridge needs it; a client of
// the plant tells its name as the version of its operating system (preload.ts) or as its appName.

import mongoose from "mongoose";
import { MARK } from "./mark.ts";
import type { Identify } from "./network.ts";
import type { NodeName } from "./rules.ts";

const { BSON } = mongoose.mongo;
const HEADER_BYTES = 16;
const OP_QUERY = 2004;
const OP_MSG = 2013;

interface Hello {
  /** Its host name and its own port. */
  hostInfo?: string;
  client?: { application?: { name?: string }; os?: { version?: string } };
}

/** @param mongods the names of the mongods by their own ports */
export function identifyBy(mongods: Map<number, NodeName>): Identify {
  return (first) => {
    if (first.length < 4 || first.length < first.readInt32LE(0)) return null;
    const { hostInfo, client } = helloOf(first);
    const mongod = mongods.get(Number(hostInfo?.split(":").pop()));
    if (mongod !== undefined) return mongod;
    const marked = client?.os?.version?.startsWith(MARK);
    const name = marked ? client?.os?.version?.slice(MARK.length) : client?.application?.name;
    return name ?? "unknown";
  };
}

function helloOf(message: Buffer): Hello {
  const body = message.subarray(startOfBody(message));
  // A checksum may follow.
  return BSON.deserialize(body.subarray(0, body.readInt32LE(0)));
}

/** The first document: after the flags and the kind of section, or after the query's own fields. */
function startOfBody(message: Buffer): number {
  const code = message.readInt32LE(12);
  if (code === OP_MSG) return HEADER_BYTES + 5;
  if (code === OP_QUERY) return message.indexOf(0, HEADER_BYTES + 4) + 1 + 8;
  throw new Error(`A connection to MongoDB began with a message of kind ${code}`);
}
