// Webhook endpoints of a business: the list, one endpoint with its deliveries, and one delivery
// with its request and the answers to it.

import { useState } from "preact/hooks";
import { call, type Item, PayrailError } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { number, words } from "../format.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
import {
  Code,
  Due,
  Facts,
  Id,
  type Moment,
  Page,
  Section,
  Status,
  Time,
  Timeline,
  WaitingPage,
} from "../ui/basics.tsx";
import { CREATED, createdColumn, ID, ID_IN_FILE, timeColumn } from "../ui/columns.tsx";
import type { Filter } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import type { Column } from "../ui/table.tsx";
import {
  type Delivery,
  type Endpoint,
  type Of,
  readBy,
  readEndpoint,
  transactionPath,
  webhookPath,
} from "./of-business.ts";
import { DeliveryActions, EndpointActions, NewEndpoint } from "./webhook-actions.tsx";

const MOST_COUNTED = 10_000;

function endpointColumns(of: Of): Column<Endpoint>[] {
  return [
    {
      title: "Address",
      text: ({ url }) => url,
      cell: ({ id, url }) => <a href={href(webhookPath(of, id))}>{url}</a>,
    },
    { title: "Name", text: ({ description }) => description ?? "" },
    {
      title: "Status",
      text: statusOf,
      cell: (endpoint) => <Status of={statusOf(endpoint)} />,
    },
    { title: "Why", text: ({ disabledReason }) => disabledReason ?? "" },
    timeColumn("Failing since", ({ health }) => health?.failingSince ?? null),
    timeColumn("Last success", ({ health }) => health?.lastSuccessAt ?? null),
    { title: "Waiting", text: waitingOf, isNumber: true },
    { ...CREATED, isOnlyInFile: true },
    ID_IN_FILE,
  ];
}

function statusOf(endpoint: Endpoint): string {
  if (endpoint.disabled) return "disabled";
  return isFailing(endpoint) ? "failing" : "enabled";
}

function isFailing({ health }: Endpoint): boolean {
  return Boolean(health?.failingSince);
}

/** The number of waiting deliveries; payrail counts only up to MOST_COUNTED. */
function waitingOf({ health }: Endpoint): string {
  if (!health) return "";
  return number(health.waiting) + (health.waiting === MOST_COUNTED ? " or more" : "");
}

export function WebhookList({ of }: { of: Of }) {
  return (
    <Listing
      endpoint={readBy(of, "GET /v1/admin/businesses/{businessId}/webhooks")}
      fixed={{ businessId: of.businessId, order: "newest" }}
      caption="Webhook endpoints"
      columns={endpointColumns(of)}
      isBad={isFailing}
      empty="There is no webhook endpoint."
    />
  );
}

export function WebhooksPage({ session }: RouteProps) {
  // Another key lists the endpoints anew.
  const [created, setCreated] = useState(0);
  const onDone = () => setCreated(created + 1);
  return (
    <Page title="Webhooks" actions={<NewEndpoint session={session} onDone={onDone} />}>
      <WebhookList key={created} of={{ session, businessId: session.id }} />
    </Page>
  );
}

export function WebhookPage({ params, session }: RouteProps) {
  const { id = "", businessId = session.id } = params;
  const of: Of = { session, businessId };
  const loaded = useLoad(`${businessId} ${id}`, () => readEndpoint(of, id));
  const { data, reload } = loaded;
  if (!data) {
    return <WaitingPage title="Webhook endpoint" error={loaded.error} />;
  }
  const { failingSince = null, lastSuccessAt = null } = data.health ?? {};
  return (
    <Page
      title={data.description ?? data.url}
      beside={<Status of={statusOf(data)} />}
      actions={<EndpointActions of={of} endpoint={data} onDone={reload} />}
      loaded={loaded}
    >
      <Facts
        of={[
          ["Endpoint", <Id value={id} />],
          ["Address", data.url],
          ["Events", data.eventTypes.map(words).join(", ")],
          ["Why it is disabled", data.disabledReason],
          ["Failing since", failingSince && <Time at={failingSince} />],
          ["Last success", lastSuccessAt ? <Time at={lastSuccessAt} /> : "None is stored"],
          ["Waiting deliveries", waitingOf(data)],
          ["Created", <Time at={data.createdAt} />],
        ]}
      />
      <Section title="Deliveries">
        <DeliveryList of={of} endpointId={id} />
      </Section>
    </Page>
  );
}

type Attempt = Delivery["attempts"][number];
type Listed = Item<"GET /v1/business/{businessId}/webhooks/{id}/deliveries">;

const DELIVERY_FILTERS: Filter[] = [
  {
    name: "status",
    label: "Status",
    options: [
      ["PENDING", "Pending"],
      ["DELIVERED", "Delivered"],
      ["DEAD_LETTER", "Dead letter"],
    ],
  },
  {
    name: "eventType",
    label: "Event",
    options: ["WITHDRAWAL", "COLLECTION", "REFUND", "SUBSCRIPTION", "INVOICE", "LEDGER"].map(
      (type) => [type, words(type)],
    ),
  },
  { name: "since", label: "Since (UTC)", kind: "date" },
  { name: "transactionId", label: "Transaction's id" },
];

