// Links accounts of the business BUSINESS_ID and unlinks some of them, as fast as it can, until it
// is killed.

import {
  linkedAccountSchema,
  listCountSchema,
} from "../../services/accounts/linked-account.model.ts";
import { gatherInserts, unlinkCounted } from "../../services/accounts/lists/counts.ts";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { aLinkedAccount } from "../support/linked.ts";

const CALLERS = 6;

const config = loadConfig(process.env);
const schemas = {
  linked_accounts: linkedAccountSchema,
  linked_account_counts: listCountSchema,
};
const { models, open } = database(config, "linking", schemas);
await migrateConfigured(config, { schemas });
await open();
const { linked_accounts: accounts } = models;
const insertCounted = gatherInserts(accounts);
const businessId = process.env.BUSINESS_ID as string;

async function linkOn(): Promise<never> {
  for (let i = 0; ; i++) {
    const account = aLinkedAccount(businessId, i % 2 === 0 ? "USER" : "BUSINESS");
    await insertCounted(account);
    if (i % 3 === 0) await unlinkCounted(accounts, systemClock, account);
  }
}

// Ends with the test that started it.
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
await Promise.all(Array.from({ length: CALLERS }, linkOn));
