// The plan of a schedule: withdrawals, faults, and the behaviour of the neighbours, drawn from the
// seed before it runs, so that a failing schedule can be shortened by leaving steps out.

import { POINTS, type Point } from "../../../services/payouts/deps.ts";
import type { RateLimit } from "../../../shared/config/env-values.ts";
import { PAYOUT_METHODS, type PayoutMethod } from "../../../shared/config/payout-methods.ts";
import type { PayoutLimit } from "../../../shared/contracts/controls.ts";
import { type Random, randomFrom } from "../random.ts";
import { drawWeather, type Weather } from "../weather.ts";
import { drawNetwork, type Neighbour, type Network } from "./network.ts";

/** The banks of every schedule. */
export const BANKS = ["bank-0", "bank-1"] as const;

/** How often a rail's module has each of these faults. */
export interface Modules {
  /** A submit is sent twice, and the second answer is handed back. */
  repeats: number;
  /** An answer has a wrong form. */
  malformed: number;
}

export const SOUND_MODULES: Modules = { repeats: 0, malformed: 0 };

/**
 * A step at `atMs`. A node is named by its number among the running nodes, a payout by its age
 * among the requested ones; the youngest has 0.
 */
export type Step = { atMs: number } & (
  | ({ do: "withdraw"; node: number } & Withdrawal)
  | { do: "cancel" | "push" | "flag" | "resolve" | "review"; node: number; payout: number }
  | { do: "disable"; entity: number; disabled: boolean }
  | { do: "stop"; what: "business" | "wallet" | "person"; entity: number; isStopped: boolean }
  /** From now on these limits hold. */
  | { do: "limit"; limits: PayoutLimit[] }
  | { do: "crash"; node: number }
  /** Nodes that start from now on have these rails; one node is replaced immediately. */
  | { do: "reconfigure"; node: number; rails: readonly string[] }
  /** The node stands still; with `replaced`, another one starts meanwhile. */
  | { do: "pause"; node: number; ms: number; replaced: boolean }
  | { do: "elect"; surviving: number; lag: { entries: number; ms: number }; left: Left }
  | { do: "stall"; ms: number }
  | { do: "outage"; neighbour: Neighbour; ms: number }
);

export interface Withdrawal {
  entity: number;
  method: PayoutMethod;
  amountMinor: number;
  /** The application token of the withdrawal. */
  token?: number;
  /** The time that the caller waits, in ms, if the gateway sends it. */
  waitsMs?: number;
  /** The merchant makes the payout, from its own wallet or from the entity's. */
  merchants?: "own" | "entity";
  /** The reference; its repeats are steps of their own. */
  reference?: number;
  /** The Idempotency-Key; its repeats are steps of their own. */
  key?: number;
}

/** The nodes that go on talking to the old primary. */
interface Left {
  nodes: number[];
  ms: number;
}

/** A fault at a point: the first passages through the point die or stand still there. */
export interface Ambush {
  point: Point;
  times: number;
  /** The duration of the pause in ms; null: the node dies. */
  ms: number | null;
  /** Whether the whole node stops, or only the passing work. */
  isWhole: boolean;
}

export interface Plan {
  seed: number;
  nodes: number;
  /** The initial balance of each entity's wallet, in minor units. */
  funds: number[];
  /** For each application token, whether it debits the merchant's wallet. */
  tokens: { entity: number; isMerchants: boolean }[];
  withdrawalLimit: RateLimit | null;
  declineLimit: RateLimit | null;
  /** The limits of what is paid out at the beginning. */
  limits: PayoutLimit[];
  /** How often the screening fails, if there is one. */
  screening: { faults: number } | null;
  /** Beyond this number of unsubmitted payouts of a node and a rail, withdrawals wait. */
  unsubmittedAtMost: number;
  weather: Weather;
  network: Network;
  rails: Network;
  /** The rails at the beginning. */
  configured: readonly string[];
  modules: Modules;
  /** The probability that a majority read of the ledger does not show an existing wallet. */
  unseen: number;
  /** Whether rails also answer late after the healing. */
  lateAtTheEnd: boolean;
  /** A point at which the steps of some payouts throw, until so many ms after the healing. */
  broken: { point: Point; ms: number } | null;
  returnWindowMs: number;
  /** The greatest difference between the clocks, in ms. */
  skewMs: number;
  /** The probability that work dies or stands still at a point. */
  faultsAtPoints: number;
  ambushes: Ambush[];
  steps: Step[];
}

