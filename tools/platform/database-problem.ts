// Database errors that an operator can fix, each as one sentence with its cause.

const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;

/** One sentence about an error of the database; null for any other error. */
export async function databaseProblem(error: unknown): Promise<string | null> {
  // Loaded only here, because a gateway has no database and is smaller without it.
  const { default: mongoose } = await import("mongoose");
  const { MongoError, MongoNetworkError, MongoServerSelectionError } = mongoose.mongo;
  if (!(error instanceof MongoError) && !(error instanceof mongoose.MongooseError)) return null;
  const reason = (error.message.split("\n")[0] as string).replace(/\.$/, "");
  const { code } = error as { code?: unknown };
  if (code === UNAUTHORIZED) return refusedRight(reason);
  if (code === AUTHENTICATION_FAILED) return `MongoDB refuses the credentials: ${reason}.`;
  const isUnreachable =
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof mongoose.Error.MongooseServerSelectionError;
  return isUnreachable ? `MongoDB cannot be reached: ${reason}.` : null;
}

/** MongoDB's own text goes on with the whole command, which may be long and personal. */
function refusedRight(reason: string): string {
  // A command without a collection has a number in place of its name.
  const named = /^not authorized on (\S+) to execute command \{ (\w+): (?:"([^"]+)")?/.exec(reason);
  const [, database, command, collection] = named ?? [];
  const place = collection === undefined ? database : `${database}.${collection}`;
  const right = named ? `the right to ${command} in ${place}` : `this: ${reason}`;
  return `MongoDB refuses its user ${right}; see docs/operate/install.md, MongoDB users.`;
}

/** Whether MongoDB answered and refused the credentials of the URL. */
export function isRefusal(error: unknown): boolean {
  return (error as { code?: unknown }).code === AUTHENTICATION_FAILED;
}
