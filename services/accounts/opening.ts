// Opens the sealed data of linked accounts. A missing key or a changed box affects only its own
// accounts, so a list still shows the others. The log reports each key once.

import type { Config } from "../../shared/config/config.ts";
import { errorType } from "../../shared/errors.ts";
import { unseal } from "../../shared/security/seal.ts";
import { type LinkedAccount, sealedPlace } from "./linked-account.model.ts";

export interface Opener {
  /** An account's data; null if they cannot be opened. */
  open(account: Pick<LinkedAccount, "_id" | "sealed">): object | null;
  hasKey(keyId: string): boolean;
}

export function createOpener(
  config: Pick<Config, "encryptionKeys">,
  warn: (message: string) => void,
): Opener {
  const keyIds = new Set(config.encryptionKeys.map(({ id }) => id));
  const reported = new Set<string>();

  /**
   * Each message is logged once; there are few, because there are few keys and two errors for each.
   */
  function tell(message: string): void {
    if (reported.has(message)) return;
    reported.add(message);
    warn(`Linked accounts cannot be opened. ${message}`);
  }

  return {
    open({ _id, sealed }) {
      try {
        return JSON.parse(unseal(config, sealedPlace(_id), sealed)) as object;
      } catch (error) {
        if (errorType(error) !== "UNREADABLE") throw error;
        tell((error as Error).message);
        return null;
      }
    },

    hasKey(keyId) {
      const isThere = keyIds.has(keyId);
      if (!isThere) tell(`Encrypted with the key ${keyId}, which ENCRYPTION_KEYS lacks`);
      return isThere;
    },
  };
}
