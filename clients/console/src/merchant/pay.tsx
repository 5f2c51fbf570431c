// Paying: a payout to a linked account, from its own wallet or from the business's.

import { useState } from "preact/hooks";
import { call, type Data, type Params } from "../api.ts";
import { money } from "../format.ts";
import type { Wallet } from "../pages/wallets.tsx";
import { href } from "../router.ts";
import { Action } from "../ui/action.tsx";
import type { Field, Values } from "../ui/form.tsx";
import { newReference } from "../ui/idempotency-keys.ts";
import type { MaskedAccount } from "./masked-account.ts";

type Payout = Data<"POST /v1/business/{businessId}/payouts">;
type RoutingType = Params<"POST /v1/business/{businessId}/payouts">["routingType"];

/** Stands for the wallet that the account belongs to. */
const OWN = "own";

interface PayProps {
  account: MaskedAccount;
  /** Those of the business itself. */
  wallets: Wallet[];
  onDone(): void;
}

export function Pay({ account, wallets, onDone }: PayProps) {
  const { id: linkedAccountId, currency, holder, institution, number } = account;
  // It stays until the payout is made, so that whoever tries again pays once.
  const [reference, setReference] = useState(() => newReference("payout"));
  const sources = sourcesOf(account, wallets);
  const sourceOf = ({ walletId }: Values) => sources.find(({ id }) => id === walletId)?.of;
  return (
    <Action
      label="Pay"
      about={
        <p>
          To {holder}, {institution} {number}.
        </p>
      }
      fields={fieldsOf({ account, sources, reference })}
      confirm={(values) =>
        `${money(values.amount ?? "", currency)} goes to ${holder}, ${institution} ${number}, from ` +
        `the wallet of ${sourceOf(values)}, which pays the fee too. This cannot be undone.`
      }
      run={({ amount, walletId, routingType, reason = "", reference: own }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/payouts",
          {
            linkedAccountId,
            amount: Number(amount),
            reason,
            ...(own && { reference: own }),
            ...(walletId !== OWN && { walletId }),
            ...(routingType && { routingType: routingType as RoutingType }),
          },
          { idempotencyKey },
        )
      }
      show={(payout) => <Made payout={payout} currency={currency} />}
      onDone={() => {
        setReference(newReference("payout"));
        onDone();
      }}
    />
  );
}

interface Source {
  /** The wallet's id, or `OWN`. */
  id: string;
  /** Whose wallet it is, in words. */
  of: string;
  balance: string;
}

/** The wallets that can be debited. */
function sourcesOf({ wallet, owner, currency }: MaskedAccount, wallets: Wallet[]): Source[] {
  const of = owner.isBusiness ? "the business" : owner.email;
  const others = wallets.filter((each) => each.currency === currency && each.id !== wallet.id);
  return [
    { id: OWN, of, balance: wallet.balance },
    ...others.map(({ id, balance }) => ({ id, of: "the business", balance })),
  ];
}

interface Asked {
  account: MaskedAccount;
  sources: Source[];
  reference: string;
}

function fieldsOf({ account: { type, currency }, sources, reference }: Asked): Field[] {
  const routing: Field = {
    name: "routingType",
    label: "How",
    kind: "choice",
    options: [
      ["ACH", "ACH: in some days"],
      ["RTP", "RTP: real-time, if the bank takes part"],
      ["WIRE", "Wire"],
    ],
    initial: "ACH",
  };
  return [
    { name: "amount", label: "Amount", kind: "number", step: "0.01" },
    {
      name: "walletId",
      label: "From",
      kind: "choice",
      options: sources.map(({ id, of, balance }) => [
        id,
        // The beginning is what a narrow screen shows.
        `${money(balance, currency)} of ${of}`,
      ]),
      initial: OWN,
    },
    ...(type === "bank" ? [routing] : []),
    { name: "reason", label: "What for", hint: "Lists and the timeline show it." },
    {
      name: "reference",
      label: "Reference",
      initial: reference,
      hint: "Your id of the payout: keep this one, or use yours. The same reference pays once.",
    },
  ];
}

function Made({ payout: { id, amount, fees }, currency }: { payout: Payout; currency: string }) {
  return (
    <>
      <p>
        Accepted: {money(amount, currency)} was debited, with a fee of {money(fees, currency)}.
      </p>
      <p>
        <a href={href(["transactions", id])}>Follow the payout</a>
      </p>
    </>
  );
}
