// The world outside payrail, in the runner's process: a bank, an acquirer and the merchants'
// receivers, as HTTP servers with books of their own. No fault of the cluster touches them; they
// misbehave by their own seed.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { randomFrom } from "../../../tools/simulate/random.ts";
import { type Acquirer, createAcquirer } from "./acquirer.ts";
import { type Bank, createBank } from "./bank.ts";
import { createMistakes, type Mistakes } from "./mistakes.ts";
import { type Receivers, startReceivers } from "./receivers.ts";

export interface Outside {
  bank: Bank;
  acquirer: Acquirer;
  receivers: Receivers;
  /** The configuration of payrail's services by which they reach this world. */
  environment: Record<string, string>;
  /** From now on the bank, the acquirer and the receivers make no mistakes; the books go on. */
  calm(): void;
  stop(): void;
}

const RAIL = resolve("test/cluster/outside/rail-module.ts");
const ACQUIRER = resolve("test/cluster/outside/acquirer-module.ts");

export async function startOutside(seed: number): Promise<Outside> {
  const bank = createBank(randomFrom(seed, "bank"));
  const acquirer = createAcquirer(randomFrom(seed, "acquirer"));
  const mistakes = createMistakes(randomFrom(seed, "mistakes"));
  const receivers = await startReceivers(randomFrom(seed, "receivers"));
  const questions = listQuestions(bank, acquirer);
  const server = createServer((request, response) => {
    answer(bank, questions, mistakes, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  const { port } = server.address() as AddressInfo;
  const rails = Object.fromEntries(
    ["ACH", "RTP", "WIRE", "PUSH_TO_CARD"].map((method) => [method, RAIL]),
  );
  return {
    bank,
    acquirer,
    receivers,
    environment: {
      RAILS: JSON.stringify(rails),
      ACQUIRER,
      SAMPLE_URL: `http://127.0.0.1:${port}`,
      SAMPLE_KEY: "a key of the outside",
      WITHDRAWAL_LIMIT: "off",
      DECLINE_LIMIT: "off",
      TRUST_PROXY: "127.0.0.1",
      WEBHOOK_TIMEOUT: "1s",
      WEBHOOK_RETRY_SCHEDULE: ["200ms", "500ms", ...Array(60).fill("2s")].join(","),
    },
    calm() {
      mistakes.calm();
      receivers.calm();
    },
    stop() {
      receivers.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

type Question = (id: string, body: never) => unknown;

/** The questions of the modules by method and path, and the answer that tells no outcome. */
function listQuestions(bank: Bank, acquirer: Acquirer) {
  const unknown = { kind: "unknown" };
  const questions: Record<string, { ask: Question; unknown: unknown }> = {
    "PUT payments": { ask: (_id, body) => bank.submit(body), unknown },
    "GET payments": { ask: (id) => bank.query(id), unknown },
    "POST cancels": { ask: (id) => bank.cancel(id), unknown: "unknown" },
    "PUT charges": { ask: (_id, body) => acquirer.charge(body), unknown },
    "POST voids": { ask: (id) => acquirer.void(id), unknown },
    "PUT refunds": { ask: (_id, body) => acquirer.refund(body), unknown },
  };
  return { ...questions, card: acquirer.card };
}

type Questions = ReturnType<typeof listQuestions>;

async function answer(
  bank: Bank,
  { card, ...questions }: Questions,
  mistakes: Mistakes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
  const [, place = "", id = ""] = (request.url as string).split("/");
  const send = (status: number, json: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  if (place === "card") return void send(200, card(body.token));
  if (place === "payments" && request.method === "PUT") bank.hear(id);
  const question = (questions as Record<string, { ask: Question; unknown: unknown }>)[
    `${request.method} ${place}`
  ];
  if (!question) return void send(404, null);
  // After an unknown answer payrail asks about an ended payment a minute later, so that the end of
  // the test would wait for it.
  const isSteady = request.method === "GET" && bank.hasEnded(id);
  const act = () => question.ask(id, body as never);
  const reply = isSteady ? { json: act() } : await mistakes.around(act, question.unknown);
  if (reply === "break") return void response.destroy();
  if (reply === "failure") return void send(500, null);
  send(200, reply.json);
}
