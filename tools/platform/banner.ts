// Prints the addresses, tokens and a first request once a development start runs.

import ansis from "ansis";
import type { Config, ConfigOf } from "../../shared/config/config.ts";
import { canSign } from "../../shared/security/jwt.ts";
import { type DemoAccess, provideDemo, untilReady } from "./demo.ts";
import { say } from "./lifetime.ts";

/** The end of the banner. */
export const LAST_LINE = "Ctrl-C stops everything.";

/** The gateway's address as it is reached from this machine. */
export function gatewayAddress({ host, port }: Pick<Config, "host" | "port">): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  return `http://${everywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

/**
 * Waits until all services are ready, makes the demo if possible, and prints the banner.
 * @param ownNats the URL of the nats-server that was started too, with the credentials of internal
 *   systems; they end with the start
 */
export async function welcome(
  config: ConfigOf<"demo">,
  ownNats: string | null = null,
): Promise<void> {
  const address = gatewayAddress(config);
  say("Waiting until all services are ready");
  await untilReady(address);
  if (config.production) {
    say(`payrail is running at ${address}`);
    return;
  }
  const demo = canSign(config) && config.sandbox ? await provideDemo(config, address) : null;
  process.stdout.write(`${banner(config, demo, ownNats)}\n`);
}

function banner(config: ConfigOf<"demo">, demo: DemoAccess | null, ownNats: string | null): string {
  const address = gatewayAddress(config);
  const name = (text: string) => ansis.dim(text.padEnd(16));
  const lines = [
    "",
    ansis.bold("payrail is running"),
    "",
    `${name("Address")}${address}`,
    `${name("Console")}${address}/console`,
    `${name("Documentation")}${address}/docs`,
  ];
  const nats = ownNats ?? (config.natsUrl && withoutCredentials(config.natsUrl));
  if (nats) lines.push(`${name("NATS")}${nats}`);
  if (demo) {
    lines.push(
      `${name("Client id")}${demo.clientId}`,
      `${name("Client secret")}${demo.clientSecret ?? secretLost(demo)}`,
      `${name("Admin token")}${demo.adminToken}`,
      `${name("Merchant token")}${demo.merchantToken}`,
      `${name("User token")}${demo.userToken}`,
      "",
      `The demo user's wallet holds ${demo.balance} USD. This withdraws 25.00 to the linked bank account:`,
      "",
      withdrawal(address, demo),
    );
  } else if (!canSign(config)) {
    lines.push(
      "",
      "Tokens are issued elsewhere: bring one that the configured key verifies, or set JWT_PRIVATE_KEY.",
    );
  } else {
    lines.push("", "No demo, because SANDBOX is false. Tokens: npm run -s token -- --help");
  }
  return [...lines, "", LAST_LINE].join("\n");
}

function secretLost({ businessId, clientId }: DemoAccess): string {
  const path = `/v1/business/${businessId}/api-clients/${clientId}`;
  return `changed since the demo was made; POST ${path}/rotate-secret with the merchant token makes another`;
}

function withoutCredentials(natsUrl: string): string {
  return natsUrl.replaceAll(/\/\/[^@,]*@/g, "//");
}

function withdrawal(address: string, { userToken, bankAccountId }: DemoAccess): string {
  const body = JSON.stringify({ amount: 25, walletType: "SPEND", reason: "My first withdrawal" });
  return [
    "curl -sS -X POST",
    `${address}/v1/ext/linked-accounts/USD/${bankAccountId}/withdrawal`,
    `-H 'Authorization: Bearer ${userToken}'`,
    "-H 'Content-Type: application/json'",
    "-H 'Prefer: handling=strict'",
    `-d '${body}'`,
  ].join(" ");
}
