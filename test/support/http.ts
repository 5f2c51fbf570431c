// A client for a running gateway. It checks every answer against that gateway's OpenAPI document:
// an endpoint with an undocumented answer fails the test. It sends paths and bodies unchanged, so
// hostile ones arrive.

import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { Config } from "../../shared/config/config.ts";
import { signToken } from "../../shared/security/jwt.ts";
import { closed, schemaChecks } from "./openapi.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Parsed JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
  text: string;
}

export interface RequestOptions {
  token?: string;
  headers?: Record<string, string | string[]>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged in place of `body`; `headers` must set its content type. */
  raw?: string | Buffer;
}

type Send = (path: string, options?: RequestOptions) => Promise<Answer>;
type SendBody = (path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>;

export interface Http {
  url: string;
  get: Send;
  delete: Send;
  post: SendBody;
  put: SendBody;
  patch: SendBody;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  close(): void;
}

/**
 * The checks by the text of their document, and by its name if it has one: gateways of one worker
 * have the same few documents, and compiling one's schemas takes longer than most tests.
 */
const checks = new Map<string, AnswerCheck>();

/**
 * A client of the gateway at that port, with the gateway's document.
 * @param named gateways with one name have one document. A client reads only the first's, because a
 *   gateway takes a tenth of a second to make it
 */
export async function httpClient(port: number, named?: string): Promise<Http> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const send = (method: string, path: string, options: RequestOptions = {}) =>
    exchange(agent, port, method, path, options);
  const check = (named && checks.get(named)) || (await readCheck(send, named));

  async function request(method: string, path: string, options?: RequestOptions): Promise<Answer> {
    const answer = await send(method, path, options);
    check(method, path, answer);
    return answer;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    request,
    get: (path, options) => request("GET", path, options),
    delete: (path, options) => request("DELETE", path, options),
    post: (path, body, options) => request("POST", path, { ...options, body }),
    put: (path, body, options) => request("PUT", path, { ...options, body }),
    patch: (path, body, options) => request("PATCH", path, { ...options, body }),
    close: () => agent.destroy(),
  };
}

async function readCheck(
  send: (method: string, path: string) => Promise<Answer>,
  named?: string,
): Promise<AnswerCheck> {
  const { text: document } = await send("GET", "/openapi.json");
  const check = checks.get(document) ?? answerCheck(JSON.parse(document));
  checks.set(document, check);
  if (named) checks.set(named, check);
  return check;
}

function exchange(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  { token, headers: more = {}, body, raw }: RequestOptions,
): Promise<Answer> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const all = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(payload !== undefined && { "content-length": String(Buffer.byteLength(payload)) }),
    ...more,
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ agent, host: "127.0.0.1", port, method, path, headers: all });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers } = response;
        const isJson = headers["content-type"]?.startsWith("application/json") && text !== "";
        resolve({ status, headers, text, body: isJson ? JSON.parse(text) : text });
      });
    });
    sent.end(payload);
  });
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>;
}
interface ResponseObject {
  content: Record<string, { schema: object }>;
}

export type AnswerCheck = (method: string, path: string, answer: Answer) => void;

/** Fails with the differences if an answer is not as the document describes it. */
export function answerCheck(document: Document): AnswerCheck {
  const checkAt = schemaChecks(closed(document) as object);
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    regex: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));

  return (method, path, { status, headers, body, text }) => {
    const pathname = pathOf(path);
    const template = templates.find(({ regex }) => regex.test(pathname))?.template;
    const operation = template && document.paths[template]?.[method.toLowerCase()];
    if (!operation) return;
    const answered = `${method} ${template} answered ${status}`;
    if (!headers["x-request-id"]) throw new Error(`${answered} without X-Request-Id`);
    const type = headers["content-type"]?.split(";")[0] ?? "";
    const media = operation.responses[status]?.content[type];
    if (!media) throw new Error(`${answered}, which is not documented: ${text}`);
    const requestId = body?.requestId ?? headers["x-request-id"];
    if (requestId !== headers["x-request-id"])
      throw new Error(`${answered} with another requestId`);
    if (status === 503 && !headers["retry-after"])
      throw new Error(`${answered} without Retry-After`);
    const place = ["paths", template, method.toLowerCase(), "responses", `${status}`] as const;
    const check = checkAt(...place, "content", type, "schema");
    if (check(body)) return;
    const wrong = JSON.stringify(check.errors);
    throw new Error(`${answered}, not as documented: ${wrong}: ${text}`);
  };
}

/** The path without its query; a path that cannot be decoded matches no documented one. */
function pathOf(path: string): string {
  const [pathname = ""] = path.split("?");
  try {
    return decodeURI(pathname) && pathname;
  } catch {
    return "";
  }
}

/** Makes access tokens for a system with this configuration. */
export function tokenMaker(config: Config) {
  const maker =
    (role: "user" | "merchant" | "admin") =>
    (sub: string, { scope = "external.apis", expiresInS = 3_600 } = {}) =>
      signToken(config, { sub, role, scope, expiresInS });
  return { user: maker("user"), merchant: maker("merchant"), admin: maker("admin") };
}
