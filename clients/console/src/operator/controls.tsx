// The controls of a business: what it may do.

import { call, type Data } from "../api.ts";
import { Action, NOTE } from "../ui/action.tsx";

export type ControlStatus = Data<"GET /v1/admin/businesses/{businessId}/controls">["status"];

const STATUSES: [status: ControlStatus, label: string][] = [
  ["ACTIVE", "Active"],
  ["PAYOUTS_PAUSED", "Payouts paused"],
  ["COLLECTIONS_PAUSED", "Collections paused"],
  ["FROZEN", "Frozen"],
];

const NO_PAYOUTS =
  "New payouts are refused. Accepted ones that no bank has yet wait, and go on afterwards.";
const NO_COLLECTIONS = "Customers cannot pay, and renewals wait without a failed attempt.";
const FOLLOWS: Record<ControlStatus, string> = {
  ACTIVE: "Nothing is stopped, and what waited goes on.",
  PAYOUTS_PAUSED: NO_PAYOUTS,
  COLLECTIONS_PAUSED: NO_COLLECTIONS,
  FROZEN: `${NO_PAYOUTS} ${NO_COLLECTIONS} The business can change nothing, only read.`,
};

interface ControlsProps {
  business: { id: string; name: string };
  status: ControlStatus;
  onDone(): void;
}

export function Controls({ business: { id: businessId, name }, status, onDone }: ControlsProps) {
  return (
    <Action
      label="Controls"
      submit="Change"
      about={<p>What {name} may do. A change holds within five seconds.</p>}
      fields={[
        {
          name: "status",
          label: "Status",
          kind: "choice",
          options: STATUSES,
          initial: status,
          hint: (values) => FOLLOWS[(values.status as ControlStatus) ?? status],
        },
        NOTE,
      ]}
      confirm={(values) => `${name}: ${FOLLOWS[values.status as ControlStatus]}`}
      run={(values) =>
        call("PUT /v1/admin/businesses/{businessId}/controls", {
          businessId,
          status: values.status as ControlStatus,
          note: values.note ?? "",
        })
      }
      onDone={onDone}
    />
  );
}
