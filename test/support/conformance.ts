// The set-up of conformance tests: a running sample partner, the environment of an examined module,
// and the verdicts of an examination.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examine } from "../../tools/conformance/examine.ts";
import type { Options } from "../../tools/conformance/session.ts";
import { inherited } from "./inherited.ts";
import { startPartner } from "./partner.ts";
import { testEnvironment } from "./system.ts";

/** A destination whose payments have a problem at the sandbox's rail and at the sample. */
export const PROBLEM_ACCOUNT = { accountNumber: "918273640011" };

export type Examiner = Awaited<ReturnType<typeof startExaminer>>;

/** Starts the sample partner. @param page the origin of the checkout page that the vault admits */
export async function startExaminer(page: string) {
  const partner = await startPartner(page);
  const dataDir = mkdtempSync(join(tmpdir(), "payrail-conformance-"));
  const cardToken = await saveCard(partner.url);
  const { MONGO_URL } = testEnvironment();

  function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
    return { ...inherited(), DATA_DIR: dataDir, MONGO_URL, ...partner.environment, ...more };
  }

  return {
    cardToken,
    environment,

    options(more: Partial<Options> = {}): Options {
      return {
        amountMinor: 1_000,
        currency: "USD",
        method: "ACH",
        endsWithinMs: 20_000,
        account: { accountNumber: "918273646789" },
        problemAccount: null,
        cardToken,
        environment: environment(),
        ...more,
      };
    },

    async stop() {
      await partner.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Stores a card in the sample's vault, as the vault's field does. @returns its token */
async function saveCard(url: string): Promise<string> {
  const card = {
    number: "4242424242424242",
    expMonth: 12,
    expYear: 2_060,
    cvc: "123",
    postcode: "10001",
  };
  const headers = { origin: url, "content-type": "application/json" };
  const saved = await fetch(`${url}/cards`, {
    method: "POST",
    headers,
    body: JSON.stringify(card),
  });
  return ((await saved.json()) as { token: string }).token;
}

/** Examines a module. @returns the names of its promises by verdict */
export async function readVerdicts(path: string, options: Options) {
  const { promises } = await examine(path, options);
  const named = (wanted: string) =>
    promises.filter(({ verdict }) => verdict === wanted).map(({ name }) => name);
  return { broken: named("broken"), untried: named("untried"), kept: named("kept") };
}
