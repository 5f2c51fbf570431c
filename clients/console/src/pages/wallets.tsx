// Wallets side by side: what each holds, and what stops it.

import type { ComponentChildren } from "preact";
import type { Item } from "../api.ts";
import { money } from "../format.ts";
import { href } from "../router.ts";
import { Flag, Id } from "../ui/basics.tsx";
import type { Of } from "./of-business.ts";

export type Wallet = Item<"GET /v1/business/{businessId}/wallets">;

interface WalletCardsProps {
  of: Of;
  wallets: Wallet[];
  /** What is said if there is none. */
  empty: string;
  /** What can be done with a wallet. */
  actions?(wallet: Wallet): ComponentChildren;
}

/** Only a business has a page of a wallet. */
export function WalletCards({ of, wallets, empty, actions }: WalletCardsProps) {
  if (wallets.length === 0) return <p class="empty">{empty}</p>;
  return (
    <ul class="cards">
      {wallets.map((wallet) => (
        <li key={wallet.id} class="panel balance">
          <p class="sum">{money(wallet.balance, wallet.currency)}</p>
          <Stops of={wallet} />
          {of.session.role === "admin" ? (
            <Id value={wallet.id} short />
          ) : (
            <a href={href(["wallets", wallet.id])}>Statement</a>
          )}
          {actions?.(wallet)}
        </li>
      ))}
    </ul>
  );
}

/** Why a wallet cannot be debited, if so. */
export function Stops({ of: { disabled, frozen } }: { of: Wallet }) {
  return (
    <>
      {frozen && <Flag>Frozen by the operator: no money leaves it</Flag>}
      {disabled && <Flag>Disabled: it cannot be debited</Flag>}
    </>
  );
}
