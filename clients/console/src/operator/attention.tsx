// What needs an operator's attention, of all businesses, and what they have made today.

import { useState } from "preact/hooks";
import { call, type Item } from "../api.ts";
import { age, words } from "../format.ts";
import { useLoad } from "../load.ts";
import { CURRENCIES, type Currency } from "../merchant/currencies.ts";
import { startOfToday } from "../merchant/statistics.ts";
import { Today } from "../pages/today.tsx";
import { href, useLocation } from "../router.ts";
import { Money, Page, Problem, Time } from "../ui/basics.tsx";
import { ID, STATUS, timeColumn } from "../ui/columns.tsx";
import { type Filter, Filters } from "../ui/filters.tsx";
import { Listing } from "../ui/listing.tsx";
import { BusinessName } from "../ui/names.tsx";
import type { Column } from "../ui/table.tsx";
import { pageOf } from "./page-of.ts";

type Attention = Item<"GET /v1/admin/attention">;

const KINDS: Attention["kind"][] = [
  "payout",
  "payment",
  "refund",
  "subscription",
  "webhook",
  "delivery",
];

const STATES = {
  flagged: {
    label: "Wait for a decision",
    about:
      "Outcomes that no rail or acquirer has told for a day, answers that contradict a stored end or name another sum, payouts that a rail has a problem with, webhook endpoints that payrail has switched off, and deliveries that it has given up.",
    empty: "Nothing needs attention.",
  },
  unknown: {
    label: "Unknown, asked for again",
    about:
      "Outcomes that a rail or an acquirer has not told yet. payrail asks again by itself, and flags what is still unknown after a day.",
    empty: "Every outcome is known, or waits for a decision.",
  },
  overdue: {
    label: "Overdue",
    about:
      "Steps that have been due for more than five minutes, because no process has taken them: look whether the services work and reach each other.",
    empty: "No step is overdue.",
  },
};

const FILTERS: Filter[] = [
  {
    name: "state",
    label: "State",
    options: Object.entries(STATES).map(([state, { label }]) => [state, label]),
    initial: "flagged",
  },
  { name: "kind", label: "Kind", options: KINDS.map((kind) => [kind, words(kind)]) },
];

const COLUMNS: Column<Attention>[] = [
  {
    title: "What",
    text: ({ kind }) => kind,
    cell: (item) => (
      <a href={pageOf(item) ?? href(["businesses", item.businessId])}>{words(item.kind)}</a>
    ),
  },
  STATUS,
  {
    title: "Amount",
    text: ({ amount, currency }) => (amount === null ? "" : `${amount} ${currency}`),
    cell: ({ amount, currency }) =>
      amount !== null && currency !== null && <Money amount={amount} currency={currency} />,
    isNumber: true,
  },
  {
    title: "Unknown since",
    text: ({ unknownSince }) => unknownSince ?? "",
    cell: ({ unknownSince }) =>
      unknownSince && (
        <>
          <Time at={unknownSince} /> <span class="quiet">{age(unknownSince)} ago</span>
        </>
      ),
  },
  timeColumn("Next step", ({ nextStepAt }) => nextStepAt ?? null),
  { title: "Why", text: ({ reason }) => reason ?? "" },
  {
    title: "Business",
    text: ({ businessId }) => businessId,
    cell: ({ businessId }) => <BusinessName id={businessId} />,
  },
  ID,
];

export function AttentionPage() {
  const { state = "flagged" } = useLocation().query;
  const { about, empty } = STATES[state as keyof typeof STATES] ?? STATES.flagged;
  return (
    <Page title="Needs attention" about={about}>
      <Listing
        endpoint="GET /v1/admin/attention"
        filters={FILTERS}
        caption="Needs attention"
        columns={COLUMNS}
        empty={empty}
      />
      <TodayOfAll />
    </Page>
  );
}

const CURRENCY: Filter = {
  name: "currency",
  label: "Currency",
  options: CURRENCIES.map((each) => [each, each]),
  initial: "USD",
};

/** What all businesses have made today. */
function TodayOfAll() {
  const [chosen, setChosen] = useState<Record<string, string>>({ currency: "USD" });
  const { currency } = chosen;
  const { data, error } = useLoad(`today ${currency}`, () =>
    call("GET /v1/admin/statistics", {
      from: new Date(startOfToday()).toISOString(),
      currency: currency as Currency,
    }),
  );
  return (
    <>
      <Problem error={error} />
      <Today rows={data}>
        <div class="tools">
          <Filters filters={[CURRENCY]} chosen={chosen} onChange={setChosen} />
        </div>
      </Today>
    </>
  );
}
