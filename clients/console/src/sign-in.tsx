// The page on which people sign in: at the identity provider, with an API client's credentials, or
// with an access token.

import { useEffect } from "preact/hooks";
import { PayrailError, signIn, type Visit } from "./api.ts";
import { useLocation } from "./router.ts";
import { type Field, Form, type Values } from "./ui/form.tsx";

const CLIENT: Field[] = [
  { name: "clientId", label: "Client id", autoComplete: "username" },
  {
    name: "clientSecret",
    label: "Client secret",
    kind: "password",
    autoComplete: "current-password",
  },
];

const TOKEN: Field[] = [{ name: "token", label: "Access token", kind: "password" }];

/** What is said to people who come back from the identity provider without a session. */
const PROBLEMS: Record<string, string> = {
  refused:
    "The identity provider did not confirm you. Ask your operator, whose log has the reason.",
  "no-role":
    "The identity provider confirmed you, but gives you no role in payrail. Ask your operator for one.",
  "no-business":
    "The identity provider confirmed you, but names no business that payrail has. Ask your operator.",
  "too-long":
    "The identity provider's token is too long. Ask your operator to leave lists of groups out of it.",
  expired: "This sign-in is no longer open, because it took more than ten minutes. Sign in again.",
  failed: "Signing in at the identity provider does not work now. Try again in a moment.",
};

interface SignInProps {
  visit: Visit;
  /** Whether a session has just ended. */
  hasEnded: boolean;
  onSignIn(): void;
}

export function SignIn({ visit, hasEnded, onSignIn }: SignInProps) {
  const { path } = useLocation();
  const problem = path[0] === "sign-in" && PROBLEMS[path[1] ?? ""];
  useEffect(() => {
    document.title = "Sign in · payrail";
  }, []);

  async function send(values: Values) {
    await signIn(values as Parameters<typeof signIn>[0]).catch(explain);
    if (path[0] === "sign-in") location.hash = "";
    onSignIn();
  }

  return (
    <main class="alone">
      <h1>payrail</h1>
      {hasEnded && <p role="status">Your session has ended. Sign in to go on.</p>}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {visit.openId && (
        <p>
          <a class="button primary" href="/console/sign-in">
            Sign in with your identity provider
          </a>
        </p>
      )}
      <h2>As a business</h2>
      <Form fields={CLIENT} submit="Sign in" onSubmit={send}>
        <p class="about">With the credentials of one of your API clients.</p>
      </Form>
      <details>
        <summary>With an access token</summary>
        <Form fields={TOKEN} submit="Sign in with the token" onSubmit={send}>
          <p class="about">An operator's token, or a business's.</p>
        </Form>
      </details>
    </main>
  );
}

/** The API says of every refusal only that it is one. */
function explain(error: unknown): never {
  if (error instanceof PayrailError && error.status === 401) {
    throw new PayrailError({
      code: error.code,
      status: 401,
      message: "These are no valid credentials of a business or an operator.",
    });
  }
  throw error;
}
