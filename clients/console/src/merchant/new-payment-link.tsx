// The page on which a payment link is made.

import { useRef, useState } from "preact/hooks";
import { call, readPage } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { useLoad } from "../load.ts";
import { go, href } from "../router.ts";
import { Loading, Page, Problem } from "../ui/basics.tsx";
import { Fields, Form, Group, type Values } from "../ui/form.tsx";
import { useIdempotencyKeys } from "../ui/idempotency-keys.ts";
import { CONTENTS, itemFields, priceFields, RULES } from "./payment-link-fields.ts";
import { linkRequest } from "./payment-link-request.ts";

export function NewPaymentLinkPage(_props: RouteProps) {
  const { data, error } = useLoad("collection accounts", () =>
    readPage("GET /v1/business/{businessId}/collection-accounts", {}),
  );
  const currencies = data?.items.map(({ currency }) => currency);
  return (
    <Page title="New payment link">
      <Problem error={error} />
      {!currencies && !error && <Loading />}
      {currencies?.length === 0 && (
        <p class="empty">
          Customers pay into a collection account. Open one on the <a href={href([])}>overview</a>{" "}
          first.
        </p>
      )}
      {currencies && currencies.length > 0 && <LinkForm currencies={currencies} />}
    </Page>
  );
}

function LinkForm({ currencies }: { currencies: string[] }) {
  const keyFor = useIdempotencyKeys();
  async function create(values: Values) {
    const { application } = await call(
      "POST /v1/ext/collections/payment-link",
      linkRequest(values),
      {
        idempotencyKey: keyFor(values),
      },
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
          <Fields of={priceFields(currencies)} />
        </Group>
        <Group title="What the customer sees">
          <Fields of={CONTENTS} />
        </Group>
        <Items />
        <Group title="Rules">
          <Fields of={RULES} />
        </Group>
      </Form>
    </div>
  );
}

/** The items, at least one. */
function Items() {
  const [keys, setKeys] = useState([0]);
  const add = useRef<HTMLButtonElement>(null);
  function remove(key: number) {
    setKeys(keys.filter((each) => each !== key));
    // The button that had the focus is gone.
    add.current?.focus();
  }
  return (
    <>
      {keys.map((key, i) => (
        <Group key={key} title={`Item ${i + 1}`}>
          <Fields of={itemFields(i)} />
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
