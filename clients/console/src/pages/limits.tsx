// Limits of what a business pays out: those that the person may set, and for a business what is used
// of all that hold.

import { call, type Data } from "../api.ts";
import type { RouteProps } from "../areas.ts";
import { type Limit, limitInWords, METHODS, measureInWords } from "../limit-in-words.ts";
import { useLoad } from "../load.ts";
import { CURRENCIES } from "../merchant/currencies.ts";
import { may } from "../scopes.ts";
import { Action, NOTE } from "../ui/action.tsx";
import { Flag, Loading, Page, Problem, Section, WaitingPage } from "../ui/basics.tsx";
import { timeColumn } from "../ui/columns.tsx";
import type { Field, Values } from "../ui/form.tsx";
import { BusinessName } from "../ui/names.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { type Of, readBy } from "./of-business.ts";

export function LimitsPage({ params, session }: RouteProps) {
  const { businessId = session.id } = params;
  const of: Of = { session, businessId };
  const loaded = useLoad(businessId, async () => ({
    limits: await readLimits(of),
    // What is used of them is read again with them.
    readAt: Date.now(),
  }));
  const { data, error, reload } = loaded;
  if (!data) return <WaitingPage title="Limits" error={error} />;
  const { limits, readAt } = data;
  const isOperator = session.role === "admin";
  const mayChange = may(session, "payouts");
  return (
    <Page
      title="Limits"
      about={
        isOperator ? (
          <>
            What <BusinessName id={businessId} /> pays out at most. Its own limits hold too, so it
            can only lower yours.
          </>
        ) : (
          "What you pay out at most. The operator's limits hold too, so yours can only lower them."
        )
      }
      actions={mayChange && <Add of={of} limits={limits} onDone={reload} />}
      loaded={loaded}
    >
      <Section title={isOperator ? "Limits of the operator" : "Own limits"}>
        <Limits of={of} limits={limits} mayChange={mayChange} onDone={reload} />
      </Section>
      {(isOperator || may(session, "external.apis")) && (
        <Section title="Use of all limits">
          <p class="about">
            {isOperator
              ? "By the business itself, of your limits and of its own. The page of an end user shows that person's."
              : "By your own payouts, of your limits and of the operator's."}{" "}
            A changed limit appears here within five seconds.
          </p>
          <LimitUse key={readAt} of={of} />
        </Section>
      )}
    </Page>
  );
}

async function readLimits(of: Of): Promise<Limit[]> {
  const { businessId } = of;
  const endpoint = readBy(of, "GET /v1/admin/businesses/{businessId}/limits");
  return (await call(endpoint, { businessId })).limits;
}

function inWords(limit: Limit): string {
  const { method = null, amount, count } = limit;
  return limitInWords(
    { ...limit, method },
    [amount, count].filter((each) => each !== undefined),
  );
}

interface LimitsProps {
  of: Of;
  limits: Limit[];
  onDone(): void;
}

function Limits({ mayChange, ...props }: LimitsProps & { mayChange: boolean }) {
  const { limits } = props;
  if (limits.length === 0) return <p class="empty">There is no limit yet.</p>;
  const columns: Column<Limit>[] = [
    { title: "Limit", text: inWords },
    {
      title: "Actions",
      text: () => "",
      cell: (limit) =>
        mayChange && (
          <div class="buttons">
            <Change {...props} limit={limit} />
            <Remove {...props} limit={limit} />
          </div>
        ),
    },
  ];
  return <Table caption="Limits" columns={columns} items={limits} idOf={JSON.stringify} />;
}

/** Stores the limits with one of them in place of another, or without it. */
async function replace(of: Of, before: Limit | null, after: Limit | null, { note = "" }: Values) {
  const { session, businessId } = of;
  const isBefore = (each: Limit) => JSON.stringify(each) === JSON.stringify(before);
  // Another person may have changed the others since the page was read.
  const others = (await readLimits(of)).filter((each) => !isBefore(each));
  const limits = after ? [...others, after] : others;
  return session.role === "admin"
    ? call("PUT /v1/admin/businesses/{businessId}/limits", { businessId, limits, note })
    : call("PUT /v1/business/{businessId}/limits", { limits });
}

const HOLDS = "It holds within five seconds. What was paid out in its day or month before counts.";

function noteOf({ session }: Of): Field[] {
  return session.role === "admin" ? [NOTE] : [];
}

function Add({ of, limits, onDone }: LimitsProps) {
  const place = `limits[${limits.length}]`;
  return (
    <Action
      label="New limit"
      isPrimary
      about={<p>{HOLDS}</p>}
      fields={[...fieldsOf(place), ...noteOf(of)]}
      confirm={(values) => `At most ${inWords(limitOf(place, values))}.`}
      run={(values) => replace(of, null, limitOf(place, values), values)}
      onDone={onDone}
    />
  );
}

