// How people sign in to the console and out of it: with an API client's credentials, with an access
// token, or at the identity provider. The console has no passwords of its own. Sign-ins of admins
// are in the audit log.

import type { IncomingMessage } from "node:http";
import type { ServiceBroker } from "moleculer";
import { call } from "../../../shared/actions.ts";
import { checker } from "../../../shared/checker.ts";
import type { ConfigOf } from "../../../shared/config.ts";
import { errorType, fail, failField } from "../../../shared/errors.ts";
import { optional } from "../../../shared/field.ts";
import { text } from "../../../shared/fields.ts";
import type { Caller } from "../access/authentication.ts";
import type { FindAddress } from "../http/address.ts";
import type { Page } from "../http/aliases.ts";
import type { Answer } from "../http/answer.ts";
import { audited } from "../http/audit.ts";
import { readBody } from "../http/body.ts";
import { type Cookie, createCookie } from "./cookie.ts";
import type { IdentityProvider, Sent } from "./open-id.ts";
import {
  CONSOLE_API,
  type Held,
  isOwnRequest,
  type MaybeConsoleRequest,
  type Sessions,
} from "./session.ts";

const SESSION = `${CONSOLE_API}/session`;
const CONSOLE = "/console";
/** The path to which the identity provider sends people back. */
export const SIGNED_IN = `${CONSOLE}/signed-in`;
/** Where the console says that the identity provider did not confirm a person. */
const REFUSED = `${CONSOLE}#/sign-in/refused`;
/** Where the console says that a sign-in did not work. */
const FAILED = `${CONSOLE}#/sign-in/failed`;
/** How long a person may stay at the identity provider's page, in seconds. */
const SENT_FOR_S = 600;
const WITHIN_MS = 5_000;

const checkCredentials = checker({
  clientId: optional(text()),
  clientSecret: optional(text()),
  token: optional(text({ max: 4_096 })),
});

/** Opens a session: the headers of its answer. */
type Open = (
  held: Held,
  from: { request: IncomingMessage; broker: ServiceBroker },
) => Promise<Record<string, string>>;

export function signInPages(
  sessions: Sessions,
  provider: IdentityProvider | null,
  config: Pick<ConfigOf<"gateway">, "sandbox" | "publicUrl">,
  findAddress: FindAddress,
): Page[] {
  const { callerOf, keep, removal } = sessions;

  const open: Open = async (held, { request, broker }) => {
    const caller = await callerOf(held);
    const { role, sub, name = null, expiresAtS } = caller;
    if (role === "user" || !(await describe(caller, broker))) return fail("UNAUTHORIZED");
    const kept =
      keep(held, expiresAtS - Date.now() / 1_000) ??
      failField("token", "must be shorter, to fit into a cookie");
    const headers = { "set-cookie": kept };
    if (role === "merchant") return headers;
    const change = { action: "signIn", by: { sub, role }, request: { name } };
    const address = findAddress(request);
    await audited({ ...change, address }, broker, async () => success({}));
    return headers;
  };

  return [
    {
      path: SESSION,
      async serve(_params, broker, { session: held }: MaybeConsoleRequest) {
        const caller = held ? await callerOf(held).catch(unlessRefused) : null;
        const session = caller && (await describe(caller, broker));
        return success({ session, openId: provider !== null, sandbox: config.sandbox });
      },
    },
    {
      method: "POST",
      path: SESSION,
      async serve(_params, broker, request) {
        if (!isOwnRequest(request)) return fail("UNAUTHORIZED");
        const { token: given, ...client } = checkCredentials((await readBody(request)) ?? {});
        const address = findAddress(request);
        const token = given ?? (await tokenFor({ ...client, address }, broker));
        return {
          ...success({}),
          headers: await open({ kind: "access", token }, { request, broker }),
        };
      },
    },
    {
      method: "DELETE",
      path: SESSION,
      serve(_params, _broker, request) {
        if (!isOwnRequest(request)) return fail("UNAUTHORIZED");
        return { ...success({}), headers: { "set-cookie": removal } };
      },
    },
    ...(provider ? providerPages(provider, createCookie("payrail-sent", "lax", config), open) : []),
  ];
}

/**
 * The way to the identity provider and back.
 * @param sentCookie keeps what somebody was sent with
 */
function providerPages(provider: IdentityProvider, sentCookie: Cookie, open: Open): Page[] {
  return [
    {
      path: `${CONSOLE}/sign-in`,
      async serve() {
        const { url, sent } = await provider.begin();
        const value = Buffer.from(JSON.stringify(sent)).toString("base64url");
        return redirect(url, { "set-cookie": sentCookie.keep(value, SENT_FOR_S) as string });
      },
      refuse: () => redirect(FAILED),
    },
    {
      path: SIGNED_IN,
      async serve(_params, broker, request) {
        const value = sentCookie.read(request.headers);
        if (value === null) return redirect(REFUSED);
        try {
          const sent = JSON.parse(Buffer.from(value, "base64url").toString()) as Sent;
          const { search } = new URL(request.url ?? "", "http://gateway");
          const token = await provider.complete(search, sent);
          return redirect(CONSOLE, await open({ kind: "id", token }, { request, broker }));
        } catch (error) {
          broker.logger.warn("A sign-in at the identity provider failed", { error });
          const isRefused = !["UNAVAILABLE", "VALIDATION"].includes(errorType(error) ?? "");
          return redirect(isRefused ? REFUSED : FAILED);
        }
      },
    },
  ];
}

interface Credentials {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  address: string;
}

/** An access token of an API client. @throws UNAUTHORIZED for wrong credentials; RATE_LIMITED */
async function tokenFor(credentials: Credentials, broker: ServiceBroker): Promise<string> {
  const params = { ...credentials, grantType: "client_credentials" };
  const asked = call(broker, "accounts.issueToken", params, { timeoutMs: WITHIN_MS });
  const { access_token: token } = await asked.catch((error: unknown) => {
    // With the challenge of INVALID_CLIENT a browser would ask for a password in a window of its own.
    if (errorType(error) === "INVALID_CLIENT") fail("UNAUTHORIZED");
    throw error;
  });
  return token;
}

/** A person as the console shows them; null for a merchant whose business does not exist. */
async function describe({ role, sub, name, scopes, expiresAtS }: Caller, broker: ServiceBroker) {
  const expiresAt = new Date(expiresAtS * 1_000).toISOString();
  const person = { role, id: sub, name: name ?? null, scopes, expiresAt };
  if (role !== "merchant") return person;
  try {
    const asked = { businessId: sub };
    const business = await call(broker, "accounts.business", asked, { timeoutMs: WITHIN_MS });
    return { ...person, name: business.name };
  } catch (error) {
    if (errorType(error) === "BUSINESS_NOT_FOUND") return null;
    throw error;
  }
}

/** A token that is refused belongs to nobody. */
function unlessRefused(error: unknown): null {
  if (errorType(error) !== "UNAUTHORIZED") throw error;
  return null;
}

function success(data: object): Answer {
  return { status: 200, body: { success: true, data } };
}

function redirect(location: string, headers: Record<string, string> = {}): Answer {
  return { status: 303, body: "", headers: { location, ...headers } };
}
