// The collections of the accounts service, as Records (shared/storage/records.ts) or as mongoose models.

import type { Model } from "mongoose";
import type { Records } from "../../shared/storage/records.ts";
import type { ApiClient, Guesses } from "./api-client.model.ts";
import type { ApplicationToken } from "./application-token.model.ts";
import type { Entity } from "./entity.model.ts";
import type { LinkedAccount } from "./linked-account.model.ts";

export interface Models {
  entities: Records<Entity>;
  api_clients: Records<ApiClient>;
  application_tokens: Records<ApplicationToken>;
  client_guesses: Model<Guesses>;
  linked_accounts: Model<LinkedAccount>;
}
