// When a gateway begins to be ready, and when it ceases to be.

import type { Call } from "../../services/gateway/http/route.ts";
import { createReadiness } from "../../services/gateway/readiness.ts";
import { until } from "../support/system.ts";

const ALL = ["accounts", "wallet-ledger", "webhooks", "payouts", "payment-links"];
const LONG_MS = 60_000;

/** A call to services of which some are away. */
function calling() {
  const away = new Set<string>();
  let asked = 0;
  const call = async (name: string) => {
    asked += 1;
    if (away.has(name.split(".")[0] as string)) throw new Error("It does not answer");
    return {};
  };
  return { away, asked: () => asked, call: call as Call };
}

test("a gateway waits at its start for a service that it has never seen, for a bounded time", async () => {
  const { away, call } = calling();
  away.add("payouts");
  const patient = createReadiness(LONG_MS);
  expect(await patient.ask(call)).toEqual({ status: "unavailable", away: ["payouts"] });
  const impatient = createReadiness(0);
  expect(await impatient.ask(call)).toEqual({ status: "ready", away: ["payouts"] });
});

test("a gateway that has seen each service once stays ready while one of them answers", async () => {
  const { away, call } = calling();
  const readiness = createReadiness(LONG_MS);
  expect(await readiness.ask(call)).toEqual({ status: "ready", away: [] });
  for (const name of ALL.slice(1)) away.add(name);
  const most = await until(async () => {
    const state = await readiness.ask(call);
    return state.away.length > 0 && state;
  });
  expect(most).toEqual({ status: "ready", away: ALL.slice(1) });
  away.add("accounts");
  const none = await until(async () => {
    const state = await readiness.ask(call);
    return state.away.length === ALL.length && state;
  });
  expect(none).toEqual({ status: "unavailable", away: ALL });
});

test("a gateway that leaves is not ready at once, and many callers share one question", async () => {
  const { asked, call } = calling();
  const readiness = createReadiness();
  await Promise.all(Array.from({ length: 50 }, () => readiness.ask(call)));
  expect(asked()).toBe(ALL.length);
  readiness.leave();
  expect(await readiness.ask(call)).toEqual({ status: "unavailable", away: [] });
});