const [FIRST, SECOND] = BANKS;
/** The first rail takes new payouts; the other one is also configured, or not. */
const CONFIGURATIONS = [[FIRST], [SECOND], [FIRST, SECOND], [SECOND, FIRST]] as const;
/** The points that schedules without a screening pass. */
const UNSCREENED = POINTS.filter((point) => point !== "screened");
/** Points inside a step: an error that is thrown there ends the step. */
const BREAKABLE = ["submitting-stored", "rail-answered", "reversal-posted"] as const;

export function drawPlan(seed: number): Plan {
  const random = randomFrom(seed, "plan");
  const entities = random.between(1, 2);
  const funds = Array.from({ length: entities }, () => random.between(30, 300) * 100);
  const lengthMs = random.pick([3_000, 12_000, 40_000]);
  const tokens = Array.from({ length: random.pick([0, 1, 2]) }, () => ({
    entity: random.between(0, entities - 1),
    isMerchants: random.chance(0.5),
  }));
  const limit = (counts: number[]) =>
    random.chance(0.6)
      ? { count: random.pick(counts), windowMs: random.pick([3_000, 20_000, 60_000]) }
      : null;
  const limits = drawLimits(seed, lengthMs);
  const screening = drawScreening(seed, lengthMs);
  const steps = [
    ...repeated(seed, referenced(seed, drawWithdrawals(random, lengthMs, entities, tokens))),
    ...drawFaults(random, lengthMs, entities),
    ...drawStops(seed, lengthMs, entities),
    ...limits.steps,
    ...screening.steps,
  ].toSorted((a, b) => a.atMs - b.atMs);
  const plan: Plan = {
    seed,
    nodes: random.between(2, 3),
    funds,
    tokens,
    withdrawalLimit: limit([1, 2, 3]),
    declineLimit: limit([2]),
    limits: limits.first,
    screening: screening.screening,
    unsubmittedAtMost: randomFrom(seed, "admission").pick([1, 2, ...Array(10).fill(1_000)]),
    weather: { ...drawWeather(random), resent: 0, heldReads: 0 },
    network: drawNetwork(random, 1_500),
    rails: drawNetwork(random, 60_000),
    configured: random.pick(CONFIGURATIONS),
    modules: {
      repeats: random.pick([0, 0, 0.2]),
      malformed: random.pick([0, 0, 0.1]),
    },
    unseen: random.pick([0, 0, 0.15]),
    lateAtTheEnd: random.chance(0.25),
    broken: random.chance(0.08) ? { point: random.pick(BREAKABLE), ms: 90_000 } : null,
    returnWindowMs: random.pick([0, 60_000, 1_800_000]),
    skewMs: random.pick([0, 0, 2_000, 20_000, 240_000]),
    faultsAtPoints: random.pick([0, 0, 0.03, 0.15]),
    ambushes: [...(random.chance(0.5) ? [drawAmbush(random)] : []), ...screening.ambushes],
    steps,
  };
  return random.chance(0.15) ? taken(random, plan) : plan;
}

/**
 * Adds faults that are rare by chance alone: requests that are still running when a node with a
 * fast clock takes their payouts over, and rails with slow answers.
 */
function taken(random: Random, plan: Plan): Plan {
  const ambush: Ambush = {
    point: random.pick(["inserted", "token-claimed", "debit-answered", "debit-answered"]),
    times: 3,
    ms: random.pick([1_000, 2_500, 4_000]),
    isWhole: false,
  };
  const network = { ...plan.network, slow: 0, lost: 0, latencyMs: 20 };
  const rails = { ...plan.rails, latencyMs: random.pick([100, 1_000]) };
  return { ...plan, skewMs: random.pick([20_000, 240_000]), ambushes: [ambush], network, rails };
}

/**
 * Stops of the business, a wallet or a person, and their ends, in a third of the schedules. The
 * draws are of their own, as those of keys.
 */
function drawStops(seed: number, lengthMs: number, entities: number): Step[] {
  const random = randomFrom(seed, "stops");
  if (!random.chance(0.33)) return [];
  return Array.from({ length: random.between(1, 3) }).flatMap((): Step[] => {
    const entity = random.between(0, entities - 1);
    const what = random.pick(["business", "wallet", "person"] as const);
    const atMs = Math.round(random.next() * lengthMs);
    const endMs = atMs + random.pick([300, 2_000, 12_000, 40_000]);
    return [
      { atMs, do: "stop", what, entity, isStopped: true },
      { atMs: endMs, do: "stop", what, entity, isStopped: false },
    ];
  });
}

