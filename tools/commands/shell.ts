// npm run -s shell: prints variables and functions for a shell, by which the examples of the guides
// run: eval "$(npm run -s shell)".

import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import type { ConfigOf } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { signToken } from "../../shared/security/jwt.ts";
import { findAddress, provideDemo } from "../platform/demo.ts";
import { withDevelopmentKeys } from "../platform/environment.ts";
import { live } from "../platform/lifetime.ts";
import { print } from "../platform/output.ts";
import { SetupError } from "../platform/processes.ts";
import { shellDefinitions } from "../platform/shell-definitions.ts";

const USAGE = `eval "$(npm run -s shell [-- --new])"

Prints the variables and functions of the guides' examples, for the payrail that was started with this
DATA_DIR: the address, the demo business with its end user, accounts and tokens, and post, put, patch,
get and field.

  --new   makes another business with all of these, for examples that change a business for good
`;

process.title = "payrail-shell";

await live(async (lifetime) => {
  const { help, new: another } = parseArgs({
    options: {
      help: { type: "boolean", short: "h", default: false },
      new: { type: "boolean", default: false },
    },
  }).values;
  if (help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const config = loadConfig(withDevelopmentKeys(process.env, "demo"), "demo");
  if (config.production) throw new SetupError("It is for development: its demo prints tokens.");
  const address = findAddress(config);
  if (address === null) {
    throw new SetupError(
      `Nothing was started with the DATA_DIR ${config.dataDir}. Run npm start first, and this with the same DATA_DIR.`,
    );
  }
  await requireAccess(config, address);
  const demo = await provideDemo(config, address, { another });
  await print(
    shellDefinitions({
      PAYRAIL_URL: address,
      BUSINESS: demo.businessId,
      PAYRAIL_CLIENT_ID: demo.clientId,
      PAYRAIL_CLIENT_SECRET: demo.clientSecret ?? "",
      ENTITY: demo.entityId,
      WALLET: demo.walletId,
      BANK_ACCOUNT: demo.bankAccountId,
      CARD_ACCOUNT: demo.cardId,
      ADMIN: demo.adminToken,
      MERCHANT: demo.merchantToken,
      USER_TOKEN: demo.userToken,
    }),
  );
  await lifetime.end(0);
});

/** Exits with a message unless payrail runs at the address and accepts tokens signed here. */
async function requireAccess(config: ConfigOf<"demo">, address: string): Promise<void> {
  const token = signToken(config, { sub: randomUUID(), role: "admin", scope: "", expiresInS: 60 });
  let status: number;
  try {
    const asked = {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(5_000),
    };
    ({ status } = await fetch(`${address}/v1/admin/businesses?limit=1`, asked));
  } catch {
    throw new SetupError(`payrail does not answer at ${address}. Run npm start.`);
  }
  if (status === 401) {
    throw new SetupError(
      `payrail at ${address} does not accept tokens that are signed with the keys of ${config.dataDir}. Set the DATA_DIR and the JWT keys with which it was started.`,
    );
  }
}
