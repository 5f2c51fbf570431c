// Moving money between two wallets of the business: its own and those of its end users.

import { useState } from "preact/hooks";
import { call, type Item, PayrailError, readPage, type Session } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money } from "../format.ts";
import { useLoad } from "../load.ts";
import { nameOf } from "../pages/of-business.ts";
import type { Wallet } from "../pages/wallets.tsx";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Action } from "../ui/action.tsx";
import { Facts, Id, Money, Page, Status, Time, WaitingPage } from "../ui/basics.tsx";
import { CURRENCY, createdColumn, ID_IN_FILE, moneyColumn, STATUS } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import type { Field } from "../ui/form.tsx";
import { newReference } from "../ui/idempotency-keys.ts";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import { AMOUNT, referenceField } from "./balance-actions.tsx";
import { type OwnedWallet, readWallet, walletInWords } from "./balances.ts";
import { CURRENCIES } from "./currencies.ts";

type Transfer = Item<"GET /v1/business/{businessId}/transfers">;

const FILTERS: Filter[] = [
  { name: "walletId", label: "Wallet's id" },
  { name: "from", label: "From (UTC)", kind: "date" },
  { name: "to", label: "Before (UTC)", kind: "date" },
];

/** @param own the wallets of the business itself */
function columns(own: Wallet[]): Column<Transfer>[] {
  const walletColumn = (title: string, of: (transfer: Transfer) => string): Column<Transfer> => ({
    title,
    text: of,
    cell: (transfer) => {
      const id = of(transfer);
      const wallet = own.find((each) => each.id === id);
      if (!wallet) return <Id value={id} short to={["wallets", id]} />;
      return <a href={href(["wallets", id])}>{walletInWords({ ...wallet, owner: null })}</a>;
    },
  });
  return [
    createdColumn(({ id }) => ["transfers", id]),
    STATUS,
    moneyColumn("Amount", ({ amount }) => amount),
    CURRENCY,
    walletColumn("From wallet", ({ fromWalletId }) => fromWalletId),
    walletColumn("To wallet", ({ toWalletId }) => toWalletId),
    { title: "Reference", text: ({ reference }) => reference },
    { title: "What for", text: ({ description }) => description ?? "" },
    ID_IN_FILE,
  ];
}

export function MoveMoneyPage({ session }: RouteProps) {
  // Another key lists them anew.
  const [count, setCount] = useState(0);
  const { data: own } = useLoad("own wallets", () =>
    readPage("GET /v1/business/{businessId}/wallets", { entityId: session.id }),
  );
  return (
    <Page
      title="Move money"
      about="Between your own wallets and those of your end users, at once and without a fee."
      actions={
        may(session, "transfers") && (
          <MoveMoney session={session} onDone={() => setCount(count + 1)} />
        )
      }
    >
      <Listing
        key={count}
        endpoint="GET /v1/business/{businessId}/transfers"
        filters={FILTERS}
        caption="Transfers"
        columns={columns(own?.items ?? [])}
        empty="There is no transfer yet."
      />
    </Page>
  );
}

export function TransferPage({ params, session }: RouteProps) {
  const { id = "" } = params;
  const loaded = useLoad(id, async () => {
    const transfer = await call("GET /v1/business/{businessId}/transfers/{id}", { id });
    const { fromWalletId, toWalletId } = transfer;
    const [from, to] = await Promise.all([
      readWallet(session, fromWalletId),
      readWallet(session, toWalletId),
    ]);
    return { transfer, from, to };
  });
  const { data, error } = loaded;
  if (!data) return <WaitingPage title="Transfer" error={error} />;
  const { transfer, from, to } = data;
  const { status, amount, currency, reference, description, createdAt } = transfer;
  const placeOf = (wallet: OwnedWallet) => (
    <a href={href(["wallets", wallet.id])}>{walletInWords(wallet)}</a>
  );
  return (
    <Page
      title={`Transfer of ${money(amount, currency)}`}
      beside={<Status of={status} />}
      actions={
        <a class="button" href={href(["transactions", id])}>
          Timeline
        </a>
      }
      loaded={loaded}
    >
      <Facts
        of={[
          ["From", placeOf(from)],
          ["To", placeOf(to)],
          ["Amount", <Money amount={amount} currency={currency} />],
          ["Reference", reference],
          ["What for", description],
          ["Created", <Time at={createdAt} />],
          ["Transfer", <Id value={id} />],
        ]}
      />
    </Page>
  );
}