/** Limits from the beginning, and sometimes others later, in a third of the schedules. */
function drawLimits(seed: number, lengthMs: number) {
  const random = randomFrom(seed, "limits");
  const none: { first: PayoutLimit[]; steps: Step[] } = { first: [], steps: [] };
  if (!random.chance(0.33)) return none;
  const draw = (): PayoutLimit[] =>
    Array.from({ length: random.between(1, 2) }, () => ({
      scope: random.pick(["business", "entity"] as const),
      currency: "USD" as const,
      per: random.pick(["day", "month"] as const),
      ...(random.chance(0.2) && { method: random.pick(PAYOUT_METHODS) }),
      ...(random.chance(0.5)
        ? { amount: `${random.between(10, 80)}.00` }
        : { count: random.between(1, 4) }),
      since: 0,
    }));
  const first = draw();
  if (random.chance(0.7)) return { first, steps: none.steps };
  const steps = [[], random.chance(0.5) ? first : draw()].map((limits): Step => {
    return { atMs: Math.round(random.next() * lengthMs), do: "limit", limits };
  });
  return { first, steps };
}

/**
 * A screening, its outages and the decisions of persons, often of two at once, in every ninth
 * schedule. The draws are of their own, as those of keys.
 */
function drawScreening(
  seed: number,
  lengthMs: number,
): Pick<Plan, "screening" | "steps" | "ambushes"> {
  if (seed % 9 !== 6) return { screening: null, steps: [], ambushes: [] };
  const random = randomFrom(seed, "screening");
  const drawTime = () => Math.round(random.next() * lengthMs * 1.3);
  const steps = Array.from({ length: random.between(3, 10) }).flatMap((): Step[] => {
    const [atMs, payout] = [drawTime(), random.between(0, 3)];
    const review = { do: "review", node: random.between(0, 9), payout } as const;
    const afterMs = random.pick([0, 5, 300, 2_000]);
    return [
      { ...review, atMs },
      { ...review, atMs: atMs + afterMs, node: random.between(0, 9) },
    ];
  });
  const ms = random.pick([0, 0, 8_000, 30_000]);
  const outage: Step = { atMs: drawTime(), do: "outage", neighbour: "screening", ms };
  return {
    screening: { faults: random.pick([0, 0.2, 0.6]) },
    steps: [...steps, outage],
    ambushes: random.chance(0.3) ? [drawAmbush(random, ["screened"])] : [],
  };
}

/** A fault that is rare by chance alone: a stop between two writes, for longer than a lease. */
function drawAmbush(random: Random, points: readonly Point[] = UNSCREENED): Ambush {
  const ms = random.pick([null, 1_000, 2_500, 6_000, 12_000, 25_000]);
  const isWhole = random.chance(0.5);
  return { point: random.pick(points), times: random.between(1, 3), ms, isWhole };
}

function drawWithdrawals(
  random: Random,
  lengthMs: number,
  entities: number,
  tokens: Plan["tokens"],
): Step[] {
  const steps: Step[] = [];
  const groups = random.between(1, 4);
  for (let group = 0; group < groups; group++) {
    const atMs = Math.round(random.next() * lengthMs);
    for (let i = random.between(1, 3); i > 0; i--) {
      const token =
        tokens.length > 0 && random.chance(0.4) ? random.between(0, tokens.length - 1) : undefined;
      steps.push({
        atMs,
        do: "withdraw",
        node: random.between(0, 9),
        entity:
          token === undefined ? random.between(0, entities - 1) : (tokens[token]?.entity as number),
        method: random.pick(PAYOUT_METHODS),
        amountMinor: random.between(1, 40) * 100,
        ...(token !== undefined && { token }),
        ...(random.chance(0.2) && { waitsMs: random.pick([600, 2_000, 20_000]) }),
      });
      const soonMs = atMs + Math.round(random.next() * random.pick([1_000, 10_000]));
      if (random.chance(0.3)) {
        steps.push({
          atMs: soonMs,
          do: "cancel",
          node: random.between(0, 9),
          payout: random.between(0, 1),
        });
      }
    }
  }
  return steps;
}

