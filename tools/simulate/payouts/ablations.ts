// The payouts' safeguards, each with the edit that removes it. If the simulation does not fail
// without a safeguard, it would not detect the loss of that safeguard.

import type { Edit } from "../ablate.ts";
import type { Safeguard } from "../suite.ts";

export interface Ablation extends Safeguard {
  edits: Edit[];
}

const lifecycleFile = "/payouts/lifecycle.ts";
const compareAndSetFile = "/resumable/grouped-cas.ts";
const acceptedFile = "/payouts/accepted.ts";
const debitFile = "/payouts/debit.ts";
const acceptFile = "/payouts/accept.ts";
const idempotencyFile = "/payouts/idempotency.ts";
const postsFile = "/rpc/posts.ts";
const askFile = "/partners/ask.ts";
const askRailFile = "/payouts/ask-rail.ts";
const resolveFile = "/payouts/resolve.ts";
const railAnswersFile = "/payouts/rail-answers.ts";
const flagFile = "/payouts/flag.ts";
const countersFile = "/payouts/limit-counters.ts";
const screeningFile = "/payouts/screening.ts";

export const ABLATIONS: Ablation[] = [
  {
    name: "compare-and-set",
    edits: [
      {
        file: compareAndSetFile,
        find: "filter: { _id: { $in: [...ids] }, v },",
        replace: "filter: { _id: { $in: [...ids] } },",
      },
    ],
  },
  {
    name: "outbox-in-the-same-update",
    edits: [
      {
        file: compareAndSetFile,
        find: "update: { ...update, $set: { ...update.$set, ...stamp } },",
        replace: `update: {
            $set: { ...update.$set, ...stamp },
            ...(update.$unset && { $unset: update.$unset }),
          },`,
      },
      {
        file: compareAndSetFile,
        find: "if (matched === count) return () => true;",
        replace: `const outboxes = groups
            .filter(({ update }) => update.$push)
            .map(({ ids, update: { $push }, stamp: { writtenBy } }) => ({
              filter: { _id: { $in: [...ids] }, writtenBy },
              update: { $push },
              multi: true,
            }));
          if (outboxes.length > 0) await runUpdate(documents, outboxes as never);
          if (matched === count) return () => true;`,
      },
    ],
  },
  {
    name: "end-decided-before-the-reversal",
    edits: [
      {
        file: "/payouts/assembly.ts",
        find: "changeFor: (payout, isFresh) => changeFor(deps, payout, isFresh),",
        replace: `changeFor: async (payout, isFresh) => {
          const change = await changeFor(deps, payout, isFresh);
          const { postPayout } = await import("./debit.ts");
          if (change.set.step === "reverse") await postPayout(deps, payout, "payout-reversal", {});
          return change;
        },`,
      },
    ],
  },
  {
    name: "void-after-the-deadline",
    edits: [
      {
        file: lifecycleFile,
        find: 'const posted = await postPayout(deps, payout, "payout", { void: true, retry: true });',
        replace: 'const posted = { outcome: "declined", reason: "void" } as never;',
      },
    ],
  },
  {
    name: "the-void-is-a-void",
    edits: [
      { file: lifecycleFile, find: "{ void: true, retry: true }", replace: "{ retry: true }" },
    ],
  },
  {
    name: "submitting-stored-first",
    edits: [
      {
        file: lifecycleFile,
        find: 'case "submit":\n      return beginSubmission(deps, payout);',
        replace: `case "submit":
          const { set } = await beginSubmission(deps, payout);
          return submit(deps, { ...payout, ...set } as Payout);`,
      },
    ],
  },
  {
    name: "a-reader-asks-the-ledger",
    edits: [
      {
        file: acceptedFile,
        find: "return debited.has(payout) ? afterDebit(payout) : [];",
        replace: "return afterDebit(payout);",
      },
    ],
  },
  {
    name: "an-undecided-payout-tells-nobody",
    edits: [
      {
        file: "/payouts/assembly.ts",
        find: 'counts: ({ step }) => step !== "claim" && step !== "debit",',
        replace: "counts: () => true,",
      },
    ],
  },
  {
    name: "a-declined-payout-is-not-seen",
    edits: [
      { file: debitFile, find: "const never = { visible: false,", replace: "const never = {" },
    ],
  },
  {
    name: "the-rail-is-stored-before-the-debit",
    edits: [
      {
        file: acceptedFile,
        find: "return { ...(deps.screening ? {} : named), step:",
        replace: "return { submittedAt: named.submittedAt, step:",
      },
      {
        file: acceptedFile,
        find: 'payout.rail === undefined ? "submit" : "submitting"',
        replace: '"submitting"',
      },
      {
        file: lifecycleFile,
        find: "if (payout.rail === undefined) return",
        replace: "if (payout.rail === null) return",
      },
    ],
  },
  {
    name: "a-sweeper-does-not-submit-without-asking",
    edits: [
      {
        file: lifecycleFile,
        find: "await resumeSubmission(deps, accepted);",
        replace: "await submit(deps, { ...accepted, submittedAt: deps.clock.now() });",
      },
    ],
  },
  {
    name: "own-duplicates",
    rareSeed: 102,
    edits: [
      {
        file: lifecycleFile,
        find: "isDuplicate(answer) ? await queryRail(deps, payout) : answer",
        replace: "answer",
      },
    ],
  },
  {
    name: "money-back-first",
    edits: [
      {
        file: lifecycleFile,
        find: 'if (posted.outcome !== "committed") {',
        replace: 'if (posted.outcome === "declined") {',
      },
    ],
  },
  {
    name: "an-unknown-debit-is-not-declined",
    edits: [
      {
        file: postsFile,
        find: 'return reason === "rejected" ? "other" : null;',
        replace: 'return "other";',
      },
    ],
  },
  {
    name: "an-unknown-debit-keeps-token-and-place",
    edits: [
      {
        file: debitFile,
        find: 'return isUnknown ? failUnknown(payout) : fail("UNAVAILABLE");',
        replace: 'await close(deps, payout, "void"); return fail("UNAVAILABLE");',
      },
    ],
  },
  {
    name: "an-unknown-answer-is-not-failure",
    edits: [
      {
        file: railAnswersFile,
        find: 'case "unknown":\n      return askedAgain(payout, now);',
        replace: 'case "unknown":\n      return reversal(payout, "unknown");',
      },
    ],
  },
  {
    name: "only-a-yes-cancels",
    edits: [
      {
        file: "/payouts/cancel.ts",
        find: '(await cancelAtRail(deps, payout)) !== "cancelled"',
        replace: '(await cancelAtRail(deps, payout)) === "no"',
      },
    ],
  },
  {
    name: "relayed-once-acknowledged",
    rareSeed: 97,
    edits: [
      {
        file: "/resumable/outbox.ts",
        find: "        await relay({ document, isLast });",
        replace: "relayed = document.states.length;\n        await relay({ document, isLast });",
      },
    ],
  },
  {
    name: "an-outbox-that-grew-stays",
    edits: [
      {
        file: "/resumable/relay.ts",
        find: "const states = { $size: relayed };",
        replace: "const states = { $exists: true };",
      },
    ],
  },
  {
    name: "an-outbox-is-due",
    edits: [
      {
        file: "/resumable/change.ts",
        find: "if (isSoon || !untold) return",
        replace: "if (isSoon || untold || !untold) return",
      },
    ],
  },
  {
    name: "the-time-of-the-step-comes-back",
    edits: [
      {
        file: "/resumable/relay.ts",
        find: "const $set = { relayed, nextAttemptAt: stepAt };",
        replace: "const $set = { relayed, nextAttemptAt: undefined };",
      },
    ],
  },
  {
    name: "a-step-that-moved-stays",
    rareSeed: 3957,
    edits: [
      {
        file: "/resumable/relay.ts",
        find: 'filter: { states, stepAt: { $type: "null" } }',
        replace: "filter: { states }",
      },
    ],
  },
  {
    name: "the-wallet-is-stored-first",
    rareSeed: 156,
    edits: [
      {
        file: acceptFile,
        find: 'return claimed ?? fail("UNAVAILABLE");',
        replace: 'return claimed ?? { ...payout, step: "debit", walletId };',
      },
    ],
  },
  {
    name: "an-open-debit-keeps-its-place",
    edits: [
      {
        file: lifecycleFile,
        find: "return declined ? giveUp(deps, payout, declined) : askedAgain(payout, deps.clock.now());",
        replace: `const again = askedAgain(payout, deps.clock.now());
          return declined
            ? giveUp(deps, payout, declined)
            : { ...again, set: { ...again.set, slot: undefined } };`,
      },
    ],
  },
  {
    name: "the-payout-has-its-key",
    edits: [
      {
        file: idempotencyFile,
        find: "...(key && { [key.field]: key.value, requestHash: key.request }),",
        replace: "",
      },
    ],
  },
  {
    name: "an-undecided-payout-keeps-its-key",
    edits: [
      {
        file: idempotencyFile,
        find: 'if (step === "declined" && UNDECIDED.includes(declined)) {',
        replace: "if (UNDECIDED.includes(declined)) {",
      },
    ],
  },
  {
    name: "the-payout-has-its-reference",
    edits: [
      {
        file: idempotencyFile,
        find: "...(reference && { reference: reference.value, termsHash: reference.terms }),",
        replace: "",
      },
    ],
  },
  {
    name: "an-undecided-payout-keeps-its-reference",
    edits: [
      {
        file: idempotencyFile,
        find: 'if (holder.step === "declined") {',
        replace: 'if (holder.status === "PENDING") {',
      },
    ],
  },
  {
    name: "a-reference-has-its-terms",
    edits: [
      {
        file: idempotencyFile,
        find: 'return holder.termsHash === terms ? accepted : fail("CONFLICT");',
        replace: "return accepted;",
      },
    ],
  },
  {
    name: "a-decline-keeps-no-reference",
    edits: [{ file: debitFile, find: "      reference: undefined,\n", replace: "" }],
  },
  {
    name: "only-its-own-rail-is-asked",
    edits: [
      {
        file: askRailFile,
        find: "return rail === undefined ? undefined : rails.named.get(rail);",
        replace: "return rail === undefined ? undefined : rails.forMethod.ACH;",
      },
    ],
  },
  {
    name: "the-rail-stays-stored",
    edits: [
      {
        file: askRailFile,
        find: "const isFirst = payout.rail === undefined;",
        replace: "const isFirst = true;",
      },
    ],
  },
  {
    name: "a-rail-that-was-asked-cancels",
    rareSeed: 485,
    edits: [
      {
        file: askRailFile,
        find: 'return step !== "submit" || rail !== undefined;',
        replace: 'return step !== "submit";',
      },
    ],
  },
  {
    name: "answers-are-read",
    edits: [
      {
        file: askFile,
        find: "const { answer, problem } = read(await ask());",
        replace: `const { problem } = read(undefined);
    const answer = (await ask()) as A;`,
      },
    ],
  },
  {
    name: "late-answers-are-recorded",
    edits: [
      {
        file: askFile,
        find: "asked.then(onLate, () => {});",
        replace: "asked.catch(() => {});",
      },
    ],
  },
  {
    name: "answers-of-losing-drivers-are-recorded",
    rareSeed: 475,
    edits: [{ file: "/resumable/driver.ts", find: "await change.onConflict?.();", replace: "" }],
  },
  {
    name: "an-older-accepted-does-not-flag",
    rareSeed: 365,
    edits: [
      {
        file: railAnswersFile,
        find: "if (!isDoubt) return {",
        replace: "if (asked) return {",
      },
    ],
  },
  {
    name: "a-late-accepted-asks-again",
    rareSeed: 645,
    edits: [{ file: railAnswersFile, find: ": WATCHED;", replace: ": null;" }],
  },
  {
    name: "a-doubted-end-is-watched",
    rareSeed: 8824,
    edits: [{ file: railAnswersFile, find: "|| payout.isDoubted === true", replace: "" }],
  },
  {
    name: "a-new-contradiction-flags",
    edits: [
      {
        file: flagFile,
        find: "isFlaggedForGood(payout) || contradicts(payout.status, answer)",
        replace: "isFlaggedForGood(payout)",
      },
    ],
  },
  {
    name: "a-contradiction-stays-flagged",
    edits: [
      {
        file: flagFile,
        find: "isFlaggedForGood(payout) || contradicts(payout.status, answer)",
        replace: "contradicts(payout.status, answer)",
      },
    ],
  },
  {
    name: "another-sum-ends-nothing",
    edits: [
      {
        file: flagFile,
        find: "return answer.amountMinor !== amountMinor || answer.currency !== currency;",
        replace: "return false;",
      },
    ],
  },
  {
    name: "another-currency-is-another-sum",
    edits: [
      {
        file: flagFile,
        find: "return answer.amountMinor !== amountMinor || answer.currency !== currency;",
        replace: "return answer.amountMinor !== amountMinor;",
      },
    ],
  },
  {
    name: "a-failure-with-a-problem-gives-nothing-back",
    edits: [
      {
        file: railAnswersFile,
        find: "return isFailure || isAboutAnotherSum(payout, answer);",
        replace: "return isAboutAnotherSum(payout, answer);",
      },
    ],
  },
  {
    name: "a-return-of-another-sum-or-with-a-problem-gives-nothing-back",
    edits: [
      {
        file: railAnswersFile,
        find: 'answer.kind === "returned" && problemIn(payout, answer) === undefined;',
        replace: 'answer.kind === "returned";',
      },
    ],
  },
  {
    name: "a-problem-flags",
    edits: [
      {
        file: railAnswersFile,
        find: "...(problem !== undefined && { problem, needsAttention: true }),",
        replace: "",
      },
    ],
  },
  {
    name: "a-problem-after-the-end-flags",
    edits: [
      {
        file: flagFile,
        find: "needsAttention: staysFlagged || problem !== undefined,\n    problem,",
        replace: "needsAttention: staysFlagged,",
      },
    ],
  },
  {
    name: "a-problem-is-asked-about-until-it-is-gone",
    rareSeed: 58,
    edits: [
      {
        file: railAnswersFile,
        find: 'if (flag.problem === undefined && (payout.step === "closed" || isOver)) {',
        replace: 'if (payout.step === "closed" || isOver) {',
      },
    ],
  },
  {
    name: "a-late-problem-asks-again",
    rareSeed: 258,
    edits: [
      {
        file: railAnswersFile,
        find: "isReturn || problem !== undefined;",
        replace: "isReturn;",
      },
    ],
  },
  {
    name: "the-rail-stores-a-decision-first",
    edits: [
      {
        file: resolveFile,
        find: "const isHeld = payout.problem !== undefined &&",
        replace: "const isHeld = false &&",
      },
    ],
  },
  {
    name: "a-rail-refuses-a-decision",
    edits: [
      {
        file: resolveFile,
        find: "const isFree =",
        replace: 'const isFree = answer === "no" ||',
      },
    ],
  },
  {
    name: "only-a-yes-stores-a-decision",
    rareSeed: 218,
    edits: [{ file: resolveFile, find: 'answer === "decided"', replace: 'answer !== "no"' }],
  },
  {
    name: "no-submit-after-the-lease",
    edits: [
      {
        file: lifecycleFile,
        find: "if (leasedUntil - deps.clock.now() < ANSWERED_WITHIN_MS)",
        replace: "if (leasedUntil < 0)",
      },
    ],
  },
  {
    name: "an-admin-has-the-rail-cancel-first",
    edits: [
      {
        file: resolveFile,
        find: 'const isRefunded = end === "rejected" &&',
        replace: "const isRefunded = false &&",
      },
    ],
  },
  {
    name: "an-admin-waits-for-submits-under-way",
    rareSeed: 135,
    edits: [
      {
        file: resolveFile,
        find: 'answer === "unknown" && sinceSubmitMs < NOTHING_UNDER_WAY_AFTER_MS',
        replace: "sinceSubmitMs < 0",
      },
    ],
  },
  {
    name: "a-step-that-throws-waits-longer",
    rareSeed: 214,
    edits: [
      {
        file: "/resumable/driver.ts",
        find: "const { set, next } = askedAgain(document, clock.now());",
        replace: "throw error;",
      },
    ],
  },
  {
    name: "a-stop-is-looked-at-before-the-submit",
    edits: [
      { file: lifecycleFile, find: "if (isStopped(deps, payout)) {", replace: "if (false) {" },
    ],
  },
  {
    name: "a-stop-holds-what-is-submitted-again",
    edits: [
      {
        file: lifecycleFile,
        find: "if (isStopped(deps, payout)) {",
        replace: "if (!payout.isResubmitted && isStopped(deps, payout)) {",
      },
      {
        file: lifecycleFile,
        find: "if (isStopped(deps, payout)) return held(payout, deps.clock.now());",
        replace: "",
      },
    ],
  },
  {
    name: "a-counter-decides-in-its-own-change",
    edits: [
      {
        file: countersFile,
        find: "replaceOne({ _id: counter._id, v }, next)",
        replace: "replaceOne({ _id: counter._id }, next)",
      },
    ],
  },
  {
    name: "what-was-given-back-is-never-counted",
    edits: [{ file: countersFile, find: 'if (isOut) return fail("UNAVAILABLE");', replace: "" }],
  },
  {
    name: "a-failed-payout-gives-back-once",
    edits: [{ file: countersFile, find: "if (isOut) return null;", replace: "" }],
  },
  {
    name: "a-mark-goes-once-the-payout-says-it",
    edits: [{ file: countersFile, find: " || hasEnded;", replace: ";" }],
  },
  {
    name: "the-moment-of-an-outbox-is-no-lease",
    rareSeed: 4137,
    edits: [
      {
        file: "/resumable/change.ts",
        find: 'next === "now" && stepAt === undefined;',
        replace: 'next === "now";',
      },
    ],
  },
  {
    name: "the-screening-is-looked-at-before-the-submit",
    edits: [
      {
        file: lifecycleFile,
        find: 'if ("change" in screened) return screened.change;',
        replace: "",
      },
      { file: lifecycleFile, find: ", ...screened.passes }", replace: " }" },
    ],
  },
  {
    name: "an-unknown-answer-is-a-review",
    edits: [
      {
        file: screeningFile,
        find: 'decision: "REVIEW", reasons: [NOT_ANSWERED], isUnanswered: true };',
        replace: 'decision: "ALLOW", reasons: [] };',
      },
    ],
  },
  {
    name: "no-answer-is-asked-about-again",
    edits: [
      {
        file: screeningFile,
        find: 'verdict.isUnanswered ? ASK_AGAIN_MS.first : "never"',
        replace: '"never"',
      },
    ],
  },
  {
    name: "one-answer-decides",
    edits: [
      {
        file: "/payouts/review.ts",
        find: 'if (reviewSince === undefined) return fail("NOT_IN_REVIEW");',
        replace: "",
      },
    ],
  },
  {
    name: "a-deny-reverses-once",
    edits: [{ file: railAnswersFile, find: "      reviewSince: undefined,\n", replace: "" }],
  },
];
