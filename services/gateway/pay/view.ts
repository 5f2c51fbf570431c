// The customer's view of a link: the data of the checkout page.

import type { Result } from "../../../shared/contracts/contracts.ts";

export type View = Result<"payment-links.checkout">;
