// Freezing a wallet or an end user, and lifting the freeze.

import { call, type Data, readPage } from "../api.ts";
import type { Wallet } from "../pages/wallets.tsx";
import { Action, NOTE } from "../ui/action.tsx";

type EndUser = Data<"GET /v1/business/{businessId}/entities/{entityId}">;

interface FreezeProps {
  isFrozen: boolean;
  /** What a freeze stops. */
  stops: string;
  /** Freezes or lifts. */
  set(frozen: boolean, note: string): Promise<unknown>;
  onDone(): void;
}

function Freeze({ isFrozen, stops, set, onDone }: FreezeProps) {
  return (
    <Action
      label={isFrozen ? "Lift the freeze" : "Freeze"}
      isDanger={!isFrozen}
      about={
        <p>
          {stops} Accepted payouts that no bank has yet wait, and go on when the freeze ends. Money
          can still come in. It holds within five seconds.
        </p>
      }
      fields={[NOTE]}
      confirm={() => (isFrozen ? "The freeze ends, and what waited goes on." : stops)}
      run={({ note = "" }) => set(!isFrozen, note)}
      onDone={onDone}
    />
  );
}

const LOOKS = 12;
const LOOK_EVERY_MS = 500;

export function FreezeWallet({ wallet, onDone }: { wallet: Wallet; onDone(): void }) {
  const { id: walletId, businessId, entityId, frozen = false } = wallet;
  const isShown = async () => {
    const read = "GET /v1/admin/businesses/{businessId}/wallets";
    const { items } = await readPage(read, { businessId, entityId });
    return items.some((each) => each.id === walletId && each.frozen === !frozen);
  };
  return (
    <Freeze
      isFrozen={frozen}
      stops="No money leaves the wallet: payouts and transfers from it are refused."
      set={async (wanted, note) => {
        await call("PUT /v1/admin/businesses/{businessId}/wallets/{walletId}/freeze", {
          businessId,
          walletId,
          frozen: wanted,
          note,
        });
        // The ledger follows within seconds. A page that is read before shows the old state.
        for (let i = 0; i < LOOKS && !(await isShown()); i++) {
          await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
        }
      }}
      onDone={onDone}
    />
  );
}

interface FreezeEndUserProps {
  businessId: string;
  user: EndUser;
  onDone(): void;
}

export function FreezeEndUser({ businessId, user, onDone }: FreezeEndUserProps) {
  const { id: entityId, frozen = false } = user;
  return (
    <Freeze
      isFrozen={frozen}
      stops="Nothing is paid to the end user, and no money leaves the end user's wallets."
      set={(wanted, note) =>
        call("PUT /v1/admin/businesses/{businessId}/entities/{entityId}/freeze", {
          businessId,
          entityId,
          frozen: wanted,
          note,
        })
      }
      onDone={onDone}
    />
  );
}
