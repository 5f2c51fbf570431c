// The rules of the network between a plant's nodes.

/** The name of a node, such as "mongo-0", "nats-2" or "payouts-1". */
export type NodeName = string;

export type Rule =
  /** Bytes stay in the network, and connections stay open. */
  | { kind: "drop" }
  | { kind: "delay"; ms: number }
  /** Connections end with RST, new ones too. */
  | { kind: "reset" };

export type Matches = (from: NodeName, to: NodeName) => boolean;

export interface Rules {
  /** @returns the function that takes the rule back */
  add(rule: Rule, matches: Matches): () => void;
  /** The strictest rule for what flows between two nodes. */
  of(from: NodeName, to: NodeName): Rule | undefined;
}

export function createRules(): Rules {
  const added = new Set<{ rule: Rule; matches: Matches }>();
  return {
    add(rule, matches) {
      const entry = { rule, matches };
      added.add(entry);
      return () => void added.delete(entry);
    },
    of(from, to) {
      const found = [...added].filter(({ matches }) => matches(from, to)).map(({ rule }) => rule);
      const ofKind = (kind: Rule["kind"]) => found.find((rule) => rule.kind === kind);
      return ofKind("drop") ?? ofKind("reset") ?? ofKind("delay");
    },
  };
}