function deliveryColumns(of: Of, endpointId: string): Column<Listed>[] {
  return [
    createdColumn(({ id }) => [...webhookPath(of, endpointId), "deliveries", id]),
    {
      title: "Event",
      text: ({ eventType }) => eventType,
      cell: ({ eventType }) => words(eventType),
    },
    {
      title: "Status",
      text: ({ status }) => status,
      cell: ({ status, deadLetterReason }) => (
        <>
          <Status of={status} />{" "}
          {deadLetterReason && <span class="quiet">{words(deadLetterReason)}</span>}
        </>
      ),
    },
    {
      title: "Last answer",
      text: ({ attempts }) => {
        const last = attempts.at(-1);
        return last ? (last.error ?? String(last.statusCode)) : "";
      },
    },
    {
      ...timeColumn<Listed>("Next attempt", ({ nextAttemptAt }) => nextAttemptAt),
      cell: ({ nextAttemptAt }) => nextAttemptAt && <Due at={nextAttemptAt} />,
    },
    {
      title: "Transaction",
      text: ({ transactionId }) => transactionId ?? "",
      cell: ({ transactionId }) =>
        transactionId && <Id value={transactionId} short to={transactionPath(of, transactionId)} />,
    },
    ID,
  ];
}

function DeliveryList({ of, endpointId }: { of: Of; endpointId: string }) {
  return (
    <Listing
      endpoint={readBy(of, "GET /v1/admin/businesses/{businessId}/webhooks/{id}/deliveries")}
      fixed={{ businessId: of.businessId, id: endpointId }}
      filters={DELIVERY_FILTERS}
      caption="Deliveries"
      columns={deliveryColumns(of, endpointId)}
      empty="There is no delivery yet."
    />
  );
}

export function DeliveryPage({ params, session }: RouteProps) {
  const { id = "", deliveryId = "", businessId = session.id } = params;
  const of: Of = { session, businessId };
  const loaded = useLoad(`${businessId} ${deliveryId}`, async () => {
    const [delivery, endpoint] = await Promise.all([
      call(
        readBy(of, "GET /v1/admin/businesses/{businessId}/webhooks/{id}/deliveries/{deliveryId}"),
        {
          businessId,
          id,
          deliveryId,
        },
      ),
      readEndpoint(of, id),
    ]);
    const { eventId } = delivery;
    const event = await call(readBy(of, "GET /v1/admin/businesses/{businessId}/events/{eventId}"), {
      businessId,
      eventId,
    }).catch(unlessGone);
    return { delivery, endpoint, event };
  });
  const { data, reload } = loaded;
  if (!data) {
    return <WaitingPage title="Delivery" error={loaded.error} />;
  }
  const { delivery, endpoint, event } = data;
  const { eventType, eventId, status, transactionId, deadLetterReason, nextAttemptAt } = delivery;
  return (
    <Page
      title={`Delivery: ${words(eventType).toLowerCase()} event`}
      beside={<Status of={status} />}
      actions={<DeliveryActions of={of} endpointId={id} delivery={delivery} onDone={reload} />}
      loaded={loaded}
    >
      <Facts
        of={[
          ["Delivery", <Id value={deliveryId} />],
          ["Event (webhook-id)", <Id value={eventId} />],
          ["Endpoint", <a href={href(webhookPath(of, id))}>{endpoint.url}</a>],
          [
            "Transaction",
            transactionId && <Id value={transactionId} to={transactionPath(of, transactionId)} />,
          ],
          ["Why it is a dead letter", deadLetterReason && words(deadLetterReason)],
          ["Next attempt", nextAttemptAt && <Due at={nextAttemptAt} />],
          ["Created", <Time at={delivery.createdAt} />],
        ]}
      />
      <Section title="Request">
        {event ? (
          <Code title="The body, the same in every attempt">{pretty(event.body)}</Code>
        ) : (
          <p class="empty">The event is not kept any more.</p>
        )}
      </Section>
      <Section title="Attempts">
        {delivery.attempts.length === 0 ? (
          <p class="empty">There was no attempt yet.</p>
        ) : (
          <Timeline moments={delivery.attempts.map(momentOf)} />
        )}
      </Section>
    </Page>
  );
}

/** Events are removed after a while. */
function unlessGone(error: unknown): null {
  if (error instanceof PayrailError && error.code === "event_not_found") return null;
  throw error;
}

function momentOf({ at, statusCode, durationMs, error, response }: Attempt): Moment {
  return {
    at,
    kind: statusCode === null ? "No answer" : `Answer ${statusCode}`,
    title: `After ${durationMs} ms`,
    detail: (
      <>
        {error && <p>{error}</p>}
        {response && <Code title="The beginning of the answer">{response}</Code>}
      </>
    ),
  };
}

/** JSON with indents; any other text as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
