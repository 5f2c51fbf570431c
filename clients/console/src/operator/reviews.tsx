// Reviews: the payouts that the screening holds, and an operator's decision about each.

import { call, type Item } from "../api.ts";
import { age, money, words } from "../format.ts";
import { recipientInWords, type Transaction } from "../pages/of-business.ts";
import { href } from "../router.ts";
import { Action, NOTE } from "../ui/action.tsx";
import { Page, Time } from "../ui/basics.tsx";
import { CURRENCY, ID_IN_FILE, moneyColumn } from "../ui/columns.tsx";
import { Listing } from "../ui/listing.tsx";
import { BusinessName } from "../ui/names.tsx";
import type { Column } from "../ui/table.tsx";

type Review = Item<"GET /v1/admin/reviews">;

const COLUMNS: Column<Review>[] = [
  {
    title: "Waits since",
    text: ({ since }) => since,
    cell: ({ id, businessId, since }) => (
      <>
        <a href={href(["businesses", businessId, "transactions", id])}>
          <Time at={since} />
        </a>{" "}
        <span class="quiet">for {age(since)}</span>
      </>
    ),
  },
  {
    title: "Business",
    text: ({ businessId }) => businessId,
    cell: ({ businessId }) => <BusinessName id={businessId} />,
  },
  {
    title: "Recipient",
    text: ({ recipient }) => (recipient ? recipientInWords(recipient) : ""),
  },
  moneyColumn("Amount", ({ amount }) => amount),
  CURRENCY,
  {
    title: "Method",
    text: ({ method }) => method ?? "",
    cell: ({ method }) => method && words(method),
  },
  { title: "Why", text: ({ reasons }) => reasons.join("; ") },
  ID_IN_FILE,
];

export function ReviewsPage() {
  return (
    <Page
      title="Reviews"
      about="Payouts that the screening holds until a person decides, oldest first. No bank has them yet, and their merchants read only that they are pending."
    >
      <Listing
        endpoint="GET /v1/admin/reviews"
        caption="Reviews"
        columns={COLUMNS}
        actions={(review, reload) => (
          <div class="buttons">
            <ReviewActions payout={review} onDone={reload} />
          </div>
        )}
        empty="No payout waits for a review."
      />
    </Page>
  );
}

interface ReviewActionsProps {
  payout: Pick<Transaction, "id" | "amount" | "currency" | "recipient">;
  onDone(): void;
}

/** The decisions about a payout that waits for a review. */
export function ReviewActions({ payout, onDone }: ReviewActionsProps) {
  const { id, amount, currency, recipient } = payout;
  const what = `The payout of ${money(amount, currency)}${recipient ? ` to ${recipient.name}` : ""}`;
  const decide = (decision: "ALLOW" | "DENY") => ({
    fields: [HOW_YOU_DECIDE],
    run: ({ note = "" }: { note?: string }, idempotencyKey: string) =>
      call("POST /v1/admin/transactions/{id}/review", { id, decision, note }, { idempotencyKey }),
    onDone,
  });
  return (
    <>
      <Action
        label="Allow"
        about={
          <p>
            The payout goes to its bank. If something else stops it for more than a day, it is
            screened again.
          </p>
        }
        confirm={() => `${what} goes to its bank now.`}
        {...decide("ALLOW")}
      />
      <Action
        label="Deny"
        isDanger
        about={
          <p>
            The payout ends as failed, and its money and its fee go back to the wallet. The merchant
            reads that it was declined for compliance reasons, and nothing more.
          </p>
        }
        confirm={() =>
          `${what} ends as failed: its money and its fee go back to the wallet. This cannot be undone.`
        }
        {...decide("DENY")}
      />
    </>
  );
}

const HOW_YOU_DECIDE = {
  ...NOTE,
  hint: "Why you decide so, for the payout's history and the audit log. The merchant does not read it. No personal data.",
};
