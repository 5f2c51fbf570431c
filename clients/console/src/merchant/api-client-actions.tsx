// What can be done about API clients.

import { call, type Params } from "../api.ts";
import { Action } from "../ui/action.tsx";
import { Facts, Id } from "../ui/basics.tsx";
import type { Field } from "../ui/form.tsx";
import { type ApiClient, SCOPES } from "./scopes-in-words.ts";

type Scopes = Params<"POST /v1/business/{businessId}/api-clients">["scopes"];

const ADDRESSES: Field = {
  name: "allowedAddresses",
  label: "Allowed addresses",
  kind: "area",
  isOptional: true,
  hint: "One on each line, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32. With none of them any address is allowed.",
};

function addressesIn(text = ""): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== "");
}

const FIELDS: Field[] = [
  { name: "name", label: "Name", hint: "Distinguishes it from your other clients." },
  {
    name: "scopes",
    label: "Scopes",
    kind: "several",
    options: Object.entries(SCOPES).map(([scope, about]) => [scope, `${scope}: ${about}`]),
    hint: "What its tokens may do. With none of them they can only read.",
  },
  ADDRESSES,
];

interface CredentialsProps {
  id: string;
  clientSecret: string;
  /** The business that is new too. */
  business?: string;
}

/** A secret is shown only once. */
export function Credentials({ id, clientSecret, business }: CredentialsProps) {
  return (
    <>
      <p class="about">Copy the secret now: it is not shown again.</p>
      <Facts
        of={[
          ["Business", business && <Id value={business} />],
          ["Client id", <Id value={id} />],
          ["Client secret", <Id value={clientSecret} />],
        ]}
      />
    </>
  );
}

export function NewClient({ onDone }: { onDone(): void }) {
  return (
    <Action
      label="New API client"
      isPrimary
      fields={FIELDS}
      run={({ name, scopes, allowedAddresses }, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/api-clients",
          {
            name,
            scopes: (scopes?.split(" ") ?? []) as Scopes,
            allowedAddresses: addressesIn(allowedAddresses),
          },
          { idempotencyKey },
        )
      }
      show={Credentials}
      onDone={onDone}
    />
  );
}

interface ActionsProps {
  client: ApiClient;
  onDone(): void;
}

export function ClientActions(props: ActionsProps) {
  const { disabled } = props.client;
  return (
    <>
      <AllowAddresses {...props} />
      <NewSecret {...props} />
      {disabled ? <Enable {...props} /> : <Disable {...props} />}
    </>
  );
}

const OWN = "If you are signed in with this client, your session here ends too.";

function AllowAddresses({ client: { id, allowedAddresses = [] }, onDone }: ActionsProps) {
  return (
    <Action
      label="Allowed addresses"
      about={
        <p>
          From any other address the client gets no tokens, and its tokens and those of its end
          users are refused within five seconds. If you are signed in with this client, this holds
          for your session here too.
        </p>
      }
      fields={[{ ...ADDRESSES, initial: allowedAddresses.join("\n") }]}
      confirm={(values) => {
        const addresses = addressesIn(values.allowedAddresses);
        return addresses.length === 0
          ? "The client may be used from any address."
          : `The client may be used from ${addresses.join(", ")} alone.`;
      }}
      run={(values) =>
        call("PATCH /v1/business/{businessId}/api-clients/{clientId}", {
          clientId: id,
          allowedAddresses: addressesIn(values.allowedAddresses),
        })
      }
      onDone={onDone}
    />
  );
}

function NewSecret({ client: { id }, onDone }: ActionsProps) {
  return (
    <Action
      label="New secret"
      isDanger
      about={
        <>
          <p>
            The old secret stops immediately. Tokens that were issued with it, to the client and for
            its end users, are refused within five seconds. {OWN}
          </p>
          <p>
            To change a secret without a gap, create another client, switch to it, and disable this
            one.
          </p>
        </>
      }
      confirm={() => "The old secret and all tokens of this client end now."}
      run={(_values, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/api-clients/{clientId}/rotate-secret",
          { clientId: id },
          { idempotencyKey },
        )
      }
      show={Credentials}
      onDone={onDone}
    />
  );
}

function Disable({ client: { id }, onDone }: ActionsProps) {
  return (
    <Action
      label="Disable"
      isDanger
      about={
        <p>
          The client gets no tokens, and its tokens are refused within five seconds, for good. {OWN}
        </p>
      }
      confirm={() => "All tokens of this client end now. Servers that use it are refused."}
      run={() =>
        call("PATCH /v1/business/{businessId}/api-clients/{clientId}", {
          clientId: id,
          disabled: true,
        })
      }
      onDone={onDone}
    />
  );
}

function Enable({ client: { id }, onDone }: ActionsProps) {
  return (
    <Action
      label="Enable"
      about={<p>The client gets new tokens with its secret. Its earlier tokens stay refused.</p>}
      confirm={() => "The client may get tokens again."}
      run={() =>
        call("PATCH /v1/business/{businessId}/api-clients/{clientId}", {
          clientId: id,
          disabled: false,
        })
      }
      onDone={onDone}
    />
  );
}
