// The documents with events that webhooks has not acknowledged.

/** A filter of a collection whose documents have events. */
export const UNSENT = { $expr: { $lt: ["$relayed", { $size: "$states" }] } };
