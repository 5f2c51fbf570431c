// Operators stop a business, a wallet or a person, let them go on, and limit what is paid out; a
// business sets limits of its own.

import { controlling } from "../../../shared/contracts/controls.ts";
import { optional } from "../../../shared/contracts/field.ts";
import { id, uuid } from "../../../shared/contracts/fields.ts";
import { payouts } from "../../../shared/contracts/payouts.ts";
import { errorType } from "../../../shared/errors.ts";
import {
  ADMIN,
  type Call,
  composed,
  OWN_BUSINESS,
  ownBusinessWith,
  type Route,
  route,
} from "../http/route.ts";
import { noted } from "./operators.ts";

const BUSINESS = "/v1/admin/businesses/:businessId";
const freeze = controlling["accounts.freeze"];
const { subjectId: _subject, ...freezing } = freeze.params;
const HOLDS = "It holds over all replicas within five seconds";

const { by: _reader, ...reading } = controlling["accounts.limits"].params;
const { by: _setter, ...setting } = controlling["accounts.setLimits"].params;
const readLimits = { ...controlling["accounts.limits"], params: reading };
const setLimits = { ...controlling["accounts.setLimits"], params: setting };
const ofBusiness = { does: "Shows the limits that the business itself has set" };
const ofOperator = { does: "Shows the limits that operators have set for a business" };

const used = {
  ...payouts["payouts.limitsOf"],
  params: {
    ...reading,
    entityId: optional(uuid({ note: "The end user; the business itself if left out" })),
  },
  does: "Shows all limits of what a business or an end user can pay out, with what is left of each",
  errors: ["BUSINESS_NOT_FOUND" as const],
};

async function isEndUser(owner: { businessId: string; entityId: string }, call: Call) {
  try {
    await call("accounts.entity", owner);
    return true;
  } catch (error) {
    if (errorType(error) !== "ENTITY_NOT_FOUND") throw error;
    return false;
  }
}

/** The limits that the business sets for itself; those of the operator hold too. */
export const ownLimitRoutes: Route[] = [
  composed(
    "GET /v1/business/:businessId/limits",
    OWN_BUSINESS,
    "getLimits",
    { ...readLimits, ...ofBusiness },
    (params, call) => call("accounts.limits", { ...params, by: "merchant" }),
  ),
  composed(
    "PUT /v1/business/:businessId/limits",
    ownBusinessWith("payouts"),
    "setLimits",
    setLimits,
    (params, call) => call("accounts.setLimits", { ...params, by: "merchant" }),
  ),
];

export const operatorControlRoutes: Route[] = [
  composed(
    `GET ${BUSINESS}/limits`,
    ADMIN,
    "getLimitsAsAdmin",
    { ...readLimits, ...ofOperator },
    (params, call) => call("accounts.limits", { ...params, by: "operator" }),
  ),
  noted(`PUT ${BUSINESS}/limits`, "setLimitsAsAdmin", setLimits, (params, call) =>
    call("accounts.setLimits", { ...params, by: "operator" }),
  ),
  composed(
    `GET ${BUSINESS}/withdrawal-limits`,
    ADMIN,
    "listWithdrawalLimitsAsAdmin",
    used,
    async ({ businessId, entityId }, call) => {
      await call("accounts.business", { businessId });
      const owner = { businessId, entityId: entityId ?? businessId };
      const left = await call("payouts.limitsOf", owner);
      return owner.entityId === businessId || (await isEndUser(owner, call)) ? left : [];
    },
  ),
  route(`GET ${BUSINESS}/controls`, ADMIN, "getControls", "accounts.controls"),
  noted(
    `PUT ${BUSINESS}/controls`,
    "setControls",
    controlling["accounts.setControls"],
    (params, call) => call("accounts.setControls", params),
  ),
  noted(
    `PUT ${BUSINESS}/wallets/:walletId/freeze`,
    "freezeWallet",
    {
      ...freeze,
      does: `Freezes a wallet, or lifts the freeze. ${HOLDS}`,
      params: { ...freezing, walletId: id({ note: "The id of the wallet" }) },
      errors: ["WALLET_NOT_FOUND"] as const,
    },
    async ({ businessId, walletId, frozen }, call) => {
      const { id: subjectId } = await call("wallet-ledger.wallet", { businessId, walletId });
      return call("accounts.freeze", { businessId, subjectId, frozen });
    },
  ),
  noted(
    `PUT ${BUSINESS}/entities/:entityId/freeze`,
    "freezeEntity",
    {
      ...freeze,
      does: `Freezes an end user, or lifts the freeze. ${HOLDS}`,
      params: { ...freezing, entityId: id({ note: "The id of the end user" }) },
      errors: ["ENTITY_NOT_FOUND"] as const,
    },
    async ({ businessId, entityId, frozen }, call) => {
      const { id: subjectId } = await call("accounts.entity", { businessId, entityId });
      return call("accounts.freeze", { businessId, subjectId, frozen });
    },
  ),
];
