// The page on which a payment link is made, from nothing or as a copy of another one.

import { useRef, useState } from "preact/hooks";
import { call, readPage } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { useLoad } from "../load.ts";
import { go, href, useLocation } from "../router.ts";
import { Loading, Page, Problem } from "../ui/basics.tsx";
import { type Field, Fields, Form, Group, useValues, type Values } from "../ui/form.tsx";
import { useIdempotencyKeys } from "../ui/idempotency-keys.ts";
import { carriedFrom, type Link, NOT_COPIED, valuesFrom } from "./payment-link-copy.ts";
import { CONTENTS, itemFields, LOOK, priceFields, RULES, TOLD } from "./payment-link-fields.ts";
import { Preview } from "./payment-link-preview.tsx";
import { type LinkRequest, linkRequest } from "./payment-link-request.ts";

export function NewPaymentLinkPage({ session }: RouteProps) {
  const { copy } = useLocation().query;
  const { data, error } = useLoad(`new link ${copy}`, async () => {
    const [accounts, original] = await Promise.all([
      readPage("GET /v1/business/{businessId}/collection-accounts", {}),
      copy ? call("GET /v1/business/{businessId}/payment-links/{id}", { id: copy }) : null,
    ]);
    return { currencies: accounts.items.map(({ currency }) => currency), original };
  });
  return (
    <Page
      title="New payment link"
      about={data?.original && `A copy of ${data.original.name ?? "another link"}. ${NOT_COPIED}`}
    >
      <Problem error={error} />
      {!data && !error && <Loading />}
      {data?.currencies.length === 0 && (
        <p class="empty">
          Customers pay into a collection account. Open one on the <a href={href([])}>overview</a>{" "}
          first.
        </p>
      )}
      {data && data.currencies.length > 0 && (
        <LinkForm {...data} business={session.name ?? "your business"} />
      )}
    </Page>
  );
}

interface LinkFormProps {
  currencies: string[];
  /** The link to copy, if there is one. */
  original: Link | null;
  /** The name of the business. */
  business: string;
}

function LinkForm({ currencies, original, business }: LinkFormProps) {
  const keyFor = useIdempotencyKeys();
  const values = original ? valuesFrom(original) : {};
  const begun = (fields: Field[]) =>
    fields.map((field) => ({ ...field, initial: values[field.name] ?? field.initial }));
  async function create(given: Values) {
    const { application } = await call(
      "POST /v1/ext/collections/payment-link",
      { ...(original && carriedFrom(original)), ...linkRequest(given) } as LinkRequest,
      { idempotencyKey: keyFor(given) },
    );
    go(["payment-links", application.id]);
  }
  return (
    <div class="panel">
      <Form
        fields={[]}
        submit="Create payment link"
        onSubmit={create}
        cancel={{ label: "Cancel", onClick: () => go(["payment-links"]) }}
      >
        <Group title="Price">
          <Fields of={begun(priceFields(currencies))} />
        </Group>
        <FeeWarning />
        <Group title="What the customer sees">
          <Fields of={begun(CONTENTS)} />
        </Group>
        <Items count={original?.cartItems.length ?? 1} begun={begun} />
        <Group title="Look">
          <Fields of={begun(LOOK)} />
        </Group>
        <Group title="Rules">
          <Fields of={begun(RULES)} />
        </Group>
        <Group title="Who is told of payments">
          <Fields of={begun(TOLD)} />
        </Group>
        <Preview business={business} />
      </Form>
    </div>
  );
}

/** Directive (EU) 2015/2366, article 62(4), and the same rule of the United Kingdom. */
function FeeWarning() {
  const { currency = "", customerPays } = useValues();
  if (customerPays !== "true" || !["EUR", "GBP"].includes(currency)) return null;
  return (
    <p class="warning" role="status">
      In the EU and the UK a fee on top is forbidden for consumers' cards. Let it come out of the
      amount, unless your customers are businesses that pay by business cards.
    </p>
  );
}

interface ItemsProps {
  /** How many to begin with. */
  count: number;
  /** The fields with the values to begin with. */
  begun(fields: Field[]): Field[];
}

/** The items, at least one. */
function Items({ count, begun }: ItemsProps) {
  const [keys, setKeys] = useState([...Array(count).keys()]);
  const add = useRef<HTMLButtonElement>(null);
  // An item keeps what it began with when its place changes.
  const fieldsOf = (key: number, place: number) => {
    const named = itemFields(place);
    return begun(itemFields(key)).map((field, i) => ({ ...field, name: named[i]?.name ?? "" }));
  };
  function remove(key: number) {
    setKeys(keys.filter((each) => each !== key));
    // The button that had the focus is gone.
    add.current?.focus();
  }
  return (
    <>
      {keys.map((key, i) => (
        <Group key={key} title={`Item ${i + 1}`}>
          <Fields of={fieldsOf(key, i)} />
          {keys.length > 1 && (
            <div>
              <button type="button" onClick={() => remove(key)}>
                Remove item {i + 1}
              </button>
            </div>
          )}
        </Group>
      ))}
      <div>
        <button ref={add} type="button" onClick={() => setKeys([...keys, Math.max(...keys) + 1])}>
          Add an item
        </button>
        <p class="hint">
          Items describe what is charged. Their prices are shown if they add up to the amount.
        </p>
      </div>
    </>
  );
}
