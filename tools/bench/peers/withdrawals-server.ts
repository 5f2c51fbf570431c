// A bare-bones payout service on PostgreSQL in one process: HTTP in front, workers behind it. A
// withdrawal is one call of the stored function `withdraw` (withdrawals.sql). The workers take
// payouts with SKIP LOCKED, up to 200 at a time, through the states of payrail's payouts, and ask a
// fake rail with a book of its own; another worker relays the outbox. It does less than payrail: it
// has no tokens, limits, encryption and Idempotency-Key, and resumes no payout of a dead worker.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import postgres from "postgres";
import { newId } from "../../../shared/ids.ts";

const BATCH = 200;
const FEES_MINOR = 25;
const [host, user, database, settleMs] = process.argv.slice(2) as [string, string, string, string];
const settle = `${settleMs} milliseconds`;
const connect = (max: number) =>
  postgres({ host, user, database, max, idle_timeout: 0, onnotice: () => {} });
/** The connections that answer requests, and those of the workers and of the rail. */
const requests = connect(16);
const workers = connect(4);
const rail = connect(2);

async function withdraw(account: number, { amount, reason }: { amount: number; reason: string }) {
  const id = newId();
  await requests`
    SELECT withdraw(${id}, ${account}, ${Math.round(amount * 100)}, ${FEES_MINOR}, ${reason})`;
  return { id, status: "PENDING", fees: FEES_MINOR / 100, amount: amount + FEES_MINOR / 100 };
}

/** Submits payouts to the rail. The state is stored before the rail is asked. */
async function submit(): Promise<number> {
  const taken = await workers<{ id: string; amount: string }[]>`
    UPDATE payouts SET state = 'submitting' WHERE id = ANY(ARRAY(
      SELECT id FROM payouts WHERE state = 'PENDING' AND due <= now()
      ORDER BY due LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    )) RETURNING id, amount`;
  if (taken.length === 0) return 0;
  const ids = taken.map(({ id }) => id);
  const amounts = taken.map(({ amount }) => amount);
  await rail`
    INSERT INTO rail SELECT id, amount, now()
    FROM unnest(${ids}::uuid[], ${amounts}::bigint[]) AS each (id, amount)
    ON CONFLICT DO NOTHING`;
  await workers`
    WITH moved AS (
      UPDATE payouts SET state = 'PROCESSING_PAY_OUT', due = now() + ${settle}::interval
      WHERE id = ANY(${ids}::uuid[]) AND state = 'submitting' RETURNING *
    ) INSERT INTO outbox (payout, seq, at, body)
    SELECT id, 2, now(), event_of(id, wallet, amount, fees, state) FROM moved`;
  return taken.length;
}

/** Asks the rail for the payouts that are due; they stay locked meanwhile. */
async function askForEnd(): Promise<number> {
  return workers.begin(async (transaction) => {
    const due = await transaction<{ id: string }[]>`
      SELECT id FROM payouts WHERE state = 'PROCESSING_PAY_OUT' AND due <= now()
      ORDER BY due LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`;
    if (due.length === 0) return 0;
    const asked = due.map(({ id }) => id);
    const settled = await rail<{ id: string }[]>`
      UPDATE rail SET told_at = coalesce(told_at, now())
      WHERE id = ANY(${asked}::uuid[]) AND accepted_at + ${settle}::interval <= now()
      RETURNING id`;
    const ids = settled.map(({ id }) => id);
    await transaction`
      WITH moved AS (
        UPDATE payouts SET state = 'SUCCESS', due = now() + ${settle}::interval
        WHERE id = ANY(${ids}::uuid[]) RETURNING *
      ) INSERT INTO outbox (payout, seq, at, body)
      SELECT id, 3, now(), event_of(id, wallet, amount, fees, state) FROM moved`;
    return ids.length;
  });
}

/** Closes payouts that can no longer come back. */
async function close(): Promise<number> {
  const { count } = await workers`
    UPDATE payouts SET state = 'closed', due = NULL WHERE id = ANY(ARRAY(
      SELECT id FROM payouts WHERE state = 'SUCCESS' AND due <= now()
      ORDER BY due LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ))`;
  return count;
}

/** Relays events. No endpoint wants them, as in payrail's own measurement. */
async function relay(): Promise<number> {
  const { count } = await workers`
    UPDATE outbox SET relayed_at = now() WHERE id = ANY(ARRAY(
      SELECT id FROM outbox WHERE relayed_at IS NULL
      ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ))`;
  return count;
}

const POLL_EVERY_MS = 10;

/** Repeats a worker's round, after a pause unless it had a whole batch. */
async function repeat(round: () => Promise<number>): Promise<never> {
  for (;;) {
    const count = await round();
    if (count < BATCH) await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const account = Number((request.url as string).split("/").at(-1));
    const answer = (status: number, data: object) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ data }));
    withdraw(account, JSON.parse(Buffer.concat(chunks).toString())).then(
      (data) => answer(200, data),
      (error) => answer(500, { message: String(error) }),
    );
  });
});
for (const round of [submit, askForEnd, close, relay]) void repeat(round);
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
/** Answers over the channel with the number of open payouts and of events not yet relayed. */
process.on("message", () => {
  const counted = workers<{ open: number }[]>`
    SELECT (SELECT count(*) FROM payouts WHERE due IS NOT NULL)::int
      + (SELECT count(*) FROM outbox WHERE relayed_at IS NULL)::int AS open`;
  void counted.then(([row]) => process.send?.(row?.open));
});
process.on("disconnect", () => process.exit());
