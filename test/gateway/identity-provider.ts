// An identity provider (OpenID Connect) that misbehaves on command. It stands for the company's
// own: it knows one client, has no page, and gives a code to whoever was sent to it.

import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import jwt from "jsonwebtoken";

export interface IdentityProvider {
  /** The variables of a gateway that uses it. */
  environment: Record<string, string>;
  /**
   * Confirms a person who was sent to a URL of it.
   * @param claims of the person's ID token; they win over the right ones
   * @returns the path with which the person comes back
   */
  confirm(url: string, claims: object): string;
  /** From now on it signs with a key that it does not publish. */
  signWithStrangersKey(): void;
  /** Whether it answers every request with 503. */
  isAway: boolean;
  stop(): Promise<void>;
}

const CLIENT = { id: "payrail-console", secret: "a secret of the client" };

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
  let { privateKey } = own;
  const codes = new Map<string, { challenge: string; redirectUri: string; claims: object }>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const provider: IdentityProvider = {
    environment: {
      OPENID_ISSUER: issuer,
      OPENID_CLIENT_ID: CLIENT.id,
      OPENID_CLIENT_SECRET: CLIENT.secret,
    },
    confirm(url, claims) {
      const asked = new URL(url);
      const parameter = (name: string) => asked.searchParams.get(name) ?? "";
      expect(asked.origin + asked.pathname).toBe(`${issuer}/authorize`);
      expect(parameter("response_type")).toBe("code");
      expect(parameter("client_id")).toBe(CLIENT.id);
      expect(parameter("code_challenge_method")).toBe("S256");
      const code = randomBytes(16).toString("hex");
      const right = { iss: issuer, aud: CLIENT.id, nonce: parameter("nonce") };
      const redirectUri = parameter("redirect_uri");
      const challenge = parameter("code_challenge");
      codes.set(code, { challenge, redirectUri, claims: { ...right, ...claims } });
      const back = new URLSearchParams({ code, state: parameter("state"), iss: issuer });
      return `${new URL(redirectUri).pathname}?${back.toString()}`;
    },
    signWithStrangersKey() {
      ({ privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" }));
    },
    isAway: false,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const send = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const body = new URLSearchParams(await text(request));
    if (provider.isAway) return send(503, {});
    switch (new URL(request.url ?? "", issuer).pathname) {
      case "/.well-known/openid-configuration":
        return send(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["ES256"],
          authorization_response_iss_parameter_supported: true,
        });
      case "/keys":
        return send(200, {
          keys: [{ ...own.publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig" }],
        });
      case "/token": {
        const code = codes.get(body.get("code") ?? "");
        // A code is good for one try.
        codes.delete(body.get("code") ?? "");
        const verifier = body.get("code_verifier") ?? "";
        const challenge = createHash("sha256").update(verifier).digest("base64url");
        const isRight =
          challenge === code?.challenge && body.get("redirect_uri") === code.redirectUri;
        if (!isRight) return send(400, { error: "invalid_grant" });
        const claims = { iat: Math.floor(Date.now() / 1_000), ...code.claims };
        const expiry = "exp" in claims ? {} : { expiresIn: "5m" as const };
        const idToken = jwt.sign(claims, privateKey, { algorithm: "ES256", ...expiry });
        return send(200, { access_token: "unused", token_type: "Bearer", id_token: idToken });
      }
      default:
        return send(404, {});
    }
  }

  return provider;
}
