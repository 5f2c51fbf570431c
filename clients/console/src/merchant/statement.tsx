// A wallet or a collection account, with its statement.

import type { Item } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money, words } from "../format.ts";
import { useLoad } from "../load.ts";
import { nameOf } from "../pages/of-business.ts";
import { Stops } from "../pages/wallets.tsx";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Facts, Id, Loading, Page, Problem, Section, WaitingPage } from "../ui/basics.tsx";
import { CREATED, CURRENCY, ID, ID_IN_FILE, moneyColumn, STATUS } from "../ui/columns.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { Disable, Fund, LowBalance, Transfer } from "./balance-actions.tsx";
import { readBalances, readWallet, walletInWords } from "./balances.ts";
import { MoveMoney } from "./move-money.tsx";

type Entry = Item<"GET /v1/business/{businessId}/wallets/{walletId}/entries">;
type Moved = Item<"GET /v1/business/{businessId}/collection-accounts/{id}/transfers">;

export function WalletPage({ params, session, visit }: RouteProps) {
  const { id: walletId = "" } = params;
  const { data, error, reload } = useLoad(walletId, () => readWallet(session, walletId));
  if (!data) {
    return <WaitingPage title="Wallet" error={error} />;
  }
  const { balance, currency, lowBalanceAt, owner } = data;
  return (
    <Page
      title={walletInWords(data)}
      beside={<Stops of={data} />}
      actions={
        <>
          {may(session, "transfers") && <MoveMoney session={session} from={data} onDone={reload} />}
          {may(session, "wallets") && (
            <>
              {visit.sandbox && <Fund wallet={data} onDone={reload} />}
              <LowBalance wallet={data} onDone={reload} />
              <Disable wallet={data} onDone={reload} />
            </>
          )}
        </>
      }
    >
      <Problem error={error} />
      <Facts
        of={[
          ["Wallet", <Id value={walletId} />],
          ["Balance", money(balance, currency)],
          ["You are told below", lowBalanceAt && money(lowBalanceAt, currency)],
          [
            "Owner",
            owner ? (
              <a href={href(["end-users", owner.id])}>{nameOf(owner)}</a>
            ) : (
              "The business itself"
            ),
          ],
        ]}
      />
      <Section title="Statement">
        <Listing
          // Another balance has another statement.
          key={balance}
          endpoint="GET /v1/business/{businessId}/wallets/{walletId}/entries"
          fixed={{ walletId }}
          caption="Statement"
          columns={entryColumns(currency)}
          empty="There is no entry yet."
        />
      </Section>
    </Page>
  );
}

export function CollectionAccountPage({ params, session }: RouteProps) {
  const { id = "" } = params;
  const { data, error, reload } = useLoad("balances", () => readBalances(session));
  const account = data?.collectionAccounts.find((each) => each.id === id);
  if (!data || !account) {
    return (
      <Page title="Collection account">
        {data && <p class="empty">There is no such collection account.</p>}
        {!data && (error ? <Problem error={error} /> : <Loading />)}
      </Page>
    );
  }
  const { balance, currency } = account;
  return (
    <Page
      title={`${currency} collection account`}
      actions={
        may(session, "transfers") && (
          <Transfer account={account} wallets={data.wallets} onDone={reload} />
        )
      }
    >
      <Problem error={error} />
      <Facts
        of={[
          ["Collection account", <Id value={id} />],
          ["Balance", money(balance, currency)],
        ]}
      />
      <Section title="Statement">
        <Listing
          key={balance}
          endpoint="GET /v1/business/{businessId}/collection-accounts/{id}/entries"
          fixed={{ id }}
          caption="Statement"
          columns={entryColumns(currency)}
          empty="There is no entry yet."
        />
      </Section>
      <Section title="Transfers">
        <Listing
          key={balance}
          endpoint="GET /v1/business/{businessId}/collection-accounts/{id}/transfers"
          fixed={{ id, order: "newest" }}
          caption="Transfers"
          columns={TRANSFER_COLUMNS}
          empty="There is no transfer yet."
        />
      </Section>
    </Page>
  );
}

const KINDS: Record<string, string> = {
  payout: "Payout",
  "payout-reversal": "Payout returned",
  funding: "Funding",
  collection: "Payment of a customer",
  refund: "Refund",
  "refund-reversal": "Refund returned",
  "transfer-out": "Transfer to the wallet",
  "transfer-in": "Transfer from the collection account",
};
/** Transfers are no transactions: they have no page of their own. */
const TRANSFERS = ["transfer-out", "transfer-in"];

/** The kind of an entry. */
export function entryInWords(kind: string): string {
  return KINDS[kind] ?? words(kind);
}

function entryColumns(currency: string): Column<Entry>[] {
  const sideColumn = (title: string, side: Entry["entry"]): Column<Entry> => ({
    title,
    text: ({ entry, amount }) => (entry === side ? amount : ""),
    cell: ({ entry, amount }) => entry === side && money(amount, currency),
    isNumber: true,
  });
  return [
    CREATED,
    { title: "Kind", text: ({ kind }) => kind, cell: ({ kind }) => entryInWords(kind) },
    sideColumn("Debit", "DEBIT"),
    sideColumn("Credit", "CREDIT"),
    {
      title: "Balance",
      text: ({ balance }) => balance,
      cell: ({ balance }) => money(balance, currency),
      isNumber: true,
    },
    { title: "Currency", text: () => currency, isOnlyInFile: true },
    {
      title: "Transaction",
      text: ({ transactionId }) => transactionId,
      cell: ({ kind, transactionId }) =>
        !TRANSFERS.includes(kind) && (
          <a href={href(["transactions", transactionId])}>…{transactionId.slice(-8)}</a>
        ),
    },
    { title: "Block", text: ({ block }) => block ?? "", isOnlyInFile: true },
    ID_IN_FILE,
  ];
}

const TRANSFER_COLUMNS: Column<Moved>[] = [
  CREATED,
  STATUS,
  moneyColumn("Amount", ({ amount }) => amount),
  CURRENCY,
  { title: "Reference", text: ({ reference }) => reference },
  ID,
];
