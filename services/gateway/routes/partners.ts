// The rails and acquirers, for operators: how they have answered in the last hour, and what waits
// for them. Each process has seen its own questions, so every process of the two services is asked,
// and what they have seen is added. What waits is the same in all of them.

import { list, object } from "../../../shared/contracts/compound-fields.ts";
import { action } from "../../../shared/contracts/contract.ts";
import type { Result } from "../../../shared/contracts/contracts.ts";
import { type Infer, nullable } from "../../../shared/contracts/field.ts";
import { integer, oneOf, timestamp } from "../../../shared/contracts/fields.ts";
import { outcomes, partnerName, problems, waiting } from "../../../shared/contracts/partners.ts";
import { addSeen, NOTHING_SEEN } from "../../../shared/partners/answer-log.ts";
import { ADMIN, type Call, type CallEach, composed, type Route } from "../http/route.ts";

/** A process that takes longer is left out. */
const ANSWERED_WITHIN_MS = 2_000;

const KINDS = ["rail", "acquirer"] as const;
type Kind = (typeof KINDS)[number];

const took = (note: string, example: number) => nullable(integer({ min: 0, note, example }));

const partnerFields = {
  kind: oneOf(KINDS, { note: "Whether it pays out or charges cards" }),
  name: partnerName,
  asked: integer({ min: 0, note: "The questions of the last hour", example: 120 }),
  ...outcomes,
  meanMs: took("The mean time of an answer, in milliseconds; null without one", 41),
  longestMs: took("The longest time of an answer, in milliseconds; null without one", 380),
  lastAnsweredAt: nullable(timestamp({ note: "When it last answered; null if not known" })),
  lastUnansweredAt: nullable(
    timestamp({ note: "When it last did not, or not with an outcome; null if not known" }),
  ),
  waiting,
  problems,
};

const processes = (whose: string) =>
  integer({ min: 0, note: `The processes that have answered about ${whose}`, example: 2 });

const listAll = action({
  does: "Lists the configured rails and acquirers with their answers of the last hour. The answers are those to the processes that run now, and what waits for a partner is of this moment",
  params: {},
  result: object(
    {
      processes: object(
        { rails: processes("rails"), acquirers: processes("acquirers") },
        { note: "From how many processes this is; one that does not answer in time is left out" },
      ),
      partners: list(
        object(partnerFields, { name: "Partner", note: "A rail or an acquirer, and its answers" }),
        { max: 200, note: "The rails and then the acquirers" },
      ),
    },
    { name: "Partners", note: "The rails and acquirers, as the running processes see them" },
  ),
});

async function listPartners(_params: object, _call: Call, callEach: CallEach) {
  const [rails, acquirers] = await Promise.all([
    callEach("payouts.partners", {}, ANSWERED_WITHIN_MS),
    callEach("payment-links.partners", {}, ANSWERED_WITHIN_MS),
  ]);
  return {
    processes: { rails: rails.length, acquirers: acquirers.length },
    partners: [...merge("rail", rails), ...merge("acquirer", acquirers)],
  };
}

/** @param ofProcesses the partners of each process */
function merge(
  kind: Kind,
  ofProcesses: Result<"payouts.partners">[],
): Infer<typeof partnerFields>[] {
  const byName = Map.groupBy(ofProcesses.flat(), ({ name }) => name);
  return [...byName].map(([name, found]) => {
    const { tookMs, longestMs, lastAnsweredAt, lastUnansweredAt, ...counts } = found.reduce(
      addSeen,
      NOTHING_SEEN,
    );
    const { answered, unknown, errors, timeouts } = counts;
    return {
      kind,
      name,
      asked: answered + unknown + errors + timeouts,
      ...counts,
      meanMs: answered > 0 ? Math.round(tookMs / answered) : null,
      longestMs: answered > 0 ? Math.round(longestMs) : null,
      lastAnsweredAt: moment(lastAnsweredAt),
      lastUnansweredAt: moment(lastUnansweredAt),
      waiting: found[0]?.waiting ?? [],
      problems: [...new Set(found.flatMap((each) => each.problems ?? []))],
    };
  });
}

function moment(at: number): string | null {
  return at > 0 ? new Date(at).toISOString() : null;
}

const AT = "2026-01-05T09:30:00.000Z";

export const partnersRoute: Route = composed(
  "GET /v1/admin/partners",
  ADMIN,
  "listPartners",
  listAll,
  listPartners,
  {
    example: {
      response: {
        success: true,
        data: {
          processes: { rails: 2, acquirers: 2 },
          partners: [
            {
              kind: "rail",
              name: "bank-a",
              asked: 120,
              answered: 117,
              unknown: 2,
              errors: 0,
              timeouts: 1,
              meanMs: 41,
              longestMs: 380,
              lastAnsweredAt: AT,
              lastUnansweredAt: "2026-01-05T09:12:04.000Z",
              waiting: [{ kind: "payout", count: 2, since: "2026-01-05T09:12:04.000Z" }],
              problems: [],
            },
          ],
        },
      },
    },
  },
);
