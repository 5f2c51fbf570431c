// The transactions of a business.

import type { Item, Params } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Page } from "../ui/basics.tsx";
import { CURRENCY, createdColumn, ID_IN_FILE, moneyColumn, STATUS } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { kindInWords, type Of, readBy, recipientInWords, transactionPath } from "./of-business.ts";

type Listed = Item<"GET /v1/business/{businessId}/transactions">;

/** What a list of transactions is narrowed by. */
export type TransactionFilter = Pick<
  Params<"GET /v1/business/{businessId}/transactions">,
  "search" | "email" | "last4" | "reference" | "amountFrom" | "amountTo"
>;

const FILTERS: Filter[] = [
  {
    name: "status",
    label: "Status",
    options: [
      ["PENDING", "Pending"],
      ["PROCESSING_PAY_OUT", "Processing"],
      ["SUCCESS", "Succeeded"],
      ["FAILED", "Failed"],
    ],
  },
  {
    name: "flow",
    label: "Kind",
    options: [
      ["WITHDRAWAL", "Payouts"],
      ["COLLECTION", "Payments of customers"],
      ["REFUND", "Refunds"],
      ["FUNDING", "Fundings"],
      ["TRANSFER", "Transfers between wallets"],
      ["ADJUSTMENT", "Adjustments"],
    ],
  },
  { name: "search", label: "Recipient's name" },
  { name: "email", label: "Email" },
  { name: "from", label: "From (UTC)", kind: "date" },
  { name: "to", label: "Before (UTC)", kind: "date" },
  { name: "last4", label: "Last four digits" },
  { name: "amountFrom", label: "Amount from" },
  { name: "amountTo", label: "Amount up to" },
  { name: "reference", label: "Reference" },
  {
    name: "needsAttention",
    label: "Attention",
    options: [
      ["true", "Needed"],
      ["false", "Not needed"],
    ],
  },
  { name: "externalId", label: "End user's external id" },
  { name: "entityId", label: "End user's id" },
  { name: "linkedAccountId", label: "Linked account's id" },
];

export function transactionColumns(of: Of): Column<Listed>[] {
  return [
    createdColumn(({ id }) => transactionPath(of, id)),
    { title: "Kind", text: ({ flow }) => flow, cell: kindInWords },
    STATUS,
    {
      title: "Who",
      text: ({ recipient, entity }) => recipient?.name ?? entity?.email ?? "",
      cell: ({ recipient, entity }) => (recipient ? recipientInWords(recipient) : entity?.email),
    },
    moneyColumn("Amount", ({ amount }) => amount),
    moneyColumn("Fees", ({ fees }) => fees),
    CURRENCY,
    { title: "Reference", text: ({ reference }) => reference ?? "" },
    { title: "Reason", text: ({ reason, failureReason }) => failureReason ?? reason ?? "" },
    inFile("Direction", ({ direction }) => direction),
    inFile("Failure code", ({ failureCode }) => failureCode),
    inFile("Recipient's email", ({ recipient }) => recipient?.email),
    inFile("Bank", ({ recipient }) => recipient?.bankName),
    inFile("Last four digits", ({ recipient }) => recipient?.lastFour),
    inFile("End user", ({ entity }) => entity?.email),
    inFile("External id", ({ entity }) => entity?.externalIdentifier),
    inFile("Metadata", ({ metadata }) => metadata && JSON.stringify(metadata)),
    ID_IN_FILE,
  ];
}

function inFile(title: string, of: (item: Listed) => string | null | undefined): Column<Listed> {
  return { title, text: (item) => of(item) ?? "", isOnlyInFile: true };
}

export function TransactionList({ of }: { of: Of }) {
  return (
    <Listing
      endpoint={readBy(of, "GET /v1/admin/businesses/{businessId}/transactions")}
      fixed={{ businessId: of.businessId }}
      filters={FILTERS}
      caption="Transactions"
      columns={transactionColumns(of)}
      empty="There is no transaction yet."
    />
  );
}

export function TransactionsPage({ session }: RouteProps) {
  return (
    <Page
      title="Transactions"
      actions={
        may(session, "payouts") && (
          <a class="button primary" href={href(["linked-accounts"])}>
            Pay someone
          </a>
        )
      }
    >
      <TransactionList of={{ session, businessId: session.id }} />
    </Page>
  );
}
