// The history: every request of the workload, with its answer, or the error in place of one.

/** The kinds of requests; those up to `link` move money or create something. */
export const KINDS = [
  "fund",
  "withdraw",
  "cancel",
  "pay",
  "refund",
  "setup",
  "clock",
  "transfer",
  "move",
  "adjust",
  "control",
  "limits",
  "token",
  "link",
  "balance",
  "statement",
  "transaction",
  "payment",
  "list",
] as const;
export type Kind = (typeof KINDS)[number];

/** What a request is about, such as its wallet and its amount in minor units. */
export type About = Record<string, string | number>;

export interface Entry {
  client: string;
  kind: Kind;
  /** The logical operation: its repeats have the same. */
  op: string;
  about: About;
  /** The gateway's name among the nodes, such as gateway-0. */
  gateway: string;
  method: string;
  path: string;
  key?: string;
  request?: unknown;
  /** Epoch ms: the invocation and the completion. */
  from: number;
  until: number;
  /** 0 without an answer. */
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the checker reads answers of every shape
  body?: any;
  /** Why there is no answer: `timeout`, or the code of the connection's error. */
  error?: string;
  /** The difference between the answer and the gateway's OpenAPI document. */
  undocumented?: string;
}

/** An account of the workload. Only the requests of its owner change it. */
export interface Account {
  id: string;
  kind: "wallet" | "collection";
  businessId: string;
  /** Who owns the wallet: an end user, or the business itself. */
  entityId: string;
  /** The client; null for an account that several clients use. */
  owner: string | null;
}
