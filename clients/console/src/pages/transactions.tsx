// The transactions of a business.

import type { Item } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { words } from "../format.ts";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Page } from "../ui/basics.tsx";
import { CURRENCY, createdColumn, ID_IN_FILE, moneyColumn, STATUS } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import { OpenById } from "../ui/open-by-id.tsx";
import type { Column } from "../ui/table.tsx";
import { type Of, recipientInWords, transactionPath } from "./of-business.ts";

type Listed = Item<"GET /v1/business/{businessId}/transactions">;

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
      ["FUNDING", "Fundings"],
    ],
  },
  {
    name: "needsAttention",
    label: "Attention",
    options: [
      ["true", "Needed"],
      ["false", "Not needed"],
    ],
  },
  { name: "from", label: "From (UTC)", kind: "date" },
  { name: "to", label: "Before (UTC)", kind: "date" },
  { name: "entityId", label: "End user's id" },
];

export function transactionColumns(of: Of): Column<Listed>[] {
  return [
    createdColumn(({ id }) => transactionPath(of, id)),
    { title: "Kind", text: ({ flow }) => flow, cell: ({ flow }) => words(flow) },
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
  const shared = {
    filters: FILTERS,
    caption: "Transactions",
    columns: transactionColumns(of),
    empty: "There is no transaction yet.",
  };
  // An operator has "Find by id" on every page.
  return of.session.role === "admin" ? (
    <Listing
      endpoint="GET /v1/admin/businesses/{businessId}/transactions"
      fixed={{ businessId: of.businessId }}
      {...shared}
    />
  ) : (
    <>
      <OpenById label="Open by id" pathOf={(id) => transactionPath(of, id)} />
      <Listing endpoint="GET /v1/business/{businessId}/transactions" {...shared} />
    </>
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
