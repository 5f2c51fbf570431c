// The actions that export and erase the personal data of customers, and of the end users that
// created links. Contracts: shared/contracts/personal-data.ts.

import type { Handlers } from "../../../shared/rpc/actions.ts";
import type { Deps } from "../assembly.ts";
import { eraseCustomer } from "../customers/erasure.ts";
import { exportCustomer } from "../customers/export.ts";
import { eraseLinks, exportLinks } from "../customers/links-of.ts";
import type { LinkModels } from "../links/links.ts";

/** @param deps the dependencies of the started service */
export function customerActions(deps: () => Deps, models: LinkModels) {
  return {
    exportCustomer: (params, context) => exportCustomer(deps(), context, params),

    eraseCustomer: (params, context) => eraseCustomer(deps(), context, params),

    linksOf: (params) => exportLinks(deps(), models, params),

    eraseLinksOf: (params) => eraseLinks(deps(), params),
  } satisfies Partial<Handlers<"payment-links">>;
}
