// payrail verify: says whether the signature of a received message holds, and why not.

import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { WebhookSignatureError } from "../errors.ts";
import { verifyWebhook } from "../signature.ts";
import { type Command, coloured, Failure, type Given, UsageError } from "./command.ts";

export const verify: Command = {
  summary: "Check the signature of a received webhook message",
  help: `payrail verify [file] --header 'webhook-id: …' --header 'webhook-timestamp: …' \\
  --header 'webhook-signature: …'

Checks the body in the file, or on standard input, against its headers with PAYRAIL_WEBHOOK_SECRET,
the endpoint's secret; two with a space between them while you change it. The body must be the bytes
as they were received.

  --header  one of the three headers of the message
  --json    the outcome as JSON
`,
  options: { header: { type: "string", multiple: true } },

  async run({ values, positionals, print }: Given): Promise<void> {
    const secrets = (process.env.PAYRAIL_WEBHOOK_SECRET ?? "").split(" ").filter(Boolean);
    if (secrets.length === 0) throw new UsageError("PAYRAIL_WEBHOOK_SECRET is not set");
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UsageError("Name one file at most");
    const headers = readHeaders(values.header);
    const body = file === undefined ? await buffer(process.stdin) : readBody(file);
    try {
      const { id, sentAt, eventType, status } = verifyWebhook(body, headers, secrets);
      print(
        `${coloured("green", "Valid")}: ${eventType} ${status}, ${id}, ${sentAt.toISOString()}`,
        {
          valid: true,
          id,
          sentAt,
          eventType,
          status,
        },
      );
    } catch (error) {
      if (!(error instanceof WebhookSignatureError)) throw error;
      const { code, message } = error;
      print(`${coloured("red", "Not valid")} (${code}): ${message}`, {
        valid: false,
        code,
        message,
      });
      throw new Failure("");
    }
  },
};

function readBody(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new UsageError(`${file} cannot be read`);
  }
}

function readHeaders(given: Given["values"][string]): Record<string, string> {
  const lines = Array.isArray(given) ? given.map(String) : [];
  const pairs = lines.map((line) => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new UsageError("--header must be 'name: value'");
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  });
  return Object.fromEntries(pairs);
}
