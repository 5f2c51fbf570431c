// The collections of the accounts service.

import { keyedRequestSchema } from "../../shared/rpc/idempotency.ts";
import { apiClientSchema, guessesSchema } from "./api-client.model.ts";
import { applicationTokenSchema } from "./application-token.model.ts";
import { auditEntrySchema } from "./audit-entry.model.ts";
import { controlSchema } from "./control.model.ts";
import { entitySchema } from "./entity.model.ts";
import { linkedAccountSchema, listCountSchema } from "./linked-account.model.ts";

export const schemas = {
  entities: entitySchema,
  api_clients: apiClientSchema,
  client_guesses: guessesSchema,
  linked_accounts: linkedAccountSchema,
  linked_account_counts: listCountSchema,
  application_tokens: applicationTokenSchema,
  audit_log: auditEntrySchema,
  controls: controlSchema,
  account_idempotency_keys: keyedRequestSchema,
};
