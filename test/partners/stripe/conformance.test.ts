// The promises of an acquirer (tools/conformance/acquirers.ts), tried with the Stripe module
// against the stand-in for Stripe, in this process. A restart is another instance of the module.

import type { Acquirer } from "../../../partners/types.ts";
import { ACQUIRER_PROMISES, acquirerIn } from "../../../tools/conformance/acquirers.ts";
import type { Options, Session } from "../../../tools/conformance/session.ts";
import { openStripeBed, type StripeBed } from "../../support/stripe.ts";

let bed: StripeBed;

beforeAll(async () => {
  bed = await openStripeBed();
});

afterAll(() => bed.close());

async function collected(entries: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

function openSession(): Session {
  let acquirer: Acquirer = bed.open();
  const cardToken = bed.books.addCard("visa", true);
  const noted = new Map<string, string>();
  const options: Options = {
    amountMinor: 1_000,
    currency: "USD",
    method: "ACH",
    endsWithinMs: 20_000,
    account: { accountNumber: "918273646789" },
    problemAccount: null,
    cardToken,
    environment: {},
  };
  return {
    loaded: { kind: "acquirer", name: acquirer.name, hasList: true, hasDecide: false },
    options,
    hasList: true,
    hasDecide: false,
    noted,
    note: (promise, observed) => noted.set(promise, observed),
    async restart() {
      acquirer = bed.open();
    },
    async ask(operation, args) {
      const asked = (acquirer as unknown as Record<string, (...args: unknown[]) => unknown>)[
        operation
      ]?.(...args);
      const answer =
        operation === "list" ? collected(asked as AsyncIterable<unknown>) : Promise.resolve(asked);
      return answer.catch((error: Error) => {
        if (error.message.includes(cardToken)) noted.set("discreet", error.message);
        return undefined;
      });
    },
    end() {},
  };
}

test.each(ACQUIRER_PROMISES.filter(({ check }) => check))("it $says", async ({ check }) => {
  const session = openSession();
  await check?.(acquirerIn(session));
  expect([...session.noted]).toEqual([]);
});
