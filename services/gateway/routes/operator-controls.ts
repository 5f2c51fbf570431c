// Operators stop a business, a wallet or a person, and let them go on.

import { controlling } from "../../../shared/contracts/controls.ts";

import { id } from "../../../shared/contracts/fields.ts";
import { ADMIN, type Route, route } from "../http/route.ts";
import { noted } from "./operators.ts";

const BUSINESS = "/v1/admin/businesses/:businessId";
const freeze = controlling["accounts.freeze"];
const { subjectId: _subject, ...freezing } = freeze.params;

export const operatorControlRoutes: Route[] = [
  route(`GET ${BUSINESS}/controls`, ADMIN, "getControls", "accounts.controls"),
  noted(`PUT ${BUSINESS}/controls`, "setControls", controlling["accounts.setControls"], (params, call) =>
    call("accounts.setControls", params),
  ),
  noted(
    `PUT ${BUSINESS}/wallets/:walletId/freeze`,
    "freezeWallet",
    {
      ...freeze,
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
      params: { ...freezing, entityId: id({ note: "The id of the end user" }) },
      errors: ["ENTITY_NOT_FOUND"] as const,
    },
    async ({ businessId, entityId, frozen }, call) => {
      const { id: subjectId } = await call("accounts.entity", { businessId, entityId });
      return call("accounts.freeze", { businessId, subjectId, frozen });
    },
  ),
];
