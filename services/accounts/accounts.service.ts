// The accounts service: businesses and end users, API clients and their tokens, linked accounts,
// application tokens. It stores owners, but no balances.

import type { ServiceSchema } from "moleculer";
import { systemClock } from "../../shared/clock.ts";
import type { ConfigOf } from "../../shared/config/config.ts";
import { idMaker } from "../../shared/ids.ts";
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
  tokensFrom,
  updateClient,
} from "./api-clients.ts";
import {
  claimToken,
  createApplicationToken,
  listApplicationTokens,
  releaseToken,
} from "./application-tokens.ts";
import { createDeps } from "./assembly.ts";
import { beginAudit, endAudit, listAudit } from "./audit-log.ts";
import {
  freeze,
  listControls,
  readControls,
  readLimits,
  setControls,
  setLimits,
} from "./controls.ts";
import type { Deps, Environment } from "./deps.ts";
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
import { findByEmail } from "./find-by-email.ts";
import { linkInternational } from "./international.ts";
import {
  linkAccount,
  openInstrument,
  payoutDestinations,
  renameAccount,
  unlinkAccount,
} from "./linked-accounts.ts";
import { findParties } from "./lists/find-parties.ts";
import { listOfBusiness, listOfCaller } from "./lists/listing.ts";
import { issueToken } from "./oauth.ts";
import { readParties, readPayees } from "./parties.ts";
import { schemas } from "./schemas.ts";
import { businessViews, externalViews } from "./views.ts";

/** @param overrides replacements of dependencies, for tests */
export default defineService(function accounts(
  config: ConfigOf<"accounts">,
  overrides: Partial<Pick<Environment, "clock">> = {},
): ServiceSchema {
  const { clock = systemClock } = overrides;
  const db = database(config, "accounts", schemas);
  const models = {
    ...db.models,
    entities: new Records(db.models.entities, { externalIdentifier: "DUPLICATE_EXTERNAL_ID" }),
    api_clients: new Records(db.models.api_clients),
    application_tokens: new Records(db.models.application_tokens),
    audit_log: new Records(db.models.audit_log),
  };
  const { entities, api_clients, application_tokens, audit_log } = models;
  const keys = () => db.collection("account_idempotency_keys");
  const keepAnswers = createKeepAnswers(config, keys, config);
  let deps: Deps;

  /** Runs an action of a business that exists. @throws BUSINESS_NOT_FOUND */
  function ofBusiness<P extends { businessId: string }, R>(
    run: (deps: Deps, params: P) => Promise<R>,
  ): (params: P) => Promise<R> {
    return async (params) => {
      await findBusiness(deps, params);
      return run(deps, params);
    };
  }

  return {
    name: "accounts",

    mixins: [withDatabase(db), withRecords(entities, api_clients, application_tokens, audit_log)],

    // Contracts: shared/contracts/{accounts,application-tokens,audit-log,linked-*}.ts
    actions: implement("accounts", clock, keepAnswers, {
      createBusiness: (params, _context, creation) => createBusiness(deps, params, creation),

      businesses: (params) => listBusinesses(deps, params),

      whereIs: ({ id }) => {
        const documents = db.collection("entities");
        return findThing(id, [
          { kind: "business", documents, filter: { entityType: "BUSINESS" } },
          { kind: "entity", documents, filter: { entityType: "USER" } },
          { kind: "api-client", documents: db.collection("api_clients") },
          { kind: "linked-account", documents: db.collection("linked_accounts") },
        ]);
      },

      whereAre: (params) => findByEmail(deps, params),

      business: (params) => findBusiness(deps, params),

      async createClient(params, _context, creation) {
        await findBusiness(deps, params);
        return createClient(deps, params, creation);
      },

      clients: ofBusiness(listClients),

      client: (params) => findClient(deps, params),

      updateClient: (params) => updateClient(deps, params),

      rotateClientSecret: (params, _context, creation) => rotateSecret(deps, params, creation),

      tokensFrom: (params) => tokensFrom(deps, params),

      issueToken: (params) => issueToken(deps, params),

      controls: ofBusiness(readControls),

      setControls: ofBusiness(setControls),

      limits: ofBusiness(readLimits),

      setLimits: ofBusiness(setLimits),

      freeze: (params) => freeze(deps, params),

      changedControls: (params) => listControls(deps, params),

      createEntity: (params, _context, creation) => createEntity(deps, params, creation),

      entities: (params) => listEntities(deps, params),

      entity: (params) => findEntity(deps, params),

      businessOf: (params) => findOwningBusiness(deps, params),

      linkAccount: (params, context, creation) => linkAccount(deps, context, params, creation),

      linkInternational: (params, context, creation) =>
        linkInternational(deps, context, context.meta.actor, params, creation),

      renameLinkedAccount: (params) => renameAccount(deps, params),

      unlinkAccount: (params) => unlinkAccount(deps, params),

      async linkedAccounts(params, context) {
        const { accounts: found, meta } = await listOfBusiness(deps, params);
        return { items: await businessViews(deps, context, found), meta };
      },

      async externalLinkedAccounts(params, { meta: { actor } }) {
        const { accounts: found, meta } = await listOfCaller(deps, actor, params);
        return { items: externalViews(deps, found), meta };
      },

      createApplicationToken: (params, context, creation) =>
        createApplicationToken(deps, context, params, creation),

      applicationTokens: (params) => listApplicationTokens(deps, params),

      beginAudit: (params, { meta: { actor } }) => beginAudit(deps, params, actor),

      endAudit: (params) => endAudit(deps, params),

      auditLog: (params) => listAudit(deps, params),

      payoutDestinations: (params) => payoutDestinations(deps, params),

      instrument: (params) => openInstrument(deps, params),

      claimToken: (params) => claimToken(deps, params),

      async releaseToken(params) {
        await releaseToken(deps, params);
        return {};
      },

      parties: (params) => readParties(deps, params),

      payees: (params) => readPayees(deps, params),

      findParties: (params) => findParties(deps, params),

      endUsersWith: async (params) => ({ ids: await endUsersWith(deps, params) }),

      exportEntity: (params, context) => exportEntity(deps, context, params),

      eraseEntity: (params, { broker }) => eraseEntity(deps, broker, params),
    }),

    started() {
      deps = createDeps({
        clock,
        newId: idMaker(clock),
        models,
        config,
        log: this.logger,
      });
    },
  };
});