/** How long after a withdrawal its caller repeats it: beside it, while it is undecided, later. */
const REPEATED_AFTER_MS = [0, 5, 300, 2_000, 5_000, 7_000, 9_000, 20_000];

/**
 * Gives references to withdrawals, of which the merchant makes some, and adds their repeats, some
 * with another amount, in every eighth schedule. The draws are of their own, as those of keys.
 */
function referenced(seed: number, steps: Step[]): Step[] {
  if (seed % 8 !== 4) return steps;
  const random = randomFrom(seed, "references");
  return steps.flatMap((step, reference) => {
    if (step.do !== "withdraw" || random.chance(0.3)) return [step];
    const isMerchants = step.token === undefined && random.chance(0.5);
    const merchants = isMerchants ? random.pick(["own", "entity"] as const) : undefined;
    const first = { ...step, ...(merchants && { merchants }), reference };
    const repeats = Array.from({ length: random.between(1, 4) }, () => ({
      ...first,
      atMs: step.atMs + random.pick(REPEATED_AFTER_MS),
      node: random.between(0, 9),
      ...(random.chance(0.2) && { amountMinor: step.amountMinor + 100 }),
    }));
    return [first, ...repeats];
  });
}

/**
 * Gives keys to withdrawals and adds their repeats, in a third of the schedules. The draws are of
 * their own, so that the other schedules stay as they are.
 */
function repeated(seed: number, steps: Step[]): Step[] {
  const random = randomFrom(seed, "keys");
  if (!random.chance(0.33)) return steps;
  return steps.flatMap((step, key) => {
    if (step.do !== "withdraw" || random.chance(0.3)) return [step];
    const repeats = Array.from({ length: random.between(1, 4) }, () => ({
      ...step,
      atMs: step.atMs + random.pick(REPEATED_AFTER_MS),
      node: random.between(0, 9),
      key,
    }));
    return [{ ...step, key }, ...repeats];
  });
}

function drawFaults(random: Random, lengthMs: number, entities: number): Step[] {
  const steps: Step[] = [];
  const some = (most: number, draw: (atMs: number) => Step) => {
    for (let i = random.chance(0.5) ? random.between(1, most) : 0; i > 0; i--) {
      steps.push(draw(Math.round(random.next() * lengthMs * 1.3)));
    }
  };
  const node = () => random.between(0, 9);
  const payout = () => random.between(0, 3);
  some(2, (atMs) => ({ atMs, do: "crash", node: node() }));
  some(3, (atMs) => {
    const ms = random.pick([300, 3_000, 12_000, 30_000]);
    return { atMs, do: "pause", node: node(), ms, replaced: random.chance(0.3) };
  });
  some(2, (atMs) => {
    const lag = { entries: random.pick([0, 1, 5]), ms: random.pick([5, 500]) };
    const nodes = random.chance(0.5) ? [] : [node(), node()];
    const left = { nodes, ms: random.pick([20, 2_000]) };
    return { atMs, do: "elect", surviving: random.pick([0, 0.5, 1]), lag, left };
  });
  some(1, (atMs) => ({ atMs, do: "stall", ms: random.pick([500, 8_000]) }));
  some(3, (atMs) => {
    const neighbour = random.pick(["ledger", "accounts", "webhooks", "rail"] as const);
    return { atMs, do: "outage", neighbour, ms: random.pick([1_000, 8_000, 30_000]) };
  });
  some(3, (atMs) => ({ atMs, do: "cancel", node: node(), payout: payout() }));
  some(2, (atMs) => ({ atMs, do: "push", node: node(), payout: payout() }));
  for (let i = random.chance(0.5) ? random.between(1, 2) : 0; i > 0; i--) {
    const atMs = Math.round(random.next() * lengthMs * 1.3);
    const afterMs = Math.round(random.next() * 3_000);
    const asked = { node: node(), payout: payout() };
    steps.push({ atMs, do: "flag", ...asked }, { atMs: atMs + afterMs, do: "resolve", ...asked });
  }
  some(2, (atMs) => {
    return { atMs, do: "reconfigure", node: node(), rails: random.pick(CONFIGURATIONS) };
  });
  some(2, (atMs) => {
    const entity = random.between(0, entities - 1);
    return { atMs, do: "disable", entity, disabled: random.chance(0.5) };
  });
  return steps;
}
