// The small parts of which pages are made.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { PayrailError } from "../api.ts";
import { dateTime, exactTime, localTime, money, words } from "../format.ts";
import { exceededInWords } from "../limit-in-words.ts";
import type { Loaded } from "../load.ts";
import { href } from "../router.ts";

interface PageProps {
  title: string;
  /** Beside the title, such as the status of what is shown. */
  beside?: ComponentChildren;
  actions?: ComponentChildren;
  /** A sentence under the title. */
  about?: ComponentChildren;
  /** What it shows, if a button is to read it again. */
  loaded?: Pick<Loaded<unknown>, "error" | "reload">;
  children: ComponentChildren;
}

/** A page. Its heading gets the focus, so that a screen reader begins there. */
export function Page({ title, beside, actions, about, loaded, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once, before the person can have gone on.
  useLayoutEffect(() => {
    document.title = `${title} · payrail`;
    heading.current?.focus();
  }, [title]);
  return (
    <>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {beside}
        <div class="actions">
          {actions}
          {loaded && (
            <button type="button" onClick={loaded.reload}>
              Refresh
            </button>
          )}
        </div>
      </header>
      {about && <p class="about">{about}</p>}
      {loaded && <Problem error={loaded.error} />}
      {children}
    </>
  );
}

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="section" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** What went wrong, with the id under which the log has it. */
export function Problem({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <div class="problem" role="alert">
      <p>{messageOf(error)}</p>
      {error instanceof PayrailError && error.requestId && (
        <p class="quiet">
          Request id <Id value={error.requestId} />
        </p>
      )}
    </div>
  );
}

/** What the message of the API leaves out. */
const SENTENCES: Record<string, string> = {
  insufficient_scope: "Your API client does not have the scope for this.",
  insufficient_funds: "There is too little money for the amount and its fee. None has moved.",
  wallet_disabled: "The wallet is disabled, so it cannot be debited. None has moved.",
  business_frozen:
    "The operator of payrail has frozen the business, so nothing can be changed. Ask the operator.",
  wallet_frozen:
    "The operator of payrail has frozen the wallet, so no money leaves it. Ask the operator.",
  entity_frozen:
    "The operator of payrail has frozen the end user, so nothing is paid. Ask the operator.",
  transaction_not_in_review:
    "The payout no longer waits for a review: another person has decided, or it was cancelled. You have changed nothing.",
  payouts_paused:
    "The operator of payrail has paused the payouts of the business. Nothing was paid. Ask the operator.",
};

function messageOf(error: unknown): string {
  if (!(error instanceof PayrailError)) return "Something went wrong in this page. Load it again.";
  if (error.limit) return exceededInWords(error.limit);
  const sentence = SENTENCES[error.code];
  if (sentence) return sentence;
  if (error.status === undefined)
    return "payrail gave no answer. Check your connection, then try again.";
  return error.message;
}

const TONES: Record<string, string> = {
  SUCCESS: "good",
  SUCCEEDED: "good",
  DELIVERED: "good",
  ACTIVE: "good",
  PAID: "good",
  ENABLED: "good",
  WELL: "good",
  BADLY: "bad",
  BALANCED: "good",
  "BOOKS RIGHT": "good",
  "NOT BALANCED": "bad",
  "BOOKS WRONG": "bad",
  OVERDUE: "bad",
  FAILED: "bad",
  DEAD_LETTER: "bad",
  PAST_DUE: "bad",
  FAILING: "bad",
  FROZEN: "bad",
  PAYOUTS_PAUSED: "open",
  COLLECTIONS_PAUSED: "open",
  PENDING: "open",
  PROCESSING_PAY_OUT: "open",
  OPEN: "open",
};
const LABELS: Record<string, string> = {
  SUCCESS: "Succeeded",
  PROCESSING_PAY_OUT: "Processing",
  trialing: "In trial",
};

/** A status in words; its colour only repeats them. */
export function Status({ of }: { of: string }) {
  return <span class={`status ${TONES[of.toUpperCase()] ?? ""}`}>{LABELS[of] ?? words(of)}</span>;
}

export function Flag({ children }: { children: ComponentChildren }) {
  return <span class="status flag">{children}</span>;
}

/** @param isExact whether it has milliseconds */
export function Time({ at, isExact }: { at: string; isExact?: boolean }) {
  return (
    <time dateTime={at} title={localTime(at)}>
      {isExact ? exactTime(at) : dateTime(at)}
    </time>
  );
}

/** When something is to happen; one that waits for something else is due since then. */
export function Due({ at }: { at: string }) {
  return (
    <>
      {Date.parse(at) < Date.now() && "due since "}
      <Time at={at} />
    </>
  );
}

export function Money({ amount, currency }: { amount: string; currency: string }) {
  return <span class="money">{money(amount, currency)}</span>;
}

const SHOWN_FOR_MS = 1_500;

/** A button that copies a text. */
export function Copy({ value, label = "Copy" }: { value: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(value);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), SHOWN_FOR_MS);
  }
  return (
    <button type="button" class="copy" aria-label={`${label} ${value}`} onClick={() => void copy()}>
      {isCopied ? "Copied" : label}
    </button>
  );
}

interface IdProps {
  value: string;
  /** Whether only its end is shown, as in a table. */
  short?: boolean;
  /** The place of the thing in the console. */
  to?: string[];
  query?: Record<string, string>;
}

/** An id that can be copied. */
export function Id({ value, short, to, query }: IdProps) {
  const text = <code title={value}>{short ? `…${value.slice(-8)}` : value}</code>;
  return (
    <span class="id">
      {to ? <a href={href(to, query)}>{text}</a> : text}
      <Copy value={value} />
    </span>
  );
}

export type Fact = [name: string, value: ComponentChildren];

/** Names and values; those without a value are left out. */
export function Facts({ of }: { of: Fact[] }) {
  const given = of.filter(([, value]) => ![null, undefined, false, ""].includes(value as null));
  return (
    <dl class="facts">
      {given.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** JSON and other text that a program wrote. */
export function Code({ title, children }: { title: string; children: string }) {
  return (
    <figure class="code">
      <figcaption>{title}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard has to reach what scrolls. */}
      <pre tabIndex={0}>{children}</pre>
    </figure>
  );
}

/** Something that has happened, in a list by time. */
export interface Moment {
  at: string;
  /** What kind of thing it is, in a word. */
  kind: string;
  title: ComponentChildren;
  detail?: ComponentChildren;
}

export function Timeline({ moments }: { moments: Moment[] }) {
  const inOrder = moments.toSorted((a, b) => a.at.localeCompare(b.at));
  return (
    <ol class="timeline">
      {inOrder.map(({ at, kind, title, detail }, i) => (
        <li key={i}>
          <Time at={at} isExact />
          <span class="kind">{kind}</span>
          <div>
            <p class="moment">{title}</p>
            {detail && <div class="quiet">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** While something loads for the first time. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}

/** A page while what it shows is loaded, or could not be. */
export function WaitingPage({ title, error }: { title: string; error: unknown }) {
  return <Page title={title}>{error ? <Problem error={error} /> : <Loading />}</Page>;
}
