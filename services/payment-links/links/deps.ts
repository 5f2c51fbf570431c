// The dependencies of links, as types; the service's assembly.ts makes them.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { Currency } from "../../../shared/money.ts";
import type { Caller } from "../../../shared/rpc/actions.ts";
import type { Controls } from "../../../shared/rpc/controls.ts";
import type { PaymentLink } from "./link.model.ts";
import type { CheckLinkRequest } from "./link-request.ts";

export interface LinkDeps {
  clock: Clock;
  config: ConfigOf<"payment-links">;
  /** What operators have stopped. */
  controls: Controls;
  links: {
    /** link-request.ts */
    checkRequest: CheckLinkRequest;
    documents: mongo.Collection<PaymentLink>;
    /** Rejects if it is unknown whether the link was inserted. */
    insert(link: PaymentLink): Promise<"inserted" | "taken">;
    findByToken(tokenHash: string): Promise<PaymentLink | null>;
    /**
     * The collection account of a business.
     * @throws NO_COLLECTION_ACCOUNT
     */
    findAccount(caller: Caller, of: { businessId: string; currency: Currency }): Promise<string>;
  };
}
