// Contracts of the audit log: the changes that operators make over HTTP, and their readings of
// whole account numbers. The gateway has each one recorded before it is made, and its outcome
// afterwards.

import { object } from "./compound-fields.ts";
import { action, cursored, cursorPage } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { anyText, anything, id, integer, text, timestamp, uuid } from "./fields.ts";

const what = text({ note: "The change, by its name in the API", example: "resolveTransaction" });
const subject = "What was changed: the last id of the path, or the id of what was created";

const entry = object(
  {
    id: uuid({ note: "The id of the entry" }),
    at: timestamp({ note: "When the change was asked for" }),
    by: uuid({ note: "Who: the subject of the access token" }),
    action: what,
    businessId: nullable(text({ note: "The business, if the path names one, as it is there" })),
    subjectId: nullable(text({ note: subject })),
    request: anything({ note: "The parameters of the body, such as an outcome and a note" }),
    address: text({ note: "From where: the network address", example: "203.0.113.7" }),
    requestId: text({ note: "The X-Request-Id, which the log lines have too" }),
    status: nullable(
      integer({
        note: "The HTTP status of the answer; null while it is made, and if it was not recorded",
        example: 200,
      }),
    ),
  },
  { name: "AuditEntry", note: "A change that an operator made, or tried to make" },
);

export const auditLog = {
  "accounts.beginAudit": action({
    does: "Records a change before it is made",
    params: {
      action: what,
      businessId: optional(id()),
      subjectId: optional(anyText({ note: subject })),
      request: anyText({ note: "The parameters of the body, as JSON" }),
      address: text({ max: 64, note: "The network address of the client" }),
    },
    result: object({ id: uuid({ note: "The id of the entry" }) }),
    meta: ["actor"],
  }),

  "accounts.endAudit": action({
    does: "Records the outcome of a change",
    params: {
      id: id({ note: "The id of the entry" }),
      status: integer({ min: 100, max: 599, note: "The HTTP status of the answer" }),
      createdId: optional(anyText({ note: "The id of what was created" })),
    },
    result: object({}),
  }),

  "accounts.auditLog": action({
    does: "Lists the changes that operators have made, and their readings of whole account numbers, newest first",
    params: {
      businessId: optional(uuid({ note: "Only changes with this business in their path" })),
      subjectId: optional(text({ max: 64, note: "Only changes of the thing with this id" })),
      by: optional(uuid({ note: "Only changes by the operator with this id" })),
      ...cursored,
    },
    result: cursorPage(entry),
  }),
};
