// The documents with events that webhooks has not acknowledged, and those without. A document
// without states has no events.

const relayed = { $ifNull: ["$relayed", 0] };
const entered = { $size: { $ifNull: ["$states", []] } };

/** A filter of a collection for the documents with events to send. */
export const UNSENT = { $expr: { $lt: [relayed, entered] } };
/** A filter of a collection for the others. */
export const SENT = { $expr: { $eq: [relayed, entered] } };
