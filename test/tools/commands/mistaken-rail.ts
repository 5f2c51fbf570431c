// The sample rail with one planted mistake, which MISTAKE names.

import sampleRail from "../../../partners/samples/rail.ts";
import type { Rail } from "../../../partners/types.ts";

type Mistake = (rail: Rail) => object;

/** The module's own memory, which ends with its process. */
const seen = new Set<string>();

export const MISTAKES: Record<string, Mistake> = {
  "wrong name": () => ({ name: "my rail!" }),
  "another name each time": () => ({ name: `rail-${process.pid}` }),
  "no test flag": () => ({ test: undefined }),
  "a function is missing": () => ({ cancel: undefined }),
  "answers late": (rail) => ({
    query: async (id: string) => {
      const isFirst = seen.size === 0;
      seen.add(id);
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 4_500));
      return rail.query(id);
    },
  }),
  "cancels late": (rail) => ({
    cancel: async (id: string) => {
      await new Promise((resolve) => setTimeout(resolve, 3_500));
      return rail.cancel(id);
    },
  }),
  "unknown kind": (rail) => ({
    query: async (id: string) => ({ ...(await rail.query(id)), kind: "paid" }),
  }),
  "NaN askAfterMs": (rail) => ({
    submit: async (...asked: Parameters<Rail["submit"]>) => {
      return { ...(await rail.submit(...asked)), askAfterMs: Number.NaN };
    },
  }),
  "rejects settled payments": (rail) => ({
    submit: async (...asked: Parameters<Rail["submit"]>) => {
      const answer = await rail.submit(...asked);
      return answer.kind === "settled" ? { kind: "rejected", code: "already_paid" } : answer;
    },
  }),
  "answers differently each time": (rail) => ({
    query: async (id: string) => {
      const answer = await rail.query(id);
      if (answer.kind !== "settled" || !seen.delete(id)) {
        seen.add(id);
        return answer;
      }
      return { kind: "accepted" };
    },
  }),
  "forgets ids": () => ({ query: async () => ({ kind: "notFound" }) }),
  "forgets ids with its process": (rail) => ({
    submit: (...asked: Parameters<Rail["submit"]>) => {
      seen.add(asked[0].id);
      return rail.submit(...asked);
    },
    query: async (id: string) => (seen.has(id) ? rail.query(id) : { kind: "notFound" }),
  }),
  "knows unknown ids": (rail) => ({
    query: async (id: string) => {
      const answer = await rail.query(id);
      return answer.kind === "notFound" ? { kind: "accepted" } : answer;
    },
  }),
  "pays twice": (rail) => ({
    list: async function* list(since: number) {
      for await (const entry of rail.list?.(since) ?? []) yield* [entry, entry];
    },
  }),
  "lists nothing": () => ({
    list: async function* list() {
      yield* [];
    },
  }),
  "settles no sum": (rail) => ({
    query: async (id: string) => {
      const { kind, ...rest } = await rail.query(id);
      return kind === "settled" ? { kind } : { kind, ...rest };
    },
  }),
  "settles more": (rail) => ({
    query: async (id: string) => {
      const answer = await rail.query(id);
      const isSettled = answer.kind === "settled";
      return isSettled ? { ...answer, amountMinor: answer.amountMinor + 1 } : answer;
    },
  }),
  "echoes the asked sum": (rail) => ({
    submit: async (...asked: Parameters<Rail["submit"]>) => {
      const answer = await rail.submit(...asked);
      const { amountMinor, currency } = asked[0];
      return answer.kind === "settled" ? { ...answer, amountMinor, currency } : answer;
    },
  }),
  "a problem without words": (rail) => ({
    query: async (id: string) => {
      const answer = await rail.query(id);
      return "problem" in answer ? { ...answer, problem: "" } : answer;
    },
  }),
  "decides about any payment": () => ({ decide: async () => "decided" }),
  "decides nothing": () => ({ decide: async () => "no" }),
  "forgets decisions": (rail) => ({
    decide: async (id: string) => ("problem" in (await rail.query(id)) ? "decided" : "no"),
  }),
  "takes back decisions": (rail) => ({
    decide: async (...[id, end]: Parameters<NonNullable<Rail["decide"]>>) => {
      const answer = await rail.decide?.(id, end);
      const isDecided = seen.has(id) || answer === "decided";
      if (isDecided) seen.add(id);
      return isDecided ? "decided" : answer;
    },
  }),
  "reports duplicates as ends": (rail) => ({
    submit: async (...asked: Parameters<Rail["submit"]>) => {
      const isRepeat = seen.has(asked[0].id);
      seen.add(asked[0].id);
      const answer = await rail.submit(...asked);
      return isRepeat ? { kind: "rejected", code: "duplicate" } : answer;
    },
    query: async (id: string) => {
      const answer = await rail.query(id);
      const wasSent = answer.kind === "settled" && !seen.has(`${id} sent`);
      if (answer.kind === "settled") seen.add(`${id} sent`);
      return wasSent || answer.kind !== "settled" ? answer : { kind: "rejected", code: "ended" };
    },
  }),
  "cancels without effect": () => ({ cancel: async () => "cancelled" }),
  "exits during a request": (rail) => ({
    query: async (id: string) => {
      if (seen.size === 0) process.exit(3);
      return rail.query(id);
    },
    submit: (...asked: Parameters<Rail["submit"]>) => {
      seen.add(asked[0].id);
      return rail.submit(...asked);
    },
  }),
  "numbers in its errors": () => ({
    submit: async (...[, instrument]: Parameters<Rail["submit"]>) => {
      const { data } = await instrument();
      throw new Error(`400: {"account":"${data.accountNumber}"}`);
    },
  }),
  "numbers in its output": (rail) => ({
    submit: async (...asked: Parameters<Rail["submit"]>) => {
      const { data } = await asked[1]();
      process.stdout.write(`paying ${data.accountNumber}\n`);
      return rail.submit(...asked);
    },
  }),
};

export default function mistakenRail(): object {
  const rail = sampleRail();
  return { ...rail, ...MISTAKES[process.env.MISTAKE as string]?.(rail) };
}