interface MoveMoneyProps {
  session: Session;
  /** The wallet that is debited, if the page is about one. */
  from?: OwnedWallet;
  onDone(): void;
}

/** The name of a side whose field is empty. */
const BUSINESS = "the business";

export function MoveMoney({ session, from, onDone }: MoveMoneyProps) {
  // It stays until the money is moved, so that whoever tries again moves it once.
  const [reference, setReference] = useState(() => newReference("transfer"));
  return (
    <Action
      label="Move money"
      isPrimary
      about={
        from && (
          <p>
            From: {walletInWords(from)}, which holds {money(from.balance, from.currency)}.
          </p>
        )
      }
      fields={[
        AMOUNT,
        ...(from ? [] : FROM),
        ownerField("toWalletId", "To"),
        { name: "description", label: "What for", isOptional: true },
        {
          ...referenceField(
            "Your id of the transfer: keep this one, or use yours. It moves money once.",
          ),
          initial: reference,
        },
      ]}
      confirm={({ amount = "", currency = "", fromWalletId = BUSINESS, toWalletId = BUSINESS }) =>
        `${money(amount, from?.currency ?? currency)} moves from ` +
        `${from?.owner ? nameOf(from.owner) : fromWalletId} to ${toWalletId}, at once.`
      }
      run={async ({ amount, reference: own = "", description, ...sides }, idempotencyKey) => {
        const { currency = from?.currency ?? "", fromWalletId, toWalletId } = sides;
        return call(
          "POST /v1/business/{businessId}/transfers",
          {
            fromWalletId:
              from?.id ?? (await findWallet(session, "fromWalletId", fromWalletId, currency)),
            toWalletId: await findWallet(session, "toWalletId", toWalletId, currency),
            amount: Number(amount),
            reference: own,
            ...(description && { description }),
          },
          { idempotencyKey },
        );
      }}
      onDone={() => {
        setReference(newReference("transfer"));
        onDone();
      }}
    />
  );
}

function ownerField(name: string, label: string): Field {
  return {
    name,
    label,
    isOptional: true,
    hint: "The email or the external id of an end user, in full. Empty: the business itself.",
  };
}

const FROM: Field[] = [
  {
    name: "currency",
    label: "Currency",
    kind: "choice",
    options: CURRENCIES.map((each) => [each, each]),
    initial: "USD",
  },
  ownerField("fromWalletId", "From"),
];

/**
 * The wallet of an end user, or of the business itself.
 * @throws PayrailError for the field, unless exactly one end user has the email or external id
 */
async function findWallet(
  session: Session,
  field: string,
  owner: string | undefined,
  currency: string,
): Promise<string> {
  const entityId = owner === undefined ? session.id : await findEndUser(field, owner);
  const { items } = await readPage("GET /v1/business/{businessId}/wallets", { entityId });
  const wallet = items.find((each) => each.currency === currency);
  return wallet?.id ?? failField(field, `${owner ?? "The business"} has no wallet in ${currency}.`);
}

/** The API takes no longer text, and finds what contains it. */
const LONGEST = 64;
const MOST = 100;

async function findEndUser(field: string, owner: string): Promise<string> {
  const { items } = await readPage("GET /v1/business/{businessId}/entities", {
    search: owner.slice(0, LONGEST),
    order: "newest",
    limit: MOST,
  });
  const isOwner = ({ email, externalIdentifier }: (typeof items)[number]) =>
    email.toLowerCase() === owner.toLowerCase() || externalIdentifier === owner;
  const [found, another] = items.filter(isOwner);
  if (!found) return failField(field, `No end user has the email or external id ${owner}.`);
  if (another) return failField(field, `Several end users are ${owner}: use the external id.`);
  return found.id;
}

function failField(field: string, message: string): never {
  const errors = [{ field, code: "invalid", message }];
  throw new PayrailError({ code: "validation_failed", status: 400, message, errors });
}