function Change({ of, limits, limit, onDone }: LimitsProps & { limit: Limit }) {
  const place = `limits[${limits.length - 1}]`;
  return (
    <Action
      label="Change"
      about={<p>{HOLDS}</p>}
      fields={[...fieldsOf(place, limit), ...noteOf(of)]}
      confirm={(values) => `At most ${inWords(limitOf(place, values))}.`}
      run={(values) => replace(of, limit, limitOf(place, values), values)}
      onDone={onDone}
    />
  );
}

function Remove({ of, limit, onDone }: LimitsProps & { limit: Limit }) {
  return (
    <Action
      label="Remove"
      isDanger
      about={<p>{inWords(limit)}. Other limits still hold.</p>}
      fields={noteOf(of)}
      confirm={() => `The limit is removed: ${inWords(limit)}.`}
      run={(values) => replace(of, limit, null, values)}
      onDone={onDone}
    />
  );
}

/** @param place of the limit among those that are sent, as the API names it */
function fieldsOf(place: string, limit?: Limit): Field[] {
  const { scope = "business", method = "", currency = "USD", per = "day" } = limit ?? {};
  const { amount = "", count = "" } = limit ?? {};
  return [
    {
      name: `${place}.scope`,
      label: "Holds for",
      kind: "choice",
      options: [
        ["business", "The business as a whole"],
        ["entity", "Each owner of a wallet alone"],
      ],
      initial: scope,
    },
    {
      name: `${place}.method`,
      label: "Method",
      kind: "choice",
      options: [["", "All methods together"], ...Object.entries(METHODS)],
      initial: method,
      isOptional: true,
    },
    {
      name: `${place}.currency`,
      label: "Currency",
      kind: "choice",
      options: CURRENCIES.map((each) => [each, each]),
      initial: currency,
    },
    {
      name: `${place}.per`,
      label: "Applies to",
      kind: "choice",
      options: [
        ["payout", "Each payout"],
        ["day", "All payouts of a day (UTC)"],
        ["month", "All payouts of a month (UTC)"],
      ],
      initial: per,
    },
    {
      name: `${place}.amount`,
      label: "Greatest amount",
      kind: "number",
      step: "0.01",
      initial: amount,
      isOptional: (values) => values[`${place}.count`] !== undefined,
      hint: "Without fees. A limit by number alone needs none.",
    },
    {
      name: `${place}.count`,
      label: "Greatest number of payouts",
      kind: "number",
      initial: String(count),
      isOptional: true,
      isShown: (values) => values[`${place}.per`] !== "payout",
    },
  ];
}

function limitOf(place: string, values: Values): Limit {
  const { scope, method, currency, per, amount, count } = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name.replace(`${place}.`, ""), value]),
  );
  return {
    scope,
    ...(method && { method }),
    currency,
    per,
    ...(amount && { amount }),
    ...(count && { count: Number(count) }),
  } as Limit;
}

type Left = Data<"GET /v1/ext/withdrawal-limits">[number];

const LEFT_COLUMNS: Column<Left>[] = [
  { title: "Limit", text: (limit) => limitInWords(limit, [limit.max]) },
  {
    title: "Used",
    text: ({ per, used, currency }) => (per === "payout" ? "" : measureInWords(used, currency)),
    isNumber: true,
  },
  {
    title: "Left",
    text: ({ left, currency }) => measureInWords(left, currency),
    cell: ({ left, currency }) =>
      Number(left) === 0 ? <Flag>Used up</Flag> : measureInWords(left, currency),
    isNumber: true,
  },
  timeColumn("Begins anew", ({ resetsAt }) => resetsAt),
];

interface LimitUseProps {
  of: Of;
  /** The owner of wallets whose use it is; the business itself if left out. */
  entityId?: string;
}

/** What is used of the limits of both sides; of those of each owner, by one. */
export function LimitUse({ of: { session, businessId }, entityId }: LimitUseProps) {
  const { data, error } = useLoad(`use by ${entityId}`, () =>
    session.role === "admin"
      ? call("GET /v1/admin/businesses/{businessId}/withdrawal-limits", {
          businessId,
          ...(entityId && { entityId }),
        })
      : call("GET /v1/ext/withdrawal-limits", {}),
  );
  return (
    <>
      <Problem error={error} />
      {!data && !error && <Loading />}
      {data?.length === 0 && <p class="empty">No limit holds.</p>}
      {data && data.length > 0 && (
        <Table
          caption="Use of all limits"
          columns={LEFT_COLUMNS}
          items={data}
          idOf={(limit) => String(data.indexOf(limit))}
        />
      )}
    </>
  );
}
