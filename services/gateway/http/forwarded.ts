// The nodes that proxies name in X-Forwarded-For and in Forwarded (RFC 7239), in every form in
// which proxies write them. Only the end of a header was written by the nearest proxy, so it is
// read from there: what a client wrote before it, such as a quote without an end, changes nothing.

import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Longer than any node with its parameters; it bounds the work for one. */
const MAX_ELEMENT = 512;

/**
 * The nodes from the nearest to the farthest. Node joins repeated headers with commas, in their
 * order. Forwarded counts only without X-Forwarded-For.
 */
export function* forwardedNodes({
  "x-forwarded-for": addresses,
  forwarded = "",
}: IncomingHttpHeaders): Generator<string> {
  const list = String(addresses ?? "");
  if (list.trim() !== "") yield* elementsFromEnd(list);
  else for (const element of elementsFromEnd(forwarded)) yield nodeOf(element);
}

/** The elements of a list, the last one first. Empty ones do not count (RFC 9110, 5.6.1). */
function* elementsFromEnd(list: string): Generator<string> {
  let isQuoted = false;
  let end = list.length;
  for (let i = list.length - 1; i >= -1; i -= 1) {
    if (list[i] === '"' && list[i - 1] !== "\\") isQuoted = !isQuoted;
    if (i >= 0 && (list[i] !== "," || isQuoted)) continue;
    const element = list.slice(i + 1, end).trim();
    end = i;
    if (element !== "") yield element;
  }
}

const PAIRS = /(?:[^;"]|"(?:[^"\\]|\\.)*")+/g;
const FOR = /^\s*for\s*=(.*)$/is;

/** The `for` of an element of Forwarded; empty if it has none, or none that is plain. */
function nodeOf(element: string): string {
  if (element.length > MAX_ELEMENT) return "";
  const pairs = (element.match(PAIRS) ?? []).map((pair) => FOR.exec(pair)?.[1]);
  const [node = "", ...others] = pairs.filter((value) => value !== undefined);
  return others.length === 0 ? node : "";
}

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

const QUOTED = /^"(.*)"$/s;
/** A name of an interface on the machine that wrote the address; RFC 6874 writes `%25`. */
const ZONE = /%[^\]]*/;
/** A number, or an obfuscated one (RFC 7239, 6). */
const PORT = /:(\d*|_[\w.-]+)$/;
const BRACKETS = /^\[(.*)\]$/s;

/**
 * Reads the address of a node: with or without a port, brackets, quotes or a zone, an IPv4 address
 * also as an IPv6 one. Null for `unknown`, an obfuscated name, and whatever else is no address.
 */
export function readAddress(node: string): Address | null {
  if (node.length > MAX_ELEMENT) return null;
  const text = node.trim().replace(QUOTED, "$1").replaceAll("\\", "").trim().replace(ZONE, "");
  // An IPv6 address without brackets comes first, because its end may look like a port.
  const found = [text, text.replace(PORT, "")]
    .map((each) => each.replace(BRACKETS, "$1"))
    .find((each) => isIP(each) !== 0);
  return found === undefined ? null : ipaddr.process(found);
}
