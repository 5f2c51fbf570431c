// What can be done about webhook endpoints and deliveries: a merchant manages its own; an operator
// switches endpoints on again and has deliveries sent again, with a note.

import { call, type Session } from "../api.ts";
import { number, words } from "../format.ts";
import { go } from "../router.ts";
import { may } from "../scopes.ts";
import { Action, NOTE } from "../ui/action.tsx";
import { Id } from "../ui/basics.tsx";
import type { Field, Values } from "../ui/form.tsx";
import { type Delivery, type Endpoint, type Of, webhookPath } from "./of-business.ts";

const NAME: Field = { name: "description", label: "Name", isOptional: true };
const ADDRESS: Field = {
  name: "url",
  label: "Address",
  kind: "url",
  hint: "Where payrail sends events; https outside development.",
};

/** A secret is shown only once. */
function Secret({ secret }: { secret: string }) {
  return (
    <>
      <p>Copy the secret now: it is not shown again. It signs every delivery.</p>
      <Id value={secret} />
    </>
  );
}

export function NewEndpoint({ session, onDone }: { session: Session; onDone(): void }) {
  if (!may(session, "webhooks")) return null;
  return (
    <Action
      label="New endpoint"
      isPrimary
      about={<p>It gets all events of the business except heads of the ledger.</p>}
      fields={[ADDRESS, NAME]}
      run={({ url = "", description }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/webhooks",
          { url, ...(description !== undefined && { description }) },
          { idempotencyKey },
        )
      }
      show={({ secret }) => <Secret secret={secret} />}
      onDone={onDone}
    />
  );
}

interface EndpointActionsProps {
  of: Of;
  endpoint: Endpoint;
  onDone(): void;
}

export function EndpointActions(props: EndpointActionsProps) {
  const { of, endpoint } = props;
  const isOperator = of.session.role === "admin";
  if (!isOperator && !may(of.session, "webhooks")) return null;
  return (
    <>
      {!isOperator && !endpoint.disabled && <SendTest {...props} />}
      <Replay {...props} />
      {endpoint.disabled && <Enable {...props} />}
      {!isOperator && <Manage {...props} />}
    </>
  );
}

function Enable({
  of: { session, businessId },
  endpoint: { id, url },
  onDone,
}: EndpointActionsProps) {
  const isOperator = session.role === "admin";
  return (
    <Action
      label="Enable"
      about={
        <p>The endpoint gets the events of changes from now on. Replay brings earlier ones.</p>
      }
      fields={isOperator ? [NOTE] : []}
      confirm={() => `payrail sends events to ${url} again.`}
      run={({ note = "" }, idempotencyKey) =>
        isOperator
          ? call(
              "POST /v1/admin/businesses/{businessId}/webhooks/{id}/enable",
              { businessId, id, note },
              { idempotencyKey },
            )
          : call("PATCH /v1/business/{businessId}/webhooks/{id}", { id, disabled: false })
      }
      onDone={onDone}
    />
  );
}

const REPLAY: Field[] = [
  {
    name: "since",
    label: "Since (UTC)",
    kind: "date",
    hint: "Deliveries that were created on that day or later, and have ended.",
  },
  {
    name: "status",
    label: "Which",
    kind: "choice",
    isOptional: true,
    options: [
      ["DEAD_LETTER", "Dead letters"],
      ["", "Dead letters and delivered ones"],
      ["DELIVERED", "Delivered ones"],
    ],
  },
];

