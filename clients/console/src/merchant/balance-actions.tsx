// What can be done with the wallets and collection accounts of the business.

import { call, type Session } from "../api.ts";
import { money } from "../format.ts";
import type { Wallet } from "../pages/wallets.tsx";
import { Action } from "../ui/action.tsx";
import type { Field } from "../ui/form.tsx";
import type { Balances, CollectionAccount } from "./balances.ts";
import { CURRENCIES, type Currency } from "./currencies.ts";

export const AMOUNT: Field = { name: "amount", label: "Amount", kind: "number", step: "0.01" };

export function referenceField(hint: string): Field {
  return { name: "reference", label: "Reference", hint };
}

interface OpenProps {
  session: Session;
  balances: Balances;
  onDone(): void;
}

/** Opens a wallet or a collection account in a currency that has none yet. */
export function Open({ session, balances, onDone }: OpenProps) {
  const { wallets, collectionAccounts } = balances;
  const currencies = (opened: { currency: Currency }[]): [string, string][] =>
    CURRENCIES.filter((each) => !opened.some(({ currency }) => currency === each)).map((each) => [
      each,
      each,
    ]);
  const [forWallet, forAccount] = [currencies(wallets), currencies(collectionAccounts)];
  return (
    <>
      {forAccount.length > 0 && (
        <Action
          label="Open collection account"
          about={<p>Customers pay into it at payment links in its currency.</p>}
          fields={[currencyField(forAccount)]}
          run={({ currency }, idempotencyKey) =>
            call(
              "POST /v1/business/{businessId}/collection-accounts",
              { currency: currency as Currency },
              { idempotencyKey },
            )
          }
          onDone={onDone}
        />
      )}
      {forWallet.length > 0 && (
        <Action
          label="Open wallet"
          about={<p>The business itself holds money in it, and pays out from it.</p>}
          fields={[currencyField(forWallet)]}
          run={({ currency }, idempotencyKey) =>
            call(
              "POST /v1/business/{businessId}/wallets",
              { entityId: session.id, currency: currency as Currency },
              { idempotencyKey },
            )
          }
          onDone={onDone}
        />
      )}
    </>
  );
}

function currencyField(options: [string, string][]): Field {
  return { name: "currency", label: "Currency", kind: "choice", options };
}

/** Only the sandbox has this: elsewhere money comes from outside. */
export function Fund({ wallet, onDone }: { wallet: Wallet; onDone(): void }) {
  const { id: walletId, currency } = wallet;
  return (
    <Action
      label="Fund"
      about={<p>Credits the wallet with money of the sandbox.</p>}
      fields={[
        AMOUNT,
        referenceField(
          "Your id of the funding, such as opening-1. The same reference credits once.",
        ),
      ]}
      confirm={({ amount = "" }) => `The wallet is credited with ${money(amount, currency)}.`}
      run={({ amount, reference = "" }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/wallets/{walletId}/fund",
          { walletId, amount: Number(amount), reference },
          { idempotencyKey },
        )
      }
      onDone={onDone}
    />
  );
}

interface TransferProps {
  account: CollectionAccount;
  /** Those of the business itself. */
  wallets: Wallet[];
  onDone(): void;
}

/** Moves collected money to the wallet of the business in the same currency. */
export function Transfer({ account, wallets, onDone }: TransferProps) {
  const { id, currency, balance } = account;
  const wallet = wallets.find((each) => each.currency === currency);
  if (!wallet) return <p class="quiet">Open a wallet in {currency} to transfer money to it.</p>;
  return (
    <Action
      label="Transfer"
      about={
        <p>
          Moves collected money to the wallet of the business in {currency}. The account holds{" "}
          {money(balance, currency)}.
        </p>
      }
      fields={[
        AMOUNT,
        referenceField(
          "Your id of the transfer, such as week-47. The same reference transfers once.",
        ),
      ]}
      confirm={({ amount = "" }) =>
        `${money(amount, currency)} moves from the collection account to the wallet. This cannot be undone.`
      }
      run={({ amount, reference = "" }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/collection-accounts/{id}/transfers",
          { id, walletId: wallet.id, amount: Number(amount), reference },
          { idempotencyKey },
        )
      }
      onDone={onDone}
    />
  );
}

/** Sets the balance below which the business is told, or has it told no more. */
export function LowBalance({ wallet, onDone }: { wallet: Wallet; onDone(): void }) {
  const { id: walletId, currency, lowBalanceAt } = wallet;
  return (
    <Action
      label="Low balance"
      submit="Save"
      about={
        <p>
          The event BALANCE tells your webhook endpoints each time the balance falls below this
          amount in {currency}, and again only after it was back.
        </p>
      }
      fields={[
        {
          name: "lowBalanceAt",
          label: "Tell below",
          kind: "number",
          step: "0.01",
          initial: lowBalanceAt ?? "",
          isOptional: true,
          hint: "Empty: you are not told.",
        },
      ]}
      run={({ lowBalanceAt: below = null }) =>
        call("PATCH /v1/business/{businessId}/wallets/{walletId}", {
          walletId,
          lowBalanceAt: below,
        })
      }
      onDone={onDone}
    />
  );
}

/** Disables a wallet, or enables it again. */
export function Disable({ wallet, onDone }: { wallet: Wallet; onDone(): void }) {
  const { id: walletId, disabled } = wallet;
  return (
    <Action
      label={disabled ? "Enable" : "Disable"}
      isDanger={!disabled}
      about={
        <p>
          A disabled wallet cannot be debited, so no payout is made from it. It can still be
          credited, and it can be enabled again.
        </p>
      }
      confirm={() =>
        disabled
          ? "The wallet can be debited again."
          : "No payout is made from the wallet any more."
      }
      run={() =>
        call("PATCH /v1/business/{businessId}/wallets/{walletId}", {
          walletId,
          disabled: !disabled,
        })
      }
      onDone={onDone}
    />
  );
}
