// What an operator does with a wallet: credits what has reached the bank, corrects a mistake, and
// freezes it.

import { call, type Params } from "../api.ts";
import { money } from "../format.ts";
import { AMOUNT, referenceField } from "../merchant/balance-actions.tsx";
import type { Wallet } from "../pages/wallets.tsx";
import { Action, NOTE } from "../ui/action.tsx";
import { FreezeWallet } from "./freeze.tsx";

interface WalletProps {
  wallet: Wallet;
  onDone(): void;
}

export function WalletActions(props: WalletProps) {
  return (
    <div class="actions">
      <Fund {...props} />
      <Adjust {...props} />
      <FreezeWallet {...props} />
    </div>
  );
}

function Fund({ wallet, onDone }: WalletProps) {
  const { id: walletId, businessId, currency } = wallet;
  return (
    <Action
      label="Fund"
      about={<p>Credits the wallet with money that has reached your bank.</p>}
      fields={[
        AMOUNT,
        referenceField("The bank's id of the money, such as wire-311. It credits the wallet once."),
        { ...NOTE, isOptional: true },
      ]}
      confirm={({ amount = "" }) => `The wallet is credited with ${money(amount, currency)}.`}
      run={({ amount, reference = "", note }, idempotencyKey) =>
        call(
          "POST /v1/admin/businesses/{businessId}/wallets/{walletId}/fundings",
          { businessId, walletId, amount: Number(amount), reference, ...(note && { note }) },
          { idempotencyKey },
        )
      }
      onDone={onDone}
    />
  );
}

type Direction =
  Params<"POST /v1/admin/businesses/{businessId}/wallets/{walletId}/adjustments">["direction"];

function Adjust({ wallet, onDone }: WalletProps) {
  const { id: walletId, businessId, balance, currency } = wallet;
  return (
    <Action
      label="Adjust"
      about={
        <p>
          Corrects a mistake by an entry of its own in the statement. The wallet holds{" "}
          {money(balance, currency)}; a debit never takes it below zero.
        </p>
      }
      fields={[
        {
          name: "direction",
          label: "Direction",
          kind: "choice",
          options: [
            ["CREDIT", "Credit the wallet"],
            ["DEBIT", "Debit the wallet"],
          ],
          initial: "CREDIT",
        },
        AMOUNT,
        referenceField("Your id of the adjustment, such as ticket-7. It corrects the wallet once."),
        NOTE,
      ]}
      confirm={({ direction, amount = "" }) =>
        `The wallet is ${direction === "DEBIT" ? "debited" : "credited"} with ${money(amount, currency)}.`
      }
      run={({ direction, amount, reference = "", note = "" }, idempotencyKey) =>
        call(
          "POST /v1/admin/businesses/{businessId}/wallets/{walletId}/adjustments",
          {
            businessId,
            walletId,
            direction: direction as Direction,
            amount: Number(amount),
            reference,
            note,
          },
          { idempotencyKey },
        )
      }
      onDone={onDone}
    />
  );
}
