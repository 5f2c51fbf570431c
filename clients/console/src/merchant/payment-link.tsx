// One payment link: its URL and QR code, all that it says, and the way to end it.

import { call } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { money, number, words } from "../format.ts";
import { useLoad } from "../load.ts";
import { href } from "../router.ts";
import { may } from "../scopes.ts";
import { Action } from "../ui/action.tsx";
import {
  Copy,
  type Fact,
  Facts,
  Flag,
  Id,
  Page,
  Problem,
  Section,
  Status,
  Time,
  WaitingPage,
} from "../ui/basics.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { type Column, Table } from "../ui/table.tsx";
import type { Link } from "./payment-link-copy.ts";
import { priceOf } from "./payment-links.tsx";
import { planOf, SEAT_BILLING } from "./plan.ts";

/** An item, and its place among them: two items may be equal. */
type Placed = Link["cartItems"][number] & { place: number };

export function PaymentLinkPage({ params, session }: RouteProps) {
  const { id = "" } = params;
  const { data, error, reload } = useLoad(id, () =>
    call("GET /v1/business/{businessId}/payment-links/{id}", { id }),
  );
  if (!data) {
    return <WaitingPage title="Payment link" error={error} />;
  }
  const { name = "Payment link", status, url, recurringCharge, cartItems, customData } = data;
  const of = { paymentLinkId: id };
  return (
    <Page
      title={name}
      beside={<Status of={status} />}
      actions={
        <>
          <a class="button" href={href(["payments"], of)}>
            Payments
          </a>
          {recurringCharge && (
            <a class="button" href={href(["subscriptions"], of)}>
              Subscriptions
            </a>
          )}
          {may(session, "external.apis") && (
            <a class="button" href={href(["payment-links", "new"], { copy: id })}>
              Copy into a new link
            </a>
          )}
          {status === "ACTIVE" && may(session, "payment-links") && (
            <Disable link={data} onDone={reload} />
          )}
        </>
      }
    >
      <Problem error={error} />
      {url && <Share url={url} name={name} />}
      <Facts of={factsOf(data)} />
      <Section title="Items">
        <Table
          caption="Items"
          columns={itemColumns(data)}
          items={cartItems.map((item, place) => ({ ...item, place }))}
          idOf={({ place }) => String(place)}
        />
      </Section>
      {customData && (
        <Section title="Your own texts">
          <Facts of={Object.entries(customData)} />
        </Section>
      )}
    </Page>
  );
}

/** What is given to customers. */
function Share({ url, name }: { url: string; name: string }) {
  return (
    <div class="panel share">
      <QrCode text={url} name={name} />
      <div>
        <p class="quiet">Everyone with this URL can pay.</p>
        <p class="url">
          <a href={url} target="_blank" rel="noreferrer">
            {url}
          </a>
        </p>
        <Copy value={url} label="Copy URL" />
      </div>
    </div>
  );
}

function Disable({ link: { id, name = "The link" }, onDone }: { link: Link; onDone(): void }) {
  return (
    <Action
      label="Disable"
      isDanger
      about={
        <p>
          Nobody can pay at it any more. A payment that has begun goes on, and so do its
          subscriptions.
        </p>
      }
      confirm={() => `${name} is disabled for good. This cannot be undone.`}
      run={(_values, idempotencyKey) =>
        call(
          "POST /v1/business/{businessId}/payment-links/{id}/disable",
          { id },
          { idempotencyKey },
        )
      }
      onDone={onDone}
    />
  );
}

function factsOf(link: Link): Fact[] {
  const { customerPays = true, isOpenLink = true, recurringCharge, brandingConfig, agent } = link;
  const plan = planOf(link);
  return [
    ["Payment link", <Id value={link.id} />],
    ["Price", priceOf(link)],
    ["Changes of seats", plan?.seatDetails && SEAT_BILLING[plan.seatDetails.newSeatBillingType]],
    ["Billing starts", recurringCharge && <Time at={recurringCharge.startDate} />],
    ["Product", recurringCharge?.productId],
    ["Card fee", customerPays ? "The customer pays it on top" : "It comes out of the amount"],
    ["Who can pay", isOpenLink ? "Any number of customers" : "One customer, once"],
    ["Succeeded payments", number(link.payments)],
    ["Ways to pay", <WaysToPay link={link} />],
    ["Asked of the customer", askedOf(link)],
    ["After the payment", link.redirectTo && `The customer goes to ${link.redirectTo}`],
    ["Delivery address", link.itemDeliveryAddress],
    ["Expires", <Time at={link.application.expiredAt} />],
    ["Created", <Time at={link.createdAt} />],
    ["Order", link.orderId],
    ["External id", link.externalId],
    ["Told of each payment", link.notifyPayee && "The business"],
    ["Agent, told of each payment", agent && Object.values(agent).join(", ")],
    ["Logo", brandingConfig?.logo],
    ["Colour of buttons", brandingConfig?.primaryColor],
    ["Colour of the page", brandingConfig?.backgroundColor],
    ["Endpoint of its events", endpointOf(link)],
  ];
}

/** The checkout takes only some of the ways that a link names. */
function WaysToPay({ link }: { link: Link }) {
  const { acceptedPaymentOptions = ["card"], unsupportedPaymentOptions = [] } = link;
  return (
    <>
      {acceptedPaymentOptions.map(words).join(", ")}{" "}
      {unsupportedPaymentOptions.length > 0 && (
        <Flag>Not supported: {unsupportedPaymentOptions.map(words).join(", ")}</Flag>
      )}
    </>
  );
}

function askedOf({ dataCollections = [], customFields = [] }: Link): string {
  const optional = [...dataCollections, ...customFields];
  const always = "Email, first name, last name, phone number";
  return optional.length > 0 ? `${always}; optional: ${optional.join(", ")}` : always;
}

function endpointOf({ advancedConfig }: Link): string | null {
  return advancedConfig
    ? new URL(advancedConfig.webhookPath, advancedConfig.websiteUrl).href
    : null;
}

function itemColumns({ currency }: Link): Column<Placed>[] {
  return [
    { title: "Name", text: ({ name }) => name },
    { title: "Description", text: ({ description }) => description },
    { title: "Your id", text: ({ productId }) => productId ?? "" },
    { title: "Quantity", text: ({ qty }) => (qty ? number(qty) : ""), isNumber: true },
    {
      title: "Price of one",
      text: ({ price }) => (price === undefined ? "" : money(String(price), currency)),
      isNumber: true,
    },
  ];
}
