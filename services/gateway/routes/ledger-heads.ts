// Heads of the ledger: a business's for its merchant, the whole ledger's for operators, and the
// public keys of their signatures for everyone.

import { contractFor, type Result } from "../../../shared/contracts/contracts.ts";
import { ADMIN, type AnswerForm, OWN_BUSINESS, PUBLIC, type Route, route } from "../http/route.ts";

export const ownHeadRoute: Route = route(
  "GET /v1/business/:businessId/ledger-head",
  OWN_BUSINESS,
  "getLedgerHead",
  "wallet-ledger.head",
);

export const headRoute: Route = route(
  "GET /v1/admin/ledger-head",
  ADMIN,
  "getWholeLedgerHead",
  "wallet-ledger.head",
  { from: { businessId: () => undefined } },
);

/** A JWKS stands at the top level of its answer. */
const keySet: AnswerForm<Result<"wallet-ledger.headKeys">> = {
  statuses: [200],
  schema: contractFor("wallet-ledger.headKeys").result.schema,
  of: (body) => ({ status: 200, body }),
};

export const headKeysRoute: Route = route(
  "GET /.well-known/ledger-keys.json",
  PUBLIC,
  "getLedgerKeys",
  "wallet-ledger.headKeys",
  {
    answer: keySet,
    example: {
      response: {
        keys: [
          {
            kty: "EC",
            crv: "P-256",
            x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
            kid: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
            alg: "ES256",
            use: "sig",
          },
        ],
      },
    },
  },
);
