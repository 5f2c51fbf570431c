// How rails and acquirers have answered in the last hour, and what waits for them.

import type { ComponentChildren } from "preact";
import { call, type Data } from "../api.ts";
import { age, number, words } from "../format.ts";
import { useLoad } from "../load.ts";
import { Flag, Loading, Page, Section, Status, Time } from "../ui/basics.tsx";
import { type Column, Table } from "../ui/table.tsx";

type Partner = Data<"GET /v1/admin/partners">["partners"][number];

/** Answers badly: more than this part of the questions had no outcome. */
const BAD_PART = 0.05;

const badly = ({ asked, answered }: Partner) => asked - answered;

const COLUMNS: Column<Partner>[] = [
  { title: "Name", text: ({ name }) => name },
  { title: "Kind", text: ({ kind }) => kind, cell: ({ kind }) => words(kind) },
  {
    title: "Answers",
    text: stateOf,
    cell: (partner) => <Status of={stateOf(partner)} />,
  },
  { title: "Asked", text: ({ asked }) => number(asked), isNumber: true },
  {
    title: "Without an outcome",
    text: (partner) => String(badly(partner)),
    cell: (partner) => <Failures of={partner} />,
  },
  {
    title: "Mean time",
    text: ({ meanMs }) => (meanMs === null ? "" : `${number(meanMs)} ms`),
    isNumber: true,
  },
  {
    title: "Longest",
    text: ({ longestMs }) => (longestMs === null ? "" : `${number(longestMs)} ms`),
    isNumber: true,
  },
  {
    title: "Last answer",
    text: ({ lastAnsweredAt }) => lastAnsweredAt ?? "",
    cell: ({ lastAnsweredAt }) => <Ago at={lastAnsweredAt} />,
  },
  {
    title: "Last without an outcome",
    text: ({ lastUnansweredAt }) => lastUnansweredAt ?? "",
    cell: ({ lastUnansweredAt }) => <Ago at={lastUnansweredAt} />,
  },
  {
    title: "Unknown now",
    text: ({ waiting }) => waiting.map(({ kind, count }) => `${count} ${kind}`).join(" "),
    cell: ({ waiting }) => waiting.filter(({ count }) => count > 0).map(Waiting),
  },
];

function stateOf(partner: Partner): string {
  if (partner.asked === 0) return "not asked";
  return badly(partner) / partner.asked > BAD_PART ? "badly" : "well";
}

function Failures({ of }: { of: Partner }) {
  const parts: [count: number, name: string][] = [
    [of.unknown, "unknown"],
    [of.errors, "errors"],
    [of.timeouts, "timeouts"],
  ];
  const some = parts.filter(([count]) => count > 0);
  return <>{some.map(([count, name]) => `${number(count)} ${name}`).join(", ") || "none"}</>;
}

function Ago({ at }: { at: string | null }): ComponentChildren {
  return at && <span title={at}>{age(at)} ago</span>;
}

function Waiting({ kind, count, since }: Partner["waiting"][number]) {
  return (
    <div key={kind}>
      <Flag>
        {number(count)} {kind}
        {count === 1 ? "" : "s"}
      </Flag>{" "}
      {since && (
        <span class="quiet">
          since <Time at={since} />
        </span>
      )}
    </div>
  );
}

function Problems({ name, problems }: Partner) {
  return (
    <Section key={name} title={`To look at: ${name}`}>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </Section>
  );
}

export function PartnersPage() {
  const loaded = useLoad("partners", () => call("GET /v1/admin/partners", {}));
  const { data, error } = loaded;
  return (
    <Page
      title="Rails and acquirers"
      about="Their answers of the last hour to the processes that run now, and what they have left unknown at this moment."
      loaded={loaded}
    >
      {!data && !error && <Loading />}
      {data && (
        <>
          <Table
            caption="Rails and acquirers"
            columns={COLUMNS}
            items={data.partners}
            idOf={({ kind, name }) => `${kind} ${name}`}
          />
          {data.partners.filter(({ problems }) => problems.length > 0).map(Problems)}
          <p class="note quiet">
            Processes asked: payouts {number(data.processes.rails)}, payment-links{" "}
            {number(data.processes.acquirers)}.
          </p>
        </>
      )}
    </Page>
  );
}
