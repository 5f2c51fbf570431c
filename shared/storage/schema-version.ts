// The versions of the database's schema: the collections, the indexes and the forms of stored
// documents that `npm run migrate` makes. The database has both numbers of the version that
// migrated it, beside its mode (database-state.ts).

/**
 * The schema of this version. It rises by one with each release that adds a collection, adds or
 * changes an index, or adds a data migration (tools/migrate/data.ts). A service waits for its
 * schema, so that new code never runs on an older one.
 */
export const SCHEMA_VERSION = 6;

/**
 * The lowest SCHEMA_VERSION of the code that may run on a database with this schema. It stays at or
 * below the previous release's SCHEMA_VERSION, so that both releases run beside each other and a
 * rollback by one release works. To take away a thing that the previous release still needs, stop
 * using it in one release, and raise this and take it away in the next: an index of
 * tools/migrate/retired.ts is then dropped.
 */
export const READABLE_FROM = 4;
