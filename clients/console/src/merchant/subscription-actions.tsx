// What can be done about a subscription.

import { call, type Session } from "../api.ts";
import { dateTime, number } from "../format.ts";
import { may } from "../scopes.ts";
import { Action } from "../ui/action.tsx";
import { Copy } from "../ui/basics.tsx";
import type { Field } from "../ui/form.tsx";
import { SEAT_BILLING, type Subscription } from "./plan.ts";
import { TestClock, utc } from "./test-clock.tsx";

interface ActionsProps {
  subscription: Subscription;
  onDone(): void;
}

interface AllProps extends ActionsProps {
  session: Session;
  isSandbox: boolean;
}

export function SubscriptionActions({ session, isSandbox, ...shared }: AllProps) {
  if (!may(session, "subscriptions")) return null;
  const { status, type, openInvoiceId } = shared.subscription;
  const isOver = status === "cancelled";
  return (
    <>
      {!isOver && type === "consumption" && <RecordUsage {...shared} />}
      {!isOver && type === "seating" && <SetSeats {...shared} />}
      {(!isOver || openInvoiceId) && <AnotherCard {...shared} />}
      {isSandbox && <TestClock session={session} onDone={shared.onDone} />}
      {!isOver && <Cancel {...shared} />}
    </>
  );
}

const USAGE: Field[] = [
  { name: "units", label: "Units", kind: "number", step: "0.000001" },
  {
    name: "reference",
    label: "Reference",
    hint: "Your id of the usage, such as 2030-02-10. The same reference counts once.",
  },
  {
    name: "at",
    label: "Used at (UTC)",
    kind: "datetime-local",
    isOptional: true,
    hint: "Now if left out, by the clock of the business.",
  },
];

function RecordUsage({ subscription: { id, consumptionDetails }, onDone }: ActionsProps) {
  return (
    <Action
      label="Record usage"
      isPrimary
      about={<p>The units are billed with the period in which they were used.</p>}
      fields={USAGE}
      confirm={({ units, reference }) =>
        `${number(Number(units))} units (${consumptionDetails?.unit}) are recorded under ${reference}. They cannot be taken back.`
      }
      run={({ units, reference = "", at }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/subscriptions/{id}/usage",
          { id, units: Number(units), reference, ...(at && { at: utc(at) }) },
          { idempotencyKey },
        )
      }
      onDone={onDone}
    />
  );
}

function SetSeats({ subscription: { id, seats, seatDetails }, onDone }: ActionsProps) {
  const before = seats ?? 0;
  return (
    <Action
      label="Set seats"
      isPrimary
      about={
        <p>
          {seatDetails && SEAT_BILLING[seatDetails.newSeatBillingType]} In the trial changes cost
          nothing.
        </p>
      }
      fields={[
        { name: "seats", label: "Seats", kind: "number", step: "1", initial: String(before) },
      ]}
      confirm={({ seats: after }) =>
        `The number of seats changes from ${number(before)} to ${number(Number(after))}.`
      }
      run={({ seats: after }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/subscriptions/{id}/seats",
          { id, seats: Number(after) },
          { idempotencyKey },
        )
      }
      onDone={onDone}
    />
  );
}

function AnotherCard({ subscription: { id }, onDone }: ActionsProps) {
  return (
    <Action
      label="Link for another card"
      about={
        <p>
          Makes a link at which the customer saves another card, once and within 24 hours. It ends
          the link before it. A failed invoice is tried immediately with the new card.
        </p>
      }
      run={(_values, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/subscriptions/{id}/payment-method-link",
          { id },
          { idempotencyKey },
        )
      }
      show={({ url, expiredAt }) => (
        <>
          <p>Send this link to the customer. It is valid until {dateTime(expiredAt)}.</p>
          <p class="url">
            <code>{url}</code>
          </p>
          <Copy value={url} label="Copy URL" />
        </>
      )}
      onDone={onDone}
    />
  );
}

const END: Field = {
  name: "at",
  label: "When it ends",
  kind: "choice",
  options: [
    ["period_end", "With the current period"],
    ["now", "Now"],
  ],
};

/** What is billed after a cancellation, by type. */
const LAST_BILL: Record<Subscription["type"], string> = {
  subscription: "Nothing more is billed.",
  seating: "Changes of seats that are not billed yet are charged with a last invoice.",
  consumption: "The usage so far and the base fee are charged with a last invoice.",
};

function Cancel({ subscription, onDone }: ActionsProps) {
  const { id, type, status, startDate, currentPeriod } = subscription;
  const end = status === "trialing" ? startDate : currentPeriod?.periodEnd;
  return (
    <Action
      label="Cancel subscription"
      isDanger
      about={
        <>
          <p>A paid invoice stays paid: nothing goes back to the customer.</p>
          <p>{LAST_BILL[type]}</p>
        </>
      }
      fields={[END]}
      confirm={({ at }) => {
        const when = at === "now" || !end ? "now" : `on ${dateTime(end)}`;
        return `The subscription ends ${when}. This cannot be undone.`;
      }}
      run={({ at }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/subscriptions/{id}/cancel",
          { id, at: at as "now" | "period_end" },
          { idempotencyKey },
        )
      }
      onDone={onDone}
    />
  );
}
