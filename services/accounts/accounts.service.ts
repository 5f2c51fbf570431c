// The accounts service: businesses and end users, API clients and their tokens, linked accounts,
// application tokens. It knows who owns what, and no balance.

import type { ServiceSchema } from "moleculer";
import { implement } from "../../shared/actions.ts";
import { database } from "../../shared/database.ts";
import type { Config } from "../../shared/env.ts";
import { defineService } from "../../shared/service.ts";
import { apiClientSchema, guessesSchema } from "./api-client.model.ts";
import {
  createClient,
  findClient,
  listClients,
  rotateSecret,
  setClientDisabled,
  tokensFrom,
} from "./api-clients.ts";
import { applicationTokenSchema } from "./application-token.model.ts";
import {
  claimToken,
  createApplicationToken,
  listApplicationTokens,
  releaseToken,
} from "./application-tokens.ts";
import {
  createBusiness,
  createEntity,
  entityView,
  findBusiness,
  findBusinessOf,
  findEntity,
  listBusinesses,
  listEntities,
  requireBusiness,
} from "./entities.ts";
import { entitySchema } from "./entity.model.ts";
import { linkInternational } from "./international.ts";
import { linkedAccountSchema, listCountSchema } from "./linked-account.model.ts";
import {
  linkAccount,
  linkedAccountView,
  openInstrument,
  payoutDestinations,
  renameAccount,
  unlinkAccount,
} from "./linked-accounts.ts";
import { listOfBusiness, listOfCaller } from "./listing.ts";
import { issueToken } from "./oauth.ts";
import { createOpener, type Opener } from "./opening.ts";
import { businessViews, externalViews } from "./views.ts";

export default defineService(function accounts(config: Config): ServiceSchema {
  const { models, open, close, ping } = database(config, "accounts", {
    entities: entitySchema,
    api_clients: apiClientSchema,
    client_guesses: guessesSchema,
    linked_accounts: linkedAccountSchema,
    linked_account_counts: listCountSchema,
    application_tokens: applicationTokenSchema,
  });

  let opener: Opener;

  return {
    name: "accounts",

    // Contracts: shared/contracts/{accounts,linked-accounts,linked-account-lists}.ts
    actions: implement("accounts", {
      async ready() {
        await ping();
        return {};
      },

      createBusiness: (params) => createBusiness(models.entities, models.api_clients, params),

      businesses: (params) => listBusinesses(models.entities, params),

      business: (params) => findBusiness(models.entities, params),

      async createClient(params) {
        await requireBusiness(models.entities, params.businessId);
        return createClient(models.api_clients, params);
      },

      async clients(params) {
        await requireBusiness(models.entities, params.businessId);
        return listClients(models.api_clients, params);
      },

      client: (params) => findClient(models.api_clients, params),

      updateClient: (params) => setClientDisabled(models.api_clients, params),

      rotateClientSecret: (params) => rotateSecret(models.api_clients, params),

      tokensFrom: (params) => tokensFrom(models.api_clients, params),

      issueToken: (params) => issueToken(config, models, params),

      async createEntity(params) {
        return entityView(await createEntity(models.entities, params));
      },

      entities: (params) => listEntities(models.entities, params),

      async entity(params) {
        return entityView(await findEntity(models.entities, params));
      },

      async businessOf({ entityId }) {
        return { businessId: await findBusinessOf(models.entities, entityId) };
      },

      async linkAccount(params, context) {
        return linkedAccountView(
          await linkAccount(config, models.linked_accounts, context, params),
        );
      },

      async linkInternational(params, context) {
        const { actor } = context.meta;
        const linked = await linkInternational(config, models, context, actor, params);
        return { id: linked._id };
      },

      async renameLinkedAccount(params) {
        return linkedAccountView(await renameAccount(models.linked_accounts, params));
      },

      async unlinkAccount(params) {
        await unlinkAccount(models.linked_accounts, params);
        return { id: params.linkedAccountId };
      },

      async linkedAccounts(params, context) {
        const { accounts: found, meta } = await listOfBusiness(models, params);
        return { items: await businessViews(config, opener, models, context, found), meta };
      },

      async externalLinkedAccounts(params, { meta: { actor } }) {
        const { accounts: found, meta } = await listOfCaller(models, actor, params);
        return { items: externalViews(config, opener, found), meta };
      },

      createApplicationToken: (params, context) => createApplicationToken(models, context, params),

      applicationTokens: (params) => listApplicationTokens(models, params),

      payoutDestinations: (params) => payoutDestinations(opener, models.linked_accounts, params),

      instrument: (params) => openInstrument(config, models.linked_accounts, params),

      claimToken: (params) => claimToken(models.application_tokens, params),

      async releaseToken(params) {
        await releaseToken(models.application_tokens, params);
        return {};
      },
    }),

    async started() {
      opener = createOpener(config, (message) => this.logger.warn(message));
      await open();
    },

    stopped: close,
  };
});
