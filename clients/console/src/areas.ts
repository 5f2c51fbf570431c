// What the console is made of: areas, which the navigation shows, and their pages.

import type { FunctionComponent } from "preact";
import type { Session, Visit } from "./api.ts";

export interface Area {
  title: string;
  /** Its first page. */
  path: string[];
  routes: Route[];
}

export interface Route {
  /** Its parts; one that begins with a colon stands for any text. */
  pattern: string;
  component: FunctionComponent<RouteProps>;
}

export interface RouteProps {
  /** The texts in the places of the pattern's names. */
  params: Record<string, string>;
  session: Session;
  visit: Visit;
}
