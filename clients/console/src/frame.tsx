// The frame around every page: the navigation, who is signed in, and the page that the address
// names.

import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { type Session, signOut, type Visit } from "./api.ts";
import type { Area, Route, RouteProps } from "./areas.ts";
import { dateTime } from "./format.ts";
import { MERCHANT_PAGES } from "./merchant/pages.tsx";
import { OPERATOR_PAGES } from "./operator/pages.tsx";
import { href, useLocation } from "./router.ts";
import { Page, Problem } from "./ui/basics.tsx";
import { FindBox } from "./ui/find-box.tsx";

interface FrameProps {
  session: Session;
  visit: Visit;
  onSignOut(): void;
}

export function Frame({ session, visit, onSignOut }: FrameProps) {
  const { path } = useLocation();
  const areas = session.role === "admin" ? OPERATOR_PAGES : MERCHANT_PAGES;
  // Only a narrow screen folds the navigation.
  const [isOpen, setIsOpen] = useState(false);
  const address = path.join("/");
  useEffect(() => {
    setIsOpen(false);
    scrollTo(0, 0);
  }, [address]);

  const [problem, setProblem] = useState<unknown>(null);
  const leave = () => signOut().then(onSignOut, setProblem);

  const found = findPage(areas, path);

  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <a class="brand" href={href([])}>
          payrail
        </a>
        {visit.sandbox && <span class="status">Sandbox</span>}
        <p class="who" title={session.id}>
          {session.name ?? `…${session.id.slice(-8)}`}
          <span class="quiet"> · {session.role === "admin" ? "Operator" : "Business"}</span>
        </p>
        <button
          type="button"
          title={`The session ends ${dateTime(session.expiresAt)}`}
          onClick={() => void leave()}
        >
          Sign out
        </button>
      </header>
      <nav class={isOpen ? "menu open" : "menu"} aria-label="Pages">
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Menu
        </button>
        <FindBox />
        <ul>
          {areas.map((area) => (
            <li key={area.title}>
              <a href={href(area.path)} aria-current={found?.area === area ? "page" : undefined}>
                {area.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main" tabIndex={-1}>
        <Problem error={problem} />
        <Shown
          key={address}
          component={found?.route.component ?? Missing}
          params={found?.params ?? {}}
          session={session}
          visit={visit}
        />
      </main>
    </div>
  );
}

/** A page, or that it failed: the frame around it stays. */
function Shown({ component: Component, ...props }: RouteProps & Pick<Route, "component">) {
  const [error] = useErrorBoundary();
  if (!error) return <Component {...props} />;
  return (
    <Page title="This page failed">
      <Problem error={error} />
    </Page>
  );
}

function findPage(areas: Area[], path: string[]) {
  for (const area of areas) {
    for (const route of area.routes) {
      const params = match(route.pattern, path);
      if (params) return { area, route, params };
    }
  }
  return null;
}

/** The texts in the places of a pattern's names; null if the path does not fit. */
function match(pattern: string, path: string[]): Record<string, string> | null {
  const parts = pattern.split("/").filter(Boolean);
  if (parts.length !== path.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const given = path[i] as string;
    if (part.startsWith(":")) params[part.slice(1)] = given;
    else if (part !== given) return null;
  }
  return params;
}

function Missing() {
  return (
    <Page title="No such page">
      <p>
        <a href={href([])}>Back to the beginning</a>
      </p>
    </Page>
  );
}
