// Kept heads against the journal. A head was signed and kept outside the database, so it shows what
// the chain of hashes cannot: that blocks were cut off, or rewritten with all later hashes. At the
// head's block of each partition the block has the head's hash, and the fold has the head's sums
// and, for a business, the head's digest. Both are computed here anew.

import { createHash } from "node:crypto";
import type { Result } from "../../../shared/contracts/contracts.ts";
import { toDecimal } from "../../../shared/money.ts";
import type { Findings } from "../findings.ts";
import type { Checked, Fold } from "./fold.ts";

export type HeadClaims = Result<"wallet-ledger.head">["claims"];

export interface KeptHead {
  /** Names the head in findings. */
  name: string;
  claims: HeadClaims;
}

export interface HeadCheck {
  /** Compares the heads of the fold's last block. */
  see(fold: Fold): void;
  /** Compares what needs all partitions. */
  end(partitions: number): void;
}

/** The accounts at a head, as far as their partitions were folded. */
interface Seen extends KeptHead {
  reached: Set<number>;
  sums: Map<string, bigint>;
  /** The lines of the digest by account; only of a business. */
  lines: Map<string, string>;
}

export function createHeadCheck(
  heads: readonly KeptHead[],
  { count, violation }: Findings,
): HeadCheck {
  const all = heads.map((head): Seen => {
    return { ...head, reached: new Set(), sums: new Map(), lines: new Map() };
  });
  count("heads", heads.length);
  const byBlock = new Map<string, Seen[]>();
  for (const seen of all) {
    seen.claims.journal.forEach(({ n }, p) => {
      const place = `${p}:${n}`;
      byBlock.set(place, [...(byBlock.get(place) ?? []), seen]);
      // Before its first block a partition has no money.
      if (n === 0) seen.reached.add(p);
    });
  }

  return {
    see({ mark: { _id: p }, last, accounts }) {
      const place = `${p}:${last.n}`;
      for (const seen of byBlock.get(place) ?? []) {
        if (last.hash !== seen.claims.journal[p]?.hash) {
          violation(
            "heads",
            `block ${place} has another hash in ${seen.name}: partition ${p} was changed at this block or before it`,
          );
        }
        seen.reached.add(p);
        for (const checked of accounts.values()) add(seen, checked);
      }
    },

    end(partitions) {
      for (const seen of all) {
        const { name, claims, reached } = seen;
        claims.journal.forEach(({ n }, p) => {
          if (reached.has(p)) return;
          violation(
            "heads",
            `block ${p}:${n} of ${name} is not there: partition ${p} was cut off before it`,
          );
        });
        if (claims.journal.length !== partitions) {
          violation(
            "heads",
            `${name} has ${claims.journal.length} partitions, the database ${partitions}`,
          );
        }
        // Sums over a part of the partitions say nothing.
        if (reached.size < claims.journal.length) continue;
        for (const problem of findDifferences(seen)) violation("heads", `${name} ${problem}`);
      }
    },
  };
}

function add({ claims, sums, lines }: Seen, { account, balance }: Checked): void {
  const { _id: id, type, currency, businessId } = account;
  const isCounted = type !== "SYSTEM" && (claims.sub === undefined || claims.sub === businessId);
  // The fold reports a balance that is no amount.
  if (!isCounted || balance === 0 || !Number.isSafeInteger(balance)) return;
  const key = `${type} ${currency}`;
  sums.set(key, (sums.get(key) ?? 0n) + BigInt(balance));
  if (claims.sub !== undefined) lines.set(id, `${id} ${currency} ${toDecimal(balance)}\n`);
}

function findDifferences({ claims, sums, lines }: Seen): string[] {
  const problems: string[] = [];
  const said = new Map<string, string>(
    Object.entries(claims.sums).flatMap(([type, byCurrency]) =>
      Object.entries(byCurrency).map(([currency, sum]) => [`${type} ${currency}`, sum] as const),
    ),
  );
  for (const key of new Set([...said.keys(), ...sums.keys()])) {
    const sum = toDecimal(sums.get(key) ?? 0n);
    const expected = said.get(key) ?? "0.00";
    if (sum !== expected) problems.push(`has ${expected} ${key}, the journal ${sum}`);
  }
  if (claims.sub === undefined) return problems;
  const digest = createHash("sha256");
  for (const id of [...lines.keys()].sort()) digest.update(lines.get(id) as string);
  if (lines.size !== claims.accounts) {
    problems.push(`has ${claims.accounts} accounts with money, the journal ${lines.size}`);
  }
  if (digest.digest("base64url") !== claims.digest) {
    problems.push(`has other balances of accounts of business ${claims.sub} than the journal`);
  }
  return problems;
}
