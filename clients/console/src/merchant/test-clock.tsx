// The test clock of the sandbox: it moves the billing of the business forward.

import { call, type Session } from "../api.ts";
import { dateTime } from "../format.ts";
import { may } from "../scopes.ts";
import { Action } from "../ui/action.tsx";
import type { Field } from "../ui/form.tsx";

/** payrail answers once everything is billed, which has no limit of time. */
const TIMEOUT_MS = 600_000;

const MOMENT: Field = {
  name: "now",
  label: "New moment (UTC)",
  kind: "datetime-local",
  hint: "Not before the clock's moment, and at most ten years after it.",
};

/** The moment in a field of date and time, which is meant in UTC. */
export function utc(text: string): string {
  return `${text}Z`;
}

export function TestClock({ session, onDone }: { session: Session; onDone(): void }) {
  if (!may(session, "subscriptions")) return null;
  return (
    <Action
      label="Test clock"
      about={
        <>
          <p>
            Sets the clock by which the subscriptions of the business are billed. Everything that is
            due by then happens in order, each at its own moment: trials end, invoices are issued,
            cards are charged, declined cards are tried again, and subscriptions end.
          </p>
          <p>
            The clock then stands still until it is set again. It never goes back, and there is no
            way back to the real time.
          </p>
        </>
      }
      fields={[MOMENT]}
      confirm={({ now = "" }) =>
        `All subscriptions are billed until ${now.replace("T", " ")} UTC. This cannot be undone.`
      }
      run={({ now = "" }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/test-clock",
          { now: utc(now) },
          { idempotencyKey, timeoutMs: TIMEOUT_MS },
        )
      }
      show={({ now }) => <p>The clock stands at {dateTime(now)}.</p>}
      onDone={onDone}
    />
  );
}
