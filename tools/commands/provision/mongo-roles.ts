// The MongoDB users of a deployment and their roles: one for each service, with rights on its own
// collections alone, and those of the jobs. All are in the database `admin`, where the URLs' option
// authSource=admin finds them.

import mongoose, { type mongo } from "mongoose";
import { partnersDatabase } from "../../../shared/partners/context.ts";
import { STATE } from "../../../shared/storage/database-state.ts";
import { type Rights, rightsOf } from "../../../shared/storage/mongo-rights.ts";
import { DATA_MIGRATIONS } from "../../migrate/data.ts";
import { SCHEMAS } from "../../migrate/schemas.ts";

/** The names of the users. */
export type MongoUser = keyof typeof SCHEMAS | "migrate" | "verify" | "backup";

/** A role as MongoDB's createRole takes it. */
export interface Role {
  role: string;
  privileges: { resource: { db: string; collection: string }; actions: string[] }[];
  /** The roles that it includes. */
  roles: { role: string; db: string }[];
}

/** A migration's rights in every collection. */
const MIGRATE = [
  "createCollection",
  "createIndex",
  "dropIndex",
  "collMod",
  "listIndexes",
  "listCollections",
  "find",
] as const;

/** The rights of a service in the database of its partners' modules, which make collections. */
const MODULES = [
  "find",
  "insert",
  "update",
  "remove",
  "listCollections",
  "listIndexes",
  "createCollection",
  "createIndex",
] as const;

/** The services that load partners' modules, with the kind of partner. */
const PARTNERS = { payouts: "rails", "payment-links": "acquirers" } as const;

/** The role of each user, on a database. */
export async function mongoRoles(database = "payrail"): Promise<Record<MongoUser, Role>> {
  const role = (name: MongoUser, rights: Rights, roles: Role["roles"] = []): Role => ({
    role: `${database}-${name}`,
    privileges: Object.entries(rights).map(([collection, actions]) => ({
      resource: { db: database, collection },
      actions: [...actions],
    })),
    roles,
  });
  /** Adds the database of the service's partners, where the name "" stands for every collection. */
  const withModules = (name: string, own: Role): Role => {
    const kind = (PARTNERS as Partial<Record<string, "rails" | "acquirers">>)[name];
    if (!kind) return own;
    const resource = { db: partnersDatabase(database, kind), collection: "" };
    return { ...own, privileges: [...own.privileges, { resource, actions: [...MODULES] }] };
  };
  const services = Object.entries(SCHEMAS).map(([name, schemas]) => [
    name,
    withModules(name, role(name as MongoUser, rightsOf(Object.keys(schemas)))),
  ]);
  return {
    ...(Object.fromEntries(services) as Record<keyof typeof SCHEMAS, Role>),
    // The name "" stands for every collection of the database.
    migrate: role("migrate", {
      "": MIGRATE,
      [STATE]: ["insert", "update"],
      ...Object.fromEntries(DATA_MIGRATIONS.map(({ changes }) => [changes, ["update"]])),
    }),
    verify: role("verify", { verifications: ["insert"] }, [
      { role: "read", db: database },
      ...Object.values(PARTNERS).map((kind) => ({
        role: "read",
        db: partnersDatabase(database, kind),
      })),
    ]),
    backup: role("backup", {}, [{ role: "backup", db: "admin" }]),
  };
}

const EXISTS = [51_002, 51_003];

/**
 * Makes the roles and users, or gives existing ones these rights and passwords.
 * @param adminUrl the URL of a user with the role userAdminAnyDatabase
 * @param passwords the users to make, with their passwords; only the given ones are made or changed
 */
export async function createUsers(
  adminUrl: string,
  database: string,
  passwords: Partial<Record<MongoUser, string>>,
): Promise<void> {
  const client = new mongoose.mongo.MongoClient(adminUrl);
  try {
    const admin = client.db("admin");
    const roles = await mongoRoles(database);
    for (const [name, pwd] of Object.entries(passwords) as [MongoUser, string][]) {
      const { role, ...rights } = roles[name];
      await createOrUpdate(admin, "Role", role, rights);
      await createOrUpdate(admin, "User", name, { pwd, roles: [{ role, db: "admin" }] });
    }
  } finally {
    await client.close();
  }
}

async function createOrUpdate(
  admin: mongo.Db,
  kind: "Role" | "User",
  name: string,
  fields: object,
): Promise<void> {
  try {
    await admin.command({ [`create${kind}`]: name, ...fields });
  } catch (error) {
    if (!EXISTS.includes((error as { code?: number }).code ?? 0)) throw error;
    await admin.command({ [`update${kind}`]: name, ...fields });
  }
}
