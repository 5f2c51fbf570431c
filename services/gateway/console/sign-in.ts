// How people sign in to the console and out of it: with an API client's credentials, with an access
// token, or at the identity provider. The console has no passwords of its own. Sign-ins of admins
// are in the audit log.

import type { IncomingMessage } from "node:http";
import type { ServiceBroker } from "moleculer";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import { checker } from "../../../shared/contracts/checker.ts";
import { optional } from "../../../shared/contracts/field.ts";
import { text } from "../../../shared/contracts/fields.ts";
import { errorType, fail, failField } from "../../../shared/errors.ts";
import { call } from "../../../shared/rpc/actions.ts";
import type { AuthenticatedCaller } from "../access/authentication.ts";
import type { FindAddress } from "../http/address.ts";
import type { PageRoute } from "../http/aliases.ts";
import type { HttpAnswer } from "../http/answer.ts";
import { audited } from "../http/audit.ts";
import { readBody } from "../http/body.ts";
import { createCookie } from "./cookie.ts";
import { type IdentityProvider, refuse, type Sent, type SignInProblem } from "./open-id.ts";
import {
  CONSOLE_API,
  type Held,
  isOwnRequest,
  type MaybeConsoleRequest,
  type Sessions,
} from "./session.ts";

const SESSION = `${CONSOLE_API}/session`;
const CONSOLE = "/console";
const SIGN_IN = `${CONSOLE}/sign-in`;
/** The path to which the identity provider sends people back. */
export const SIGNED_IN = `${CONSOLE}/signed-in`;
/** Where the console says why a person has no session. */
const toldAt = (problem: SignInProblem) => `${CONSOLE}#/sign-in/${problem}`;
/** Marks the way to PUBLIC_URL, which a proxy may serve under another host. */
const AT_PUBLIC_URL = "?at=public-url";
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
  clock: Clock,
): PageRoute[] {
  const { callerOf, keep, removal } = sessions;

  const open: Open = async (held, { request, broker }) => {
    const caller = await callerOf(held, request);
    const { role, sub, name = null, expiresAtS } = caller;
    if (role === "user") return refuse("no-role", "the console is for operators and merchants");
    if (!(await describe(caller, broker))) {
      return refuse("no-business", `business ${sub} not found`);
    }
    const kept =
      keep(held, expiresAtS - clock.now() / 1_000) ??
      failField("token", "must be shorter, to fit into a cookie");
    const headers = { "set-cookie": kept };
    if (role === "merchant") return headers;
    const change = { action: "signIn", by: { sub, role }, request: { name } };
    const { network: address } = findAddress(request);
    await audited({ ...change, address }, broker, async () => success({}));
    return headers;
  };

  return [
    {
      path: SESSION,
      async serve(_params, broker, request: MaybeConsoleRequest) {
        const { session: held } = request;
        const caller = held ? await callerOf(held, request).catch(unlessRefused) : null;
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
        const { network: address, exact: exactAddress } = findAddress(request);
        const token = given ?? (await tokenFor({ ...client, address, exactAddress }, broker));
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
    ...(provider ? providerPages(provider, config, open) : []),
  ];
}

/** The way to the identity provider and back. */
function providerPages(
  provider: IdentityProvider,
  config: Pick<ConfigOf<"gateway">, "publicUrl">,
  open: Open,
): PageRoute[] {
  /** Keeps the state of the sign-in for the return from the provider. */
  const sentCookie = createCookie("payrail-sent", "lax", config);
  const { host } = new URL(config.publicUrl);
  return [
    {
      path: SIGN_IN,
      async serve(_params, _broker, { url = "", headers }) {
        // The provider sends people back to PUBLIC_URL, and a cookie of another host is not there.
        if (headers.host !== host && !url.endsWith(AT_PUBLIC_URL)) {
          return redirect(config.publicUrl + SIGN_IN + AT_PUBLIC_URL);
        }
        const { url: there, sent } = await provider.begin();
        const value = Buffer.from(JSON.stringify(sent)).toString("base64url");
        return redirect(there, { "set-cookie": sentCookie.keep(value, SENT_FOR_S) as string });
      },
      refuse: () => redirect(toldAt("failed")),
    },
    {
      path: SIGNED_IN,
      async serve(_params, broker, request) {
        const value = sentCookie.read(request.headers);
        if (value === null) {
          const reason = "the browser has no payrail-sent cookie: ten minutes have passed";
          broker.logger.warn(NO_SESSION, { problem: "expired", reason });
          return redirect(toldAt("expired"));
        }
        let token = "";
        try {
          const sent = JSON.parse(Buffer.from(value, "base64url").toString()) as Sent;
          const { search } = new URL(request.url ?? "", "http://gateway");
          token = await provider.complete(search, sent);
          const opened = await open({ kind: "id", token }, { request, broker });
          const cookies = [opened["set-cookie"] as string, sentCookie.removal];
          return redirect(CONSOLE, { ...opened, "set-cookie": cookies });
        } catch (error) {
          const { problem, reason } = explain(error, token);
          broker.logger.warn(NO_SESSION, { problem, reason });
          return redirect(toldAt(problem), { "set-cookie": sentCookie.removal });
        }
      },
    },
  ];
}

const NO_SESSION = "A sign-in at the identity provider opened no session";

/** Why a person has no session: for the person, and for the log. */
function explain(error: unknown, token: string): { problem: SignInProblem; reason: string } {
  const type = errorType(error);
  if (type === "VALIDATION") {
    const reason = `token of ${token.length} characters, more than a cookie takes`;
    return { problem: "too-long", reason };
  }
  if (type === "UNAVAILABLE") return { problem: "failed", reason: "a service is away" };
  // The library's errors have a code, and the provider's error or a cause that names the claim.
  const { data, code, error: answered, cause, message } = error as SignInError;
  const words = [code, answered ?? cause?.message ?? message].filter((each) => each !== undefined);
  const { problem = "refused", reason = words.join(": ") } = data ?? {};
  return { problem, reason };
}

interface SignInError extends Error {
  data?: { problem?: SignInProblem; reason?: string };
  code?: string;
  error?: string;
  cause?: Error;
}

interface Credentials {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  address: string;
  exactAddress: string;
}

/** An access token of an API client. @throws UNAUTHORIZED for wrong credentials; RATE_LIMITED */
async function tokenFor(credentials: Credentials, broker: ServiceBroker): Promise<string> {
  const params = { ...credentials, grantType: "client_credentials" };
  const asked = call(broker, "accounts.issueToken", params, { timeoutMs: WITHIN_MS });
  const { access_token: token } = await asked.catch((error: unknown) => {
    // With the challenge of INVALID_CLIENT a browser would ask for a password in a window of its
    // own.
    if (errorType(error) === "INVALID_CLIENT") fail("UNAUTHORIZED");
    throw error;
  });
  return token;
}

/** A person as the console shows them; null for a merchant whose business does not exist. */
async function describe(
  { role, sub, name, scopes, expiresAtS }: AuthenticatedCaller,
  broker: ServiceBroker,
) {
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

function success(data: object): HttpAnswer {
  return { status: 200, body: { success: true, data } };
}

function redirect(location: string, headers: HttpAnswer["headers"] = {}): HttpAnswer {
  return { status: 303, body: "", headers: { location, ...headers } };
}
