// Log lines. Code logs a message and its details, in either order; pino alone would drop details
// after a message. A line shows only listed parts: the message, details with known names, a
// packet's type and sender, an error's kind and the place that threw it. Everything else is
// withheld, because the framework and libraries log whole packets, requests and documents when they
// fail to handle them. Each shown part also passes `masked`, which recognises numbers and secrets
// by their form.
//
// A call without an answer, because its node went away or took too long, is an outage and no fault
// of the code that made it, so its line is a warning with the action and the node, without a stack.
// An error of the configuration has no stack either: its sentence says it all.

import { types } from "node:util";
import type { LogFn, Logger, LoggerOptions } from "pino";
import { ConfigError } from "../config/config.ts";
import { UNANSWERED } from "../errors.ts";
import { origins } from "../rpc/origin.ts";
import { masked, UUIDS, withoutNumbers } from "./masking.ts";

/** The ids by which the lines of a request are found: its own, and those of a batch's requests. */
const IDS = new Set(["requestId", "traceId", "requestIds", "traceIds"]);

/** Details that a line may show. A new one is added here once it is known to contain no input. */
const SHOWN = new Set([
  ...["id", "deliveryId", "endpointId", "eventId", "keyIds", "nodeID", "requestID"],
  ...IDS,
  ...["action", "kind", "method", "rail", "route", "status", "statusCode", "step", "what"],
  ...["cause", "error", "errorClass", "problem", "reason"],
  ...["durationMs", "maxConnections", "timeout"],
]);

/** A trace's id, and a request's id that is made here. */
const GENERATED_ID = /^(?:[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** Moleculer's kinds of packets, which it logs after a message. */
const PACKET_TYPES = new Set([
  ...["EVENT", "REQ", "RES", "DISCOVER", "INFO", "DISCONNECT", "HEARTBEAT", "PING", "PONG"],
]);

const MOST_ITEMS = 20;
const MOST_FRAMES = 20;

/**
 * Options of every pino logger here: each of its lines passes `logLine`.
 * @param service is in each line of it; a broker's lines have the node too
 */
export function logOptions(level: string, service: string): LoggerOptions {
  return { level, base: { service }, hooks: { logMethod: logLine } };
}

/**
 * The levels of a broker's modules. At info its registry is quiet, because each node would report
 * each other node, and a rollout would fill the log.
 */
export function brokerLevels(level: string): string | Record<string, string> {
  return level === "info" ? { REGISTRY: "warn", TRACER: "warn", "**": level } : level;
}

const ERROR_LEVEL = 50;

/** For pino's `hooks.logMethod`. */
function logLine(this: Logger, args: unknown[], log: LogFn, level: number): void {
  if (level === ERROR_LEVEL && args.some(namesUnansweredCall)) {
    this.warn(...(args as [unknown]));
    return;
  }
  const words: string[] = [];
  const fields: Record<string, unknown> = scalars(originIds());
  for (const part of args) {
    if (isError(part)) fields.error = describeError(part);
    else if (isPacket(part)) fields.packet = packetWords(part);
    else if (typeof part === "object" && part !== null) Object.assign(fields, readDetails(part));
    else if (part !== undefined) words.push(words.length === 0 ? opening(part) : aside(part));
  }
  log.call(this, fields, words.join(" "));
}

/** The ids of the request that the running code works for; in a batch, those of its requests. */
function originIds(): Record<string, unknown> {
  const all = origins();
  const requestIds = all.map(({ requestId }) => requestId);
  const traceIds = all.map(({ traceId }) => traceId);
  if (all.length > 1) return { requestIds, traceIds };
  return { requestId: requestIds[0], traceId: traceIds[0] };
}

/** The message: a text of the code's own, with names in it. */
function opening(part: unknown): string {
  return typeof part === "string" ? masked(part) : aside(part);
}

/** A part after the message: shows a type, an id or a number; any other text may be a payload. */
function aside(part: unknown): string {
  if (typeof part === "number" || typeof part === "boolean") return masked(String(part));
  const isTold =
    typeof part === "string" && (PACKET_TYPES.has(part) || part.replace(UUIDS, "") === "");
  return isTold ? part : "[withheld]";
}

interface Packet {
  type: string;
  payload: Record<string, unknown> | null;
}

/** Moleculer's packets: the messages over NATS, with parameters, results and meta inside. */
function isPacket(part: unknown): part is Packet {
  const { type, payload } = (part ?? {}) as Partial<Packet>;
  return typeof type === "string" && typeof payload === "object";
}

function packetWords({ type, payload }: Packet): Record<string, unknown> {
  const { sender, action, event, ver } = payload ?? {};
  return { type: readValue(type), ...scalars({ sender, action, event, ver }) };
}

/** The listed details, and the number of the others. */
function readDetails(details: object): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  let withheld = 0;
  for (const [name, value] of Object.entries(details)) {
    const read = SHOWN.has(name) ? readField(name, value) : undefined;
    if (read !== undefined) shown[name] = read;
    else if (value !== undefined) withheld += 1;
  }
  return withheld > 0 ? { ...shown, withheld } : shown;
}

/** The fields with values that may be shown. */
function scalars(fields: Record<string, unknown>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const read = readField(name, value);
    if (read !== undefined) shown[name] = read;
  }
  return shown;
}

