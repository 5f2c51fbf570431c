// Rights: the actions of MongoDB that a service needs, by collection. The roles of the services'
// users are made of them (tools/commands/provision/mongo-roles.ts), and a service compares them with
// its own user's at its start, because a missing right would otherwise show at the first request
// that needs it.

import type { mongo } from "mongoose";
import { ConfigError } from "../config/config.ts";
import { STATE } from "./database-state.ts";

/** MongoDB's names of actions, by collection. */
export type Rights = Record<string, readonly string[]>;

const READ = ["find", "listIndexes"] as const;
const OWN = [...READ, "insert", "update", "remove"] as const;

/** The collections on which a service needs other rights than on most of its own. */
const OTHERS: Rights = {
  // webhooks changes the term of their expiring indexes to the configured one.
  webhook_events: [...OWN, "collMod"],
  webhook_deliveries: [...OWN, "collMod"],
  // The audit log's entries stay.
  audit_log: [...READ, "insert", "update"],
  // npm run verify writes it, and wallet-ledger shows it.
  verifications: READ,
};

/** The rights of a service with these collections. */
export function rightsOf(collections: string[]): Rights {
  const own = collections.map((name) => [name, OTHERS[name] ?? OWN]);
  return { ...Object.fromEntries(own), [STATE]: ["find"] };
}

interface Privilege {
  resource: { db?: string; collection?: string; anyResource?: boolean };
  actions: string[];
}

/**
 * Compares the rights of the connection's user with the needed ones. A server without users grants
 * every right.
 * @param service names the user's service in the error
 * @throws ConfigError that names the first missing right
 */
export async function requireRights(db: mongo.Db, service: string, needed: Rights): Promise<void> {
  const { authInfo } = await db.command({ connectionStatus: 1, showPrivileges: true });
  if (authInfo.authenticatedUsers.length === 0) return;
  const privileges: Privilege[] = authInfo.authenticatedUserPrivileges;
  for (const [collection, actions] of Object.entries(needed)) {
    const granted = privileges.filter(({ resource }) => covers(resource, db, collection));
    const missing = actions.filter(
      (action) => !granted.some((each) => each.actions.includes(action)),
    );
    if (missing.length === 0) continue;
    throw new ConfigError(
      `MongoDB refuses ${service} the right to ${missing.join(", ")} in ${db.databaseName}.${collection}; see docs/operate/install.md, MongoDB users.`,
    );
  }
}

/** An empty name of a resource stands for every database, or every collection. */
function covers(
  { db, collection, anyResource }: Privilege["resource"],
  { databaseName }: mongo.Db,
  wanted: string,
): boolean {
  if (anyResource) return true;
  return (db === "" || db === databaseName) && (collection === "" || collection === wanted);
}
