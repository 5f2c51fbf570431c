// The workload: sequential clients, each with its own random numbers, that live beside one another
// until they are stopped.

import { randomFrom } from "../../../tools/simulate/random.ts";
import { answerCheck } from "../../support/http.ts";
import type { Payrail } from "../contract.ts";
import { liveBiller } from "./biller.ts";
import type { Cast } from "./cast.ts";
import { type Client, createClient, type Setting } from "./client.ts";
import type { Entry } from "./history.ts";
import { liveOperator } from "./operator.ts";
import { livePayer } from "./payer.ts";
import { liveShop } from "./shop.ts";

export const AUDITOR = "auditor";
const CROWD = 3;
const AUDITED_WITHIN_MS = 120_000;

export interface Workload {
  history: Entry[];
  /** A further client, for the audit. */
  auditor(): Client;
  /** The clients begin nothing new. @param withinMs for the decision of what they have begun */
  stop(withinMs: number): Promise<void>;
}

export async function startWorkload(
  { gateways }: Payrail,
  cast: Cast,
  seed: number,
): Promise<Workload> {
  const history: Entry[] = [];
  const abandon = new AbortController();
  const document = await (await fetch(`${gateways[0]}/openapi.json`)).json();
  const setting: Setting = {
    ...{ gateways, history, abandon: abandon.signal },
    check: answerCheck(document as never),
  };
  let isStopped = false;
  const isOver = () => isStopped;
  const client = (name: string, abandoned = abandon.signal) =>
    createClient(name, randomFrom(seed, name), { ...setting, abandon: abandoned });
  const lives = [
    ...Object.entries(cast.payers).map(([name, payer]) => livePayer(client(name), payer, isOver)),
    ...Object.entries(cast.shops).map(([name, shop]) => liveShop(client(name), shop, isOver)),
    ...Object.entries(cast.billers).map(([name, each]) => liveBiller(client(name), each, isOver)),
    ...Object.entries(cast.operators).map(([name, each]) =>
      liveOperator(client(name), each, isOver),
    ),
    ...Array.from({ length: CROWD }, (_, i) => livePayer(client(`crowd${i}`), cast.crowd, isOver)),
  ];
  const ended = Promise.all(lives);
  // A failure of a client is reported by `stop`.
  ended.catch(() => {});
  return {
    history,
    auditor: () => client(AUDITOR, AbortSignal.timeout(AUDITED_WITHIN_MS)),
    async stop(withinMs) {
      isStopped = true;
      const timer = setTimeout(() => abandon.abort(), withinMs);
      await ended.finally(() => clearTimeout(timer));
    },
  };
}
