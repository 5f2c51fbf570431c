// The rails of a node: the configured banks, over a network that loses and delays. Their modules
// have faults too: an HTTP client that repeats a submit and returns the second answer, and
// malformed answers.

import type { Rail } from "../../../partners/types.ts";
import type { Rails } from "../../../services/payouts/rails/load.ts";
import { PAYOUT_METHODS } from "../../../shared/config/payout-methods.ts";
import type { Random } from "../random.ts";
import { guarded } from "../run.ts";
import type { Actor } from "../timeline.ts";
import type { BankModel } from "./bank.ts";
import type { Serve } from "./network.ts";
import type { World } from "./world.ts";

export type Ask = <T>(label: string, serve: Serve<T>) => Promise<T>;

/** @param configured the names of the banks; the first takes new payouts */
export function createRails(world: World, actor: Actor, ask: Ask, configured: readonly string[]) {
  const rails = configured.map((name) => createRail(world, actor, ask, name));
  const [first] = rails;
  return {
    forMethod: Object.fromEntries(PAYOUT_METHODS.map((method) => [method, first])),
    named: new Map(rails.map((rail) => [rail.name, rail])),
  } satisfies Rails;
}

export function createRail(world: World, actor: Actor, ask: Ask, name: string): Rail {
  const { random, plan } = world;
  const bank = world.banks.get(name) as BankModel;
  /** Passes an answer to the node; the books record every well-formed answer. */
  async function passAnswer<T>(id: string, answer: Promise<T>): Promise<T> {
    const given = await answer;
    if (random.chance(world.modules.malformed)) return malformed(random, given) as T;
    if (actor.alive) world.books.onAnswer(id, given, world.isHealed);
    return given;
  }
  return {
    name,
    returnWindowMs: plan.returnWindowMs,
    async submit({ id, amountMinor, currency }) {
      guarded(world, () => world.books.onSend(id, name, world.controls.isStopped));
      const send = () =>
        ask(`submit of ${id} to ${name}`, bank.submit(id, { amountMinor, currency }));
      if (random.chance(world.modules.repeats)) await send().catch(() => {});
      return passAnswer(id, send());
    },
    query: (id) => passAnswer(id, ask(`query of ${id} at ${name}`, bank.query(id))),
    cancel: (id) => passAnswer(id, ask(`cancel of ${id} at ${name}`, bank.cancel(id))),
    decide: (id, end) => ask(`${end} decided of ${id} at ${name}`, bank.decide(id, end)),
  };
}

const NO_ANSWERS = [
  undefined,
  null,
  7,
  "settled",
  true,
  {},
  { kind: "paid" },
  { kind: "cancelled" },
  { kind: ["settled"] },
  { kind: "rejected" },
  { kind: "rejected", code: 7 },
  { kind: "returned", code: "" },
  { kind: "settled" },
  { kind: "settled", amountMinor: "100", currency: "USD" },
  { kind: "returned", code: "returned", amountMinor: 100, currency: "usd" },
];
const NO_TIMES = [Number.NaN, -1, Number.POSITIVE_INFINITY, 1e15, "1000", null];

/** An empty answer, or the same answer with an invalid time. */
function malformed(random: Random, answer: unknown): unknown {
  const { problem: _problem, ...told } = Object(answer) as { kind?: string; problem?: string };
  const hasTime = told.kind === "accepted" || told.kind === "settled";
  if (hasTime && random.chance(0.7)) return { ...told, askAfterMs: random.pick(NO_TIMES) };
  return random.pick(NO_ANSWERS);
}
