// The accounts service: businesses and end users, API clients and their tokens, linked accounts,
// application tokens. It knows who owns what, and no balance.

import type { ServiceSchema } from "moleculer";
import { implement } from "../../shared/actions.ts";
import { database } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";
import { apiClientSchema, guessesSchema } from "./api-client.model.ts";
import { createClient } from "./api-clients.ts";
import { applicationTokenSchema } from "./application-token.model.ts";
import {
  claimToken,
  createApplicationToken,
  listApplicationTokens,
  releaseToken,
} from "./application-tokens.ts";
import { createBusiness, createEntity, entityView, findEntity, listEntities } from "./entities.ts";
import { entitySchema } from "./entity.model.ts";
import { linkedAccountSchema } from "./linked-account.model.ts";
import {
  linkAccount,
  linkedAccountView,
  openInstrument,
  payoutDestinations,
  unlinkAccount,
} from "./linked-accounts.ts";
import { issueToken } from "./oauth.ts";

export default function accounts(config: Config): ServiceSchema {
  const { models, open, close, ping } = database(config, "accounts", {
    entities: entitySchema,
    api_clients: apiClientSchema,
    client_guesses: guessesSchema,
    linked_accounts: linkedAccountSchema,
    application_tokens: applicationTokenSchema,
  });

  return {
    name: "accounts",

    actions: implement("accounts", {
      async ready() {
        await ping();
        return {};
      },

      async createBusiness(params) {
        const business = await createBusiness(models.entities, params);
        const client = await createClient(models.api_clients, business._id);
        const { id, createdAt } = entityView(business);
        return { id, ...params, ...client, createdAt };
      },

      issueToken: (params) => issueToken(config, models, params),

      async createEntity(params) {
        return entityView(await createEntity(models.entities, params));
      },

      entities: (params) => listEntities(models.entities, params),

      async entity(params) {
        return entityView(await findEntity(models.entities, params));
      },

      async linkAccount(params, context) {
        return linkedAccountView(
          await linkAccount(config, models.linked_accounts, context, params),
        );
      },

      async unlinkAccount(params) {
        await unlinkAccount(models.linked_accounts, params);
        return { id: params.linkedAccountId };
      },

      createApplicationToken: (params, context) => createApplicationToken(models, context, params),

      applicationTokens: (params) => listApplicationTokens(models, params),

      payoutDestinations: (params) => payoutDestinations(models.linked_accounts, params),

      instrument: (params) => openInstrument(config, models.linked_accounts, params),

      claimToken: (params) => claimToken(models.application_tokens, params),

      async releaseToken(params) {
        await releaseToken(models.application_tokens, params);
        return {};
      },
    }),

    started: open,
    stopped: close,
  };
}
