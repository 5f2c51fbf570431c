// Contracts of payment-links.

import { object } from "../fields.ts";
import { action } from "./contract.ts";

export const paymentLinks = {
  "payment-links.ready": action({
    does: "Answers while the service and its database work",
    params: {},
    result: object({}),
  }),
};
