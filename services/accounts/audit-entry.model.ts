// Entries of the audit log: the changes that operators make. An entry is stored before its change
// is made, gets a status once, and is never removed.

import { Schema } from "mongoose";

export interface AuditEntry {
  /** A UUID v7. */
  _id: string;
  at: Date;
  /** The subject of the operator's access token. */
  by: string;
  action: string;
  businessId?: string;
  subjectId?: string;
  /** The parameters of the body as JSON, because any name may stand in their values. */
  request: string;
  address: string;
  requestId: string;
  /** Missing until the change's outcome is recorded. */
  status?: number;
}

export const auditEntrySchema = new Schema<AuditEntry>(
  {
    _id: { type: String, required: true },
    at: { type: Date, required: true },
    by: { type: String, required: true },
    action: { type: String, required: true },
    businessId: String,
    subjectId: String,
    request: { type: String, required: true },
    address: { type: String, required: true },
    requestId: { type: String, required: true },
    status: Number,
  },
  { versionKey: false },
);
// The changes of a business, of a thing and by an operator, newest first.
auditEntrySchema.index({ businessId: 1, _id: -1 });
auditEntrySchema.index({ subjectId: 1, _id: -1 });
auditEntrySchema.index({ by: 1, _id: -1 });
