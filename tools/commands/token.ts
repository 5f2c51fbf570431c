// npm run -s token -- --role ROLE --sub ID: prints a token to stdout, and nothing else there. In
// production it makes only tokens of admins, for an hour at most: the first admin has no other way
// in, and every operator that may run it holds the signing key anyway.

import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { loadConfig } from "../../shared/config/env.ts";
import { parseDuration } from "../../shared/config/env-values.ts";
import { ALL_SCOPES, SCOPES } from "../../shared/contracts/accounts.ts";
import { readUuid } from "../../shared/ids.ts";
import { canSign, signToken } from "../../shared/security/jwt.ts";
import { withDevelopmentKeys } from "../platform/environment.ts";
import { live, say } from "../platform/lifetime.ts";
import { print } from "../platform/output.ts";
import { SetupError } from "../platform/processes.ts";

const USAGE =
  "npm run -s token -- --role admin|merchant|user --sub ID [--scope 'SCOPE…'] [--expires 1h]";
const ROLES = ["admin", "merchant", "user"] as const;
const LONGEST_MS = 365 * 86_400_000;
const LONGEST_IN_PRODUCTION_MS = 3_600_000;

await live(async (lifetime) => {
  const { role, sub: named, scope, expires, help } = readArguments();
  if (help) {
    await print(
      `Usage: ${USAGE}\nID is a UUID: of a merchant's business, of a user's entity; any one for an admin, a new one by default.\nScopes: ${SCOPES.join(", ")}.\nThe default is ${ALL_SCOPES}, which implies all others.\n`,
    );
    return lifetime.end(0);
  }
  const known = ROLES.find((each) => each === role);
  if (!known) throw new SetupError(`--role must be one of ${ROLES.join(", ")}. Usage: ${USAGE}`);
  const sub = readUuid(named ?? (known === "admin" ? randomUUID() : ""));
  if (sub === null) throw new SetupError(`--sub must be a UUID. Usage: ${USAGE}`);
  const unknown = scope.split(" ").find((each) => each !== "" && !isScope(each));
  if (unknown !== undefined) {
    throw new SetupError(`--scope must name some of ${SCOPES.join(", ")}. Usage: ${USAGE}`);
  }
  const lifetimeMs = parseDuration(expires);
  if (!lifetimeMs || lifetimeMs < 1_000 || lifetimeMs > LONGEST_MS) {
    throw new SetupError("--expires must be a duration from 1s to 365d, such as 15m, 1h or 7d.");
  }
  const environment = withDevelopmentKeys(process.env, "token");
  const config = loadConfig(environment, "token");
  if (config.production && (known !== "admin" || lifetimeMs > LONGEST_IN_PRODUCTION_MS)) {
    throw new SetupError(
      "In production only --role admin, with --expires of at most 1h; API clients get all other tokens from POST /v1/oauth/token.",
    );
  }
  if (!canSign(config)) {
    throw new SetupError(
      "There is no key to sign with. If another system issues your tokens, have it make this one; else set JWT_PRIVATE_KEY to sign here, or run this where the accounts service runs.",
    );
  }
  if (environment.JWT_PRIVATE_KEY !== process.env.JWT_PRIVATE_KEY) {
    say(
      `Signed with the keys in ${config.dataDir}, which a payrail with another DATA_DIR refuses.`,
    );
  }
  const expiresInS = Math.floor(lifetimeMs / 1_000);
  if (known === "admin") {
    const until = new Date(Date.now() + expiresInS * 1_000).toISOString();
    say(`A token of the admin ${sub}, until ${until}.`);
  }
  await print(`${signToken(config, { sub, role: known, scope, expiresInS })}\n`);
  await lifetime.end(0);
});

function isScope(name: string): boolean {
  return SCOPES.some((each) => each === name);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        role: { type: "string" },
        sub: { type: "string" },
        scope: { type: "string", default: ALL_SCOPES },
        expires: { type: "string", default: "1h" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    throw new SetupError(`${(error as Error).message.split(".")[0]}. Usage: ${USAGE}`);
  }
}
