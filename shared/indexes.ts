// Index options that several collections use. An index keeps its options: MongoDB refuses to make it
// again with others, so a service with other options would not start on an existing database.

/** The options of an index of the documents that have a field. */
export const whereSet = (field: string) => ({
  partialFilterExpression: { [field]: { $exists: true } },
});
