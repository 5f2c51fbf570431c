// Results of verifications. `npm run verify -- --record` inserts them with a user of its own, and
// wallet-ledger shows the last one, because a verification proves the journal and everything that
// refers to it. wallet-ledger's user may only read them.

import { Schema } from "mongoose";

export interface Verification {
  _id: string;
  startedAt: Date;
  finishedAt: Date;
  /** payrail's version of the verification. */
  version: string;
  ok: boolean;
  violationCount: number;
  /** Each rule, with the number of checked things and of violations. */
  rules: { rule: string; checked: number; violations: number }[];
  /** The first violations of each rule. */
  violations: { rule: string; detail: string }[];
}

/** The results of 400 nights. */
const KEPT_S = 400 * 86_400;

/** Only makes the collection and its index, because the driver inserts. */
export const verificationSchema = new Schema<Verification>({ _id: String }, { strict: false });
// Removes old results, and finds the last one.
verificationSchema.index({ finishedAt: 1 }, { expireAfterSeconds: KEPT_S });
