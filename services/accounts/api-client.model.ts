// API clients of businesses, and the counts of wrong secrets.

import { Schema } from "mongoose";
import { SCOPES, type Scope } from "../../shared/contracts/accounts.ts";

export interface ApiClient {
  /** The client_id. */
  _id: string;
  businessId: string;
  name?: string;
  scopes: Scope[];
  /** The ranges of addresses (CIDR) from which it may be used; absent or empty: any. */
  allowedAddresses?: string[];
  /** SHA-256 of the secret, in base64url: 256 random bits need no slower digest. */
  secretHash: string;
  /**
   * The time at which the client's tokens last ended, by the database's clock; epoch seconds with
   * milliseconds. A token carries the value at its issue, and a token with a lower value is
   * refused. Null while the client is disabled.
   */
  tokensFromS: number | null;
  createdAt: Date;
  rotatedAt?: Date;
}

export const apiClientSchema = new Schema<ApiClient>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    name: String,
    scopes: { type: [{ type: String, enum: SCOPES }], required: true },
    allowedAddresses: { type: [String], default: undefined },
    secretHash: { type: String, required: true },
    tokensFromS: { type: Number, default: 0 },
    createdAt: { type: Date, required: true },
    rotatedAt: Date,
  },
  { versionKey: false },
);
// The clients of a business, and their number.
apiClientSchema.index({ businessId: 1, _id: 1 });

/** Count of wrong secrets for one client from one address in one window. */
export interface Guesses {
  /** The client and the address. */
  _id: string;
  count: number;
  expiresAt: Date;
}

export const guessesSchema = new Schema<Guesses>(
  {
    _id: { type: String, required: true },
    count: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { versionKey: false },
);
// Removes ended windows (TTL).
guessesSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