function readField(name: string, value: unknown): unknown {
  return IDS.has(name) ? readId(value) : readValue(value);
}

/** The shown form of a value; undefined for a withheld value: an object other than an error. */
function readValue(value: unknown): unknown {
  if (isError(value)) return describeError(value);
  if (typeof value === "string") return masked(value);
  if (typeof value === "number") return Math.abs(value) < 1e9 ? value : masked(String(value));
  if (value === null || typeof value === "boolean") return value;
  if (!Array.isArray(value)) return undefined;
  const items = value.slice(0, MOST_ITEMS).map(readValue);
  return items.every((item) => item !== undefined) ? items : undefined;
}

/**
 * The shown form of a request's id, which a client may have chosen: whole, even if it looks like a
 * secret, but without a number in it.
 */
function readId(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(readId);
  if (typeof value !== "string") return undefined;
  return GENERATED_ID.test(value) ? value : withoutNumbers(value);
}

/** Also recognises errors of another realm. */
function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

type Details = Record<string, unknown>;

function isUnanswered(error: unknown): boolean {
  return isError(error) && UNANSWERED.includes((error as { type?: unknown }).type);
}

/** Whether an error's place in the code tells anything. */
function isFault(error: Error): boolean {
  return !isUnanswered(error) && !(error instanceof ConfigError);
}

/** Whether a part of a line is the error of an unanswered call, or has it as a detail. */
function namesUnansweredCall(part: unknown): boolean {
  return isUnanswered(part) || Object.values(part ?? {}).some(isUnanswered);
}

/** The action and the node of an unanswered call. */
function describeCall({ data }: Error & { data?: Details }): Details {
  const { action, nodeID } = data ?? {};
  return scalars({ action, nodeID });
}

/** An error's kind, the words of its message that are not input, and the place that threw it. */
function describeError(error: Error): Details {
  const { name, type, code, codeName, keyPattern, stack } = error as Error & Details;
  // The index that refused a write, without the values that it refused.
  const index = keyPattern instanceof Object ? Object.keys(keyPattern).map(identifier) : undefined;
  const kind = { name, type, code, codeName };
  return {
    ...Object.fromEntries(Object.entries(kind).map(([field, word]) => [field, identifier(word)])),
    ...(index && { index }),
    message: safeMessage(error),
    ...(isUnanswered(error) && describeCall(error)),
    ...(isFault(error) && { stack: readFrames(stack) }),
  };
}

/** A name from code: a class, a code, a field. Not a text that may be input. */
function identifier(word: unknown): string | number | undefined {
  if (typeof word === "number") return Math.abs(word) < 1e6 ? word : undefined;
  const isName = typeof word === "string" && /^[a-z_][\w.-]{0,63}$/i.test(word);
  return isName ? masked(word) : undefined;
}

/** Errors with refused input in their messages: of JSON's parser, the database, validators. */
const QUOTE_THEIR_INPUT =
  /^(SyntaxError|MongoServerError|MongoBulkWriteError|MongoWriteConcernError|Validat\w+|CastError)$/;

/** The part of a message before any quoted input, which begins at a quote or a bracket. */
function safeMessage({ name, message, type }: Error & { type?: unknown }): string | undefined {
  const quotes = QUOTE_THEIR_INPUT.test(name) || type === "VALIDATION";
  if (quotes || typeof message !== "string") return undefined;
  const [said = ""] = message.split(/(?<![^\s(=:,])["'`‘“]|[{[<\n\r]/, 1);
  return said.length < message.length ? `${masked(said)}…` : masked(said);
}

/** The lines of a stack that show a place in code; the message before them is left out. */
function readFrames(stack: unknown): string | undefined {
  if (typeof stack !== "string") return undefined;
  const frame = /^ {4}at (?:[\w$.<>[\] #]+ \()?[^()\s]+:\d+:\d+\)?$/;
  const frames = stack.split("\n").filter((line) => frame.test(line));
  return frames.slice(0, MOST_FRAMES).join("\n");
}
