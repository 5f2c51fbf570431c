// The requests to a node: withdrawals, and the work of the service's other handlers.

import type { Payout } from "../../../services/payouts/payout.model.ts";
import { errorType, fail as failWith } from "../../../shared/errors.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { guarded, type Open } from "../run.ts";
import { accountName, BUSINESS, entityName, MERCHANTS_WALLET, tokenName } from "./accounts.ts";
import type { Withdrawal } from "./plan.ts";
import { EPOCH_MS, type Node, type World } from "./world.ts";

/** Sends a request to a node. It arrives like any other event: late, or never. */
function ask<T>(
  world: World,
  { actor }: Node,
  label: string,
  work: () => Promise<T>,
  onAnswer: (answer: { value: T } | { error: unknown }) => void,
): void {
  const call: Open = { actor, label };
  world.open.add(call);
  world.timeline.after(0, actor, () => {
    world.trace(() => `${actor.name}  is asked: ${label}`);
    const end = (answer: { value: T } | { error: unknown }) => {
      world.open.delete(call);
      world.trace(() => `${actor.name}  answers ${label}: ${describe(answer)}`);
      guarded(world, () => onAnswer(answer));
    };
    work().then(
      (value) => end({ value }),
      (error) => end({ error }),
    );
  });
}

function describe(answer: { value: unknown } | { error: unknown }): string {
  return "value" in answer ? "yes" : String(errorType(answer.error) ?? answer.error);
}

/** @param isLast the payouts of all earlier requests are at rest, and nothing fails any more */
export function withdraw(
  world: World,
  node: Node,
  { entity, method, amountMinor, token, waitsMs, merchants, reference, key }: Withdrawal,
  isLast = false,
): void {
  const { subject, books, timeline } = world;
  const isCard = method === "PUSH_TO_CARD";
  const payout = {
    amount: amountMinor / 100,
    reason: "Payout",
    ...(!isCard && { routingType: method }),
    ...(reference !== undefined && { reference: `reference-${reference}` }),
  };
  const linkedAccountId = accountName(entity, method);
  const params = {
    currency: "USD",
    linkedAccountId,
    ...(token !== undefined && { applicationToken: tokenName(token) }),
    body: { ...payout, walletType: "SPEND" },
  };
  const merchantsParams = {
    businessId: BUSINESS,
    linkedAccountId,
    ...(merchants === "own" && { walletId: MERCHANTS_WALLET }),
    ...payout,
  };
  const deadline = waitsMs && EPOCH_MS + Math.floor(timeline.now()) + waitsMs;
  let id = "";
  const work = (): Promise<{ id: string }> => {
    // The first id that is made is the payout's.
    const newId = () => {
      const next = node.deps.newId();
      if (id === "") {
        id = next;
        world.ids.push(id);
        const asked = JSON.stringify([linkedAccountId, amountMinor, token, merchants]);
        books.onNames(id, { key, reference, asked });
      }
      return next;
    };
    const actor = { sub: entityName(entity), role: "user" as const };
    const idempotency =
      key === undefined
        ? undefined
        : { route: "createWithdrawal", key: `key-${key}`, request: JSON.stringify(params) };
    const deps = { ...node.deps, newId };
    return merchants === undefined
      ? subject.withdraw(deps, { actor, params, deadline, idempotency })
      : subject.pay(deps, { params: merchantsParams, deadline, idempotency });
  };
  ask(world, node, `${method} of ${amountMinor} for ${entityName(entity)}`, work, (answer) => {
    if ("value" in answer) books.onAccepting(id, answer.value.id);
    else books.onRefusing(id, errorType(answer.error), isLast);
  });
}

type Asking = (world: World, node: Node, id: string) => void;

/** The work of the service's other handlers. */
export const ASKED: { [request in "cancel" | "push" | "flag" | "resolve" | "review"]: Asking } = {
  cancel(world, node, id) {
    const filter = { _id: id, visible: true };
    const find = async () => {
      const stored = (await node.payouts.findOne(filter, MAJORITY)) as Payout | null;
      const payout = stored && (await world.subject.asAccepted(node.deps.isDebited, stored));
      if (payout) guarded(world, () => world.books.onSeen(id));
      return payout ?? failWith("TRANSACTION_NOT_FOUND");
    };
    const work = () => world.subject.cancel(node.deps, find);
    ask(world, node, `cancel of ${id}`, work, (answer) => {
      if ("value" in answer) world.books.onCancelled(id);
    });
  },

  push(world, node, id) {
    const work = async () => {
      const payout = (await node.payouts.findOne({ _id: id }, MAJORITY)) as Payout | null;
      if (payout) await world.subject.askNow(node.deps, { id, method: payout.method });
    };
    ask(world, node, `push for ${id}`, work, () => {});
  },

  /** Flags a payout that has been unknown for a day of repeated submits. */
  flag(world, node, id) {
    const work = async () => {
      const payout = (await node.payouts.findOne({ _id: id }, MAJORITY)) as Payout | null;
      if (payout?.step !== "submitting" && payout?.step !== "settle") return;
      const flag = { needsAttention: true };
      await node.deps.machine.transition(payout, { set: flag, next: "same" });
    };
    ask(world, node, `flag of ${id}`, work, () => {});
  },

  /**
   * An admin resolves after asking the banks. For an id that no bank knows, a submit may still be
   * running. The admin may err about a payout with a problem, because the bank stores no wrong
   * decision.
   */
  resolve(world, node, id) {
    const state = world.bankState(id);
    if (state === "accepted") return;
    const errs = world.isHeld(id) && world.random.chance(0.4);
    const isPaid = state === "settled";
    const work = async () => {
      const payout = await node.payouts.findOne({ _id: id, visible: true }, MAJORITY);
      const found = (payout as Payout | null) ?? failWith("TRANSACTION_NOT_FOUND");
      const isRight = !errs || found.problem === undefined;
      const outcome = isPaid === isRight ? "SUCCESS" : "FAILED";
      return world.subject.resolve(node.deps, found, { outcome, by: "admin" });
    };
    ask(world, node, `resolve of ${id}, ${state}${errs ? ", in error" : ""}`, work, () => {});
  },

  /** A person decides about what the screening holds, as chance has it. */
  review(world, node, id) {
    const { random, books, subject } = world;
    const decision = random.pick(["ALLOW", "DENY"] as const);
    const by = `person ${random.next()}`;
    const find = async () => {
      const payout = await node.payouts.findOne({ _id: id, visible: true }, MAJORITY);
      return (payout as Payout | null) ?? failWith("TRANSACTION_NOT_FOUND");
    };
    const work = () => {
      books.onVerdict(id, by, decision);
      return subject.review(node.deps, find, { decision, note: "A note", by });
    };
    ask(world, node, `${decision} of ${id}`, work, (answer) => {
      if ("value" in answer) books.onReviewed(id, by);
    });
  },
};
