// What a peer is: another ledger on this machine that does the same post, on as many wallets, as durably.

/** Who posts, and where. */
export interface Load {
  callers: number;
  /** All on one wallet; else each time on any. */
  hot: boolean;
}

export interface Peer {
  name: string;
  /** Posts committed per second, after a short warm-up. */
  rate(load: Load, ms: number): Promise<number>;
  /** @throws where its books do not hold exactly the posts that were answered */
  verify(): Promise<void>;
}

/** @throws where a figure of a peer's books is not what it has to be */
export function expectBooks(
  peer: string,
  figures: Record<string, [found: number, due: number]>,
): void {
  for (const [what, [found, due]] of Object.entries(figures)) {
    if (found !== due) throw new Error(`${peer}: ${found} ${what} instead of ${due}`);
  }
}
