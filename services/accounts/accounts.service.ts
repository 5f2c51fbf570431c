// The accounts service: businesses and end users, API clients and their tokens, linked accounts,
// application tokens. It stores owners, but no balances.

import type { ServiceSchema } from "moleculer";
import { type Clock, systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import { implement } from "../../shared/rpc/actions.ts";
import { createKeepAnswers } from "../../shared/rpc/idempotency.ts";
import { defineService } from "../../shared/service.ts";
import { database, withDatabase } from "../../shared/storage/database.ts";
import { findThing } from "../../shared/storage/find.ts";
import { Records, withRecords } from "../../shared/storage/records.ts";
import {
  createClient,
  findClient,
  listClients,
  rotateSecret,
  setClientDisabled,
  tokensFrom,
} from "./api-clients.ts";
import {
  claimToken,
  createApplicationToken,
  listApplicationTokens,
  releaseToken,
} from "./application-tokens.ts";
import { beginAudit, endAudit, listAudit } from "./audit-log.ts";
import { endUsersWith } from "./end-users-with.ts";
import {
  createBusiness,
  createEntity,
  findBusiness,
  findEntity,
  findOwningBusiness,
  listBusinesses,
  listEntities,
} from "./entities.ts";
import { eraseEntity } from "./erasure.ts";
import { exportEntity } from "./export.ts";
import { linkInternational } from "./international.ts";
import {
  linkAccount,
  openInstrument,
  payoutDestinations,
  renameAccount,
  unlinkAccount,
} from "./linked-accounts.ts";
import { listOfBusiness, listOfCaller } from "./listing.ts";
import { issueToken } from "./oauth.ts";
import { createOpener, type Opener } from "./opening.ts";
import { schemas } from "./schemas.ts";
import { businessViews, externalViews } from "./views.ts";

/** @param clock by which an erasure waits for requests that began before it; replaced by tests */
export default defineService(function accounts(
  config: ConfigOf<"accounts">,
  clock: Pick<Clock, "sleep"> = systemClock,
): ServiceSchema {
  const db = database(config, "accounts", schemas);
  const entities = new Records(db.models.entities, {
    externalIdentifier: "DUPLICATE_EXTERNAL_ID",
  });
  const clients = new Records(db.models.api_clients);
  const tokens = new Records(db.models.application_tokens);
  const audit = new Records(db.models.audit_log);
  const models = { ...db.models, entities, api_clients: clients, application_tokens: tokens };
  const linkedAccounts = db.models.linked_accounts;
  const keys = () => db.collection("account_idempotency_keys");
  const keepAnswers = createKeepAnswers(config, keys, config);

  let opener: Opener;

  return {
    name: "accounts",

    mixins: [withDatabase(db), withRecords(entities, clients, tokens, audit)],

    // Contracts: shared/contracts/{accounts,application-tokens,audit-log,linked-*}.ts
    actions: implement("accounts", keepAnswers, {
      createBusiness: (params, _context, making) =>
        createBusiness(entities, clients, params, making),

      businesses: (params) => listBusinesses(entities, params),

      whereIs: ({ id }) => {
        const documents = db.collection("entities");
        return findThing(id, [
          { kind: "business", documents, filter: { entityType: "BUSINESS" } },
          { kind: "entity", documents, filter: { entityType: "USER" } },
          { kind: "api-client", documents: db.collection("api_clients") },
          { kind: "linked-account", documents: db.collection("linked_accounts") },
        ]);
      },

      business: (params) => findBusiness(entities, params),

      async createClient(params, _context, making) {
        await findBusiness(entities, params);
        return createClient(clients, params, making);
      },

      async clients(params) {
        await findBusiness(entities, params);
        return listClients(clients, params);
      },

      client: (params) => findClient(clients, params),

      updateClient: (params) => setClientDisabled(clients, params),

      rotateClientSecret: (params, _context, making) => rotateSecret(clients, params, making),

      tokensFrom: (params) => tokensFrom(clients, params),

      issueToken: (params) => issueToken(config, models, params),

      createEntity: (params, _context, making) => createEntity(entities, params, making),

      entities: (params) => listEntities(entities, params),

      entity: (params) => findEntity(entities, params),

      businessOf: (params) => findOwningBusiness(entities, params),

      linkAccount: (params, context, making) =>
        linkAccount(config, linkedAccounts, context, params, making),

      linkInternational: (params, context, making) =>
        linkInternational(config, models, context, context.meta.actor, params, making),

      renameLinkedAccount: (params) => renameAccount(linkedAccounts, params),

      unlinkAccount: (params) => unlinkAccount(linkedAccounts, params),

      async linkedAccounts(params, context) {
        const { accounts: found, meta } = await listOfBusiness(models, params);
        return { items: await businessViews(config, opener, models, context, found), meta };
      },

      async externalLinkedAccounts(params, { meta: { actor } }) {
        const { accounts: found, meta } = await listOfCaller(models, actor, params);
        return { items: externalViews(config, opener, found), meta };
      },

      createApplicationToken: (params, context, making) =>
        createApplicationToken(models, context, params, making),

      applicationTokens: (params) => listApplicationTokens(models, params),

      beginAudit: (params, { meta: { actor } }) => beginAudit(audit, params, actor),

      endAudit: (params) => endAudit(audit, params),

      auditLog: (params) => listAudit(audit, params),

      payoutDestinations: (params) => payoutDestinations(opener, linkedAccounts, params),

      instrument: (params) => openInstrument(config, linkedAccounts, params),

      claimToken: (params) => claimToken(tokens, params),

      async releaseToken(params) {
        await releaseToken(tokens, params);
        return {};
      },

      endUsersWith: async (params) => ({ ids: await endUsersWith(models.entities, params) }),

      exportEntity: (params, context) => exportEntity(config, opener, models, context, params),

      eraseEntity: (params, { broker: caller }) =>
        eraseEntity({ config, caller, sleep: clock.sleep }, models, params),
    }),

    started() {
      opener = createOpener(config, (message) => this.logger.warn(message));
    },
  };
});
