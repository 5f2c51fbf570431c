// A value of its own for each document of an update that many documents share. One statement with
// many values costs the database about half as much as a statement for each document.

/**
 * The expression of a document's value, for an update that is a pipeline. The value is never read
 * as an expression, whatever text it has.
 * @param values by document id; each document that the statement can match has one
 */
export function ownValue(values: Map<string, unknown>): object {
  const place = { $indexOfArray: [{ $literal: [...values.keys()] }, "$_id"] };
  return { $arrayElemAt: [{ $literal: [...values.values()] }, place] };
}
