// API clients of businesses, and how often their secrets were guessed wrong.

import { Schema } from "mongoose";

export interface ApiClient {
  /** The client_id. */
  _id: string;
  businessId: string;
  /** SHA-256 of the secret, in base64url: 256 random bits need no slower one. */
  secretHash: string;
  createdAt: Date;
}

export const apiClientSchema = new Schema<ApiClient>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    secretHash: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { versionKey: false },
);

/** Wrong secrets of one client from one address in one window. */
export interface Guesses {
  /** Client and address. */
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
// Forgets windows that are over (TTL).
guessesSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
