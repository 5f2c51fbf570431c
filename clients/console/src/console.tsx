// The console: the page of whoever is signed in, or the way to sign in.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { readVisit, type Visit, whenSessionEnds } from "./api.ts";
import { Frame } from "./frame.tsx";
import { useLoad } from "./load.ts";
import { SignIn } from "./sign-in.tsx";
import { Loading, Problem } from "./ui/basics.tsx";

function Console() {
  const { data, error, reload } = useLoad("visit", readVisit);
  /** The visit whose session has ended. */
  const [ended, setEnded] = useState<Visit | null>(null);
  const hasEnded = data !== null && data === ended;
  const session = hasEnded ? null : (data?.session ?? null);

  useEffect(() => whenSessionEnds(() => session && setEnded(data)), [session, data]);

  if (!data) {
    return <main class="alone">{error ? <Problem error={error} /> : <Loading />}</main>;
  }
  if (session) return <Frame session={session} visit={data} onSignOut={reload} />;
  return <SignIn visit={data} hasEnded={hasEnded} onSignIn={reload} />;
}

render(<Console />, document.body);