function Replay({ of: { session, businessId }, endpoint: { id }, onDone }: EndpointActionsProps) {
  const isOperator = session.role === "admin";
  return (
    <Action
      label="Replay"
      about={<p>Deliveries are sent again, in their order, with their webhook-id.</p>}
      fields={isOperator ? [...REPLAY, NOTE] : REPLAY}
      confirm={({ since, status }) =>
        `All ${status ? words(status).toLowerCase() : "ended"} deliveries since ${since} are sent again.`
      }
      run={({ since = "", status, note = "" }, idempotencyKey) => {
        const wanted = { id, since, ...(status && { status: status as "DELIVERED" }) };
        return isOperator
          ? call(
              "POST /v1/admin/businesses/{businessId}/webhooks/{id}/replay",
              { businessId, ...wanted, note },
              { idempotencyKey },
            )
          : call("POST /v1/business/{businessId}/webhooks/{id}/replay", wanted, { idempotencyKey });
      }}
      show={({ count }) => <p>{number(count)} deliveries are sent again.</p>}
      onDone={onDone}
    />
  );
}

function SendTest({ endpoint: { id }, onDone }: EndpointActionsProps) {
  return (
    <Action
      label="Send test"
      about={<p>The endpoint gets an event of type TEST.</p>}
      run={(_values, idempotencyKey) =>
        call("POST /v1/business/{businessId}/webhooks/{id}/test", { id }, { idempotencyKey })
      }
      onDone={onDone}
    />
  );
}

/** What only the merchant does: its address, its secret, its end. */
function Manage({ of, endpoint, onDone }: EndpointActionsProps) {
  const { id, url, description, disabled } = endpoint;
  const update = (values: Values) =>
    call("PATCH /v1/business/{businessId}/webhooks/{id}", { id, ...values });
  return (
    <>
      <Action
        label="Edit"
        fields={[
          { ...ADDRESS, initial: url },
          { ...NAME, initial: description ?? "" },
        ]}
        run={update}
        onDone={onDone}
      />
      <Action
        label="New secret"
        about={<p>For 24 hours both the old and the new secret sign each delivery.</p>}
        confirm={() => "The endpoint gets another secret."}
        run={(_values, idempotencyKey) =>
          call(
            "POST /v1/business/{businessId}/webhooks/{id}/rotate-secret",
            { id },
            { idempotencyKey },
          )
        }
        show={({ secret }) => <Secret secret={secret} />}
        onDone={onDone}
      />
      {!disabled && (
        <Action
          label="Disable"
          isDanger
          about={<p>It gets no events until it is enabled again. Pending deliveries end.</p>}
          confirm={() => `payrail sends nothing to ${url} any more.`}
          run={() => call("PATCH /v1/business/{businessId}/webhooks/{id}", { id, disabled: true })}
          onDone={onDone}
        />
      )}
      <Action
        label="Delete"
        isDanger
        about={<p>Its pending deliveries are dropped.</p>}
        confirm={() => `The endpoint ${url} is deleted. This cannot be undone.`}
        run={() => call("DELETE /v1/business/{businessId}/webhooks/{id}", { id })}
        onDone={() => go(webhookPath(of, "").slice(0, -1))}
      />
    </>
  );
}

interface DeliveryActionsProps {
  of: Of;
  endpointId: string;
  delivery: Delivery;
  onDone(): void;
}

export function DeliveryActions({ of, endpointId: id, delivery, onDone }: DeliveryActionsProps) {
  const { session, businessId } = of;
  const { id: deliveryId } = delivery;
  const isOperator = session.role === "admin";
  if (!isOperator && !may(session, "webhooks")) return null;
  return (
    <Action
      label="Send again"
      about={<p>The endpoint gets the same event once more, with the same webhook-id.</p>}
      fields={isOperator ? [NOTE] : []}
      confirm={() => "The delivery is sent again now."}
      run={({ note = "" }, idempotencyKey) =>
        isOperator
          ? call(
              "POST /v1/admin/businesses/{businessId}/webhooks/{id}/deliveries/{deliveryId}/replay",
              { businessId, id, deliveryId, note },
              { idempotencyKey },
            )
          : call(
              "POST /v1/business/{businessId}/webhooks/{id}/deliveries/{deliveryId}/replay",
              { id, deliveryId },
              { idempotencyKey },
            )
      }
      onDone={onDone}
    />
  );
}
