// Index options that several collections use. MongoDB refuses an index whose options differ from
// those of the existing one, so a change here would fail the start on an existing database.

/** The options of an index of the documents that have a field. */
export const whereSet = (field: string) => ({
  partialFilterExpression: { [field]: { $exists: true } },
});
