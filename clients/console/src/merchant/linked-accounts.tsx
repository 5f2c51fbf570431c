// The linked accounts of the business and its end users, with masked numbers.

import type { ComponentChildren } from "preact";
import { call } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { words } from "../format.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Action } from "../ui/action.tsx";
import { Flag, Id, Money, Page } from "../ui/basics.tsx";
import { CREATED, CURRENCY, ID_IN_FILE } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { readBalances } from "./balances.ts";
import { CURRENCIES } from "./currencies.ts";
import { type MaskedAccount, mask } from "./masked-account.ts";
import { Pay } from "./pay.tsx";

const FILTERS: Filter[] = [
  {
    name: "currency",
    label: "Currency",
    options: CURRENCIES.map((currency) => [currency, currency]),
    initial: "USD",
  },
  {
    name: "accountType",
    label: "Type",
    options: ["bank", "international_bank", "card", "prepaid_card"].map((type) => [
      type,
      words(type),
    ]),
  },
  { name: "search", label: "Holder's name" },
  { name: "email", label: "Holder's email" },
  { name: "bank", label: "Bank" },
  { name: "last4", label: "Last four digits" },
  { name: "externalId", label: "Owner's external id" },
];

/** The account itself, without its owner. */
export const ACCOUNT_COLUMNS: Column<MaskedAccount>[] = [
  {
    title: "Holder",
    text: ({ holder }) => holder,
    cell: ({ holder, email }) => <TwoLines of={[holder, email]} />,
  },
  { title: "Email", text: ({ email }) => email, isOnlyInFile: true },
  {
    title: "Account",
    text: ({ number }) => number,
    cell: ({ id, type, institution, number, nickName }) => (
      <TwoLines
        of={[
          number ? `${institution} ${number}` : <Flag>It cannot be read now</Flag>,
          <>
            {[words(type), nickName].filter(Boolean).join(" · ")} <Id value={id} short />
          </>,
        ]}
      />
    ),
  },
  { title: "Bank or brand", text: ({ institution }) => institution, isOnlyInFile: true },
  { title: "Type", text: ({ type }) => type, isOnlyInFile: true },
  { title: "Nickname", text: ({ nickName }) => nickName ?? "", isOnlyInFile: true },
  CURRENCY,
  { ...CREATED, isOnlyInFile: true },
  ID_IN_FILE,
];

const COLUMNS: Column<MaskedAccount>[] = [
  ...ACCOUNT_COLUMNS,
  {
    title: "Owner",
    text: ({ owner }) => owner.email,
    cell: ({ owner: { id, isBusiness, email, externalIdentifier } }) => (
      <TwoLines
        of={[
          isBusiness ? "The business" : <a href={href(["end-users", id])}>{email}</a>,
          externalIdentifier,
        ]}
      />
    ),
  },
  {
    title: "Owner's external id",
    text: ({ owner }) => owner.externalIdentifier ?? "",
    isOnlyInFile: true,
  },
  {
    title: "Balance",
    text: ({ wallet }) => wallet.balance,
    cell: ({ wallet, currency }) => (
      <>
        <a href={href(["wallets", wallet.id])}>
          <Money amount={wallet.balance} currency={currency} />
        </a>{" "}
        {wallet.disabled && <Flag>Disabled</Flag>}
      </>
    ),
    isNumber: true,
  },
];

/** A text, and one that says more about it. */
function TwoLines({ of: [first, second] }: { of: [ComponentChildren, ComponentChildren] }) {
  return (
    <div>
      <div>{first}</div>
      <div class="quiet">{second}</div>
    </div>
  );
}

export function LinkedAccountsPage({ session }: RouteProps) {
  const { data } = useLoad("balances", () => readBalances(session));
  const mayPay = may(session, "payouts");
  const mayChange = may(session, "linked-accounts");
  const actions = (account: MaskedAccount, reload: () => void) => (
    <div class="buttons">
      {mayPay && account.currency === "USD" && (
        <Pay account={account} wallets={data?.wallets ?? []} onDone={reload} />
      )}
      {mayChange && <AccountActions account={account} onDone={reload} />}
    </div>
  );
  return (
    <Page
      title="Linked accounts"
      about={mayPay && "Those who can be paid, each with a button to pay."}
    >
      <Listing
        endpoint="GET /v1/business/{businessId}/linked-accounts/{currency}"
        fixed={{ order: "newest" }}
        filters={FILTERS}
        caption="Linked accounts"
        columns={COLUMNS}
        pick={mask}
        actions={mayPay || mayChange ? actions : undefined}
        empty="There is no linked account in this currency."
      />
    </Page>
  );
}

interface ActionsProps {
  account: MaskedAccount;
  onDone(): void;
}

function AccountActions({ account, onDone }: ActionsProps) {
  const { id: linkedAccountId, currency, nickName, institution, number, holder } = account;
  return (
    <>
      <Action
        label="Rename"
        fields={[{ name: "nickName", label: "Nickname", initial: nickName ?? "" }]}
        run={({ nickName: name = "" }) =>
          call("PATCH /v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}", {
            currency,
            linkedAccountId,
            nickName: name,
          })
        }
        onDone={onDone}
      />
      <Action
        label="Unlink"
        isDanger
        about={
          <p>Payouts on their way still finish. A new withdrawal does not find the account.</p>
        }
        confirm={() => `The account ${institution} ${number} of ${holder} is unlinked.`}
        run={() =>
          call("DELETE /v1/business/{businessId}/linked-accounts/{currency}/{linkedAccountId}", {
            currency,
            linkedAccountId,
          })
        }
        onDone={onDone}
      />
    </>
  );
}
