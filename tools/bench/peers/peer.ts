// The interface of a peer: another ledger on this machine with the same post, number of wallets and
// durability.

/** The load of a measurement. */
export interface Load {
  callers: number;
  /** True: all posts on one wallet; false: each on a random wallet. */
  hot: boolean;
}

export interface Peer {
  name: string;
  /** Posts committed per second, after a short warm-up. */
  rate(load: Load, ms: number): Promise<number>;
  /** @throws if the books do not hold exactly the answered posts */
  verify(): Promise<void>;
}

/** @throws if a figure of a peer's books differs from the expected one */
export function expectBooks(
  peer: string,
  figures: Record<string, [found: number, due: number]>,
): void {
  for (const [what, [found, due]] of Object.entries(figures)) {
    if (found !== due) throw new Error(`${peer}: ${found} ${what} instead of ${due}`);
  }
}
