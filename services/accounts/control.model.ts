// What operators have stopped: businesses, wallets and people, by their ids. A document stays after
// a release, so that the services that follow the changes hear of it.

import { Schema } from "mongoose";
import type { Control, LIMIT_SETTERS, PayoutLimit } from "../../shared/contracts/controls.ts";

export interface StoredControl extends Pick<Control, "status" | "frozen" | "businessId"> {
  _id: string;
  /** Of a business, by who has set them. */
  limits?: Partial<Record<(typeof LIMIT_SETTERS)[number], PayoutLimit[]>>;
  /** By the database's clock. */
  changedAt: Date;
}

export const controlSchema = new Schema<StoredControl>(
  {
    _id: String,
    businessId: String,
    status: String,
    frozen: Boolean,
    limits: Object,
    changedAt: Date,
  },
  { versionKey: false },
);
/** The changes in their order. */
export const BY_CHANGE = { changedAt: 1, _id: 1 } as const;
controlSchema.index(BY_CHANGE);
