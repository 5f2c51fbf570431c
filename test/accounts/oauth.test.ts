// Access tokens for API clients: the client credentials grant (RFC 6749, 4.4) in the accounts
// service.

import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import jwt from "jsonwebtoken";
import mongoose from "mongoose";
import accounts from "../../services/accounts/accounts.service.ts";
import walletLedger from "../../services/wallet-ledger/wallet-ledger.service.ts";
import type { Params } from "../../shared/contracts/contracts.ts";
import { newId } from "../../shared/ids.ts";
import { type Business, createBusiness, createUser, failure } from "../support/accounts.ts";
import { privatePem, type System, startSystem } from "../support/system.ts";

let system: System;
let database: mongoose.Connection;
let business: Business;
beforeAll(async () => {
  system = await startSystem([accounts, walletLedger]);
  database = await mongoose.createConnection(system.config.mongoUrl as string).asPromise();
});
beforeEach(async () => {
  business = await createBusiness(system);
});
afterAll(async () => {
  await database.close();
  await system.stop();
});

type Request = Omit<Params<"accounts.issueToken">, "address">;

/** Asks with the business's own credentials, unless overridden. */
function ask(overrides: Request = {}, { address = "203.0.113.1", on = system } = {}) {
  const { clientId, clientSecret } = business;
  const grant = { grantType: "client_credentials", clientId, clientSecret };
  return on.call("accounts.issueToken", { ...grant, ...overrides, address });
}

function verified(token: string, key: KeyObject | string, algorithm: jwt.Algorithm) {
  const options = { algorithms: [algorithm], issuer: "payrail", audience: "payrail" };
  return jwt.verify(token, key, options) as jwt.JwtPayload;
}

function publicKey({ config }: System): KeyObject {
  return createPublicKey(privatePem(config));
}

const invalidClient = failure("INVALID_CLIENT", "invalid_client");

describe("a token", () => {
  test("is the business's for an hour, with every required claim", async () => {
    const answer = await ask();
    expect(answer).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3_600,
      scope: "external.apis",
    });
    const { header } = jwt.decode(answer.access_token, { complete: true }) as jwt.Jwt;
    const jwk = publicKey(system).export({ format: "jwk" });
    expect(header).toEqual({ alg: "ES256", typ: "JWT", kid: await calculateJwkThumbprint(jwk) });
    const claims = verified(answer.access_token, publicKey(system), "ES256");
    expect(claims).toEqual({
      iss: "payrail",
      aud: "payrail",
      sub: business.id,
      role: "merchant",
      scope: "external.apis",
      client_id: business.clientId,
      client_tokens_from: 0,
      iat: expect.any(Number),
      exp: (claims.iat as number) + 3_600,
    });
  });

  test("is an end user's if the subject names that user", async () => {
    const user = await createUser(system, business.id);
    const { access_token } = await ask({ subject: user.id });
    expect(verified(access_token, publicKey(system), "ES256")).toMatchObject({
      sub: user.id,
      role: "user",
    });
  });

  test("is refused for a user of another business, like for an unknown one", async () => {
    const other = await createBusiness(system);
    const theirs = await createUser(system, other.id);
    for (const subject of [theirs.id, other.id, business.id, newId(), "no-uuid", "$ne"]) {
      await expect(ask({ subject })).rejects.toEqual(failure("INVALID_GRANT", "invalid_grant"));
    }
  });

  test("has the requested scopes, once each, and no unknown ones", async () => {
    await expect(ask({ scope: "external.apis external.apis" })).resolves.toMatchObject({
      scope: "external.apis",
    });
    for (const scope of ["admin", "external.apis admin", "external", " external.apis", " "]) {
      await expect(ask({ scope })).rejects.toEqual(failure("INVALID_SCOPE", "invalid_scope"));
    }
  });

  test("is granted with empty parameters, which count as absent", async () => {
    const answer = await ask({ scope: "", subject: "" });
    expect(verified(answer.access_token, publicKey(system), "ES256").sub).toBe(business.id);
  });
});

describe("a request", () => {
  test("without a grant type, or with a parameter that is no text, is invalid", async () => {
    const invalidRequest = failure("INVALID_REQUEST", "invalid_request");
    for (const grantType of [undefined, "", null, 7]) {
      await expect(ask({ grantType })).rejects.toEqual(invalidRequest);
    }
    const twice = ["a", "b"];
    const operator = { $ne: "" };
    for (const value of [twice, operator, null, 7, true]) {
      for (const name of ["grantType", "clientId", "clientSecret", "scope", "subject"]) {
        await expect(ask({ [name]: value })).rejects.toEqual(invalidRequest);
      }
    }
  });

  test("for another grant is not supported", async () => {
    for (const grantType of ["password", "authorization_code", "CLIENT_CREDENTIALS"]) {
      await expect(ask({ grantType })).rejects.toEqual(
        failure("UNSUPPORTED_GRANT_TYPE", "unsupported_grant_type"),
      );
    }
  });

  test("needs the client's own secret", async () => {
    const other = await createBusiness(system);
    for (const clientSecret of [
      undefined,
      "",
      "wrong",
      other.clientSecret,
      business.clientSecret.slice(1),
    ]) {
      await expect(ask({ clientSecret })).rejects.toEqual(invalidClient);
    }
    for (const clientId of [undefined, "", "unknown", newId(), business.id, other.clientId]) {
      await expect(ask({ clientId })).rejects.toEqual(invalidClient);
    }
  });
});

describe("secrets", () => {
  test("are 256 random bits, and absent from the database", async () => {
    expect(Buffer.from(business.clientSecret, "base64url")).toHaveLength(32);
    const stored = await database.collection("api_clients").find().toArray();
    expect(JSON.stringify(stored)).toContain(business.clientId);
    expect(JSON.stringify(stored)).not.toContain(business.clientSecret);
  });

  test("with ten wrong guesses are refused to that address, on any replica", async () => {
    const url = system.config.mongoUrl as string;
    const replica = await startSystem([accounts], {
      MONGO_URL: url,
      JWT_PUBLIC_KEY: publicKey(system).export({ format: "pem", type: "spki" }).toString(),
      JWT_PRIVATE_KEY: privatePem(system.config),
    });
    try {
      const guess = (i: number) =>
        ask({ clientSecret: `guess ${i}` }, { on: i % 2 === 0 ? system : replica });
      const results = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => guess(i)));
      const types = results.map((result) =>
        result.status === "rejected" ? (result.reason as { type: string }).type : "granted",
      );
      expect(types.filter((type) => type === "INVALID_CLIENT")).toHaveLength(10);
      expect(types.filter((type) => type === "RATE_LIMITED")).toHaveLength(20);

      // The right secret is refused too; other addresses and other clients are not limited.
      for (const on of [system, replica]) {
        await expect(ask({}, { on })).rejects.toMatchObject({
          type: "RATE_LIMITED",
          data: { retryAfterS: expect.any(Number) },
        });
        await expect(ask({}, { on, address: "203.0.113.2" })).resolves.toBeDefined();
      }
      const { clientId, clientSecret } = await createBusiness(system);
      await expect(ask({ clientId, clientSecret })).resolves.toBeDefined();
    } finally {
      await replica.broker.stop();
    }
  });

  test("may be tried again after ten minutes", async () => {
    const from = { address: "203.0.113.4" };
    const guess = () => ask({ clientSecret: "wrong" }, from);
    for (let i = 0; i < 10; i++) await expect(guess()).rejects.toEqual(invalidClient);
    await expect(ask({}, from)).rejects.toEqual(failure("RATE_LIMITED"));

    // Time passes: the stored end moves into the past.
    await database
      .collection<{ _id: string }>("client_guesses")
      .updateOne({ _id: `${business.clientId}|${from.address}` }, [
        { $set: { expiresAt: new Date(Date.now() - 1) } },
      ]);
    await expect(ask({}, from)).resolves.toBeDefined();
    for (let i = 0; i < 10; i++) await expect(guess()).rejects.toEqual(invalidClient);
    await expect(guess()).rejects.toEqual(failure("RATE_LIMITED"));
  });

  test("of unknown clients are limited to ten guesses from one address", async () => {
    const from = { address: "203.0.113.3" };
    for (let i = 0; i < 10; i++) {
      await expect(ask({ clientId: newId() }, from)).rejects.toEqual(invalidClient);
    }
    await expect(ask({ clientId: newId() }, from)).rejects.toEqual(failure("RATE_LIMITED"));
    await expect(ask({}, from)).resolves.toBeDefined();
  });
});

describe("the signature", () => {
  /** Asks a separate system with these JWT variables. */
  async function issuedWith(environment: Record<string, string>): Promise<string> {
    const own = await startSystem([accounts], environment);
    try {
      business = await createBusiness(own);
      return (await ask({}, { on: own })).access_token;
    } finally {
      await own.stop();
    }
  }

  test("is RS256 with an RSA key", async () => {
    const pair = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const token = await issuedWith({
      JWT_PUBLIC_KEY: pair.publicKey,
      JWT_PRIVATE_KEY: pair.privateKey,
    });
    expect(verified(token, pair.publicKey, "RS256").sub).toBe(business.id);
  });

  test("is HS256 only with a shared secret", async () => {
    const secret = "a shared secret of 32 bytes or more";
    const token = await issuedWith({
      JWT_PUBLIC_KEY: "",
      JWT_PRIVATE_KEY: "",
      JWT_SECRET: secret,
    });
    expect(verified(token, secret, "HS256").sub).toBe(business.id);
  });

  test("is left to another issuer if only a public key is configured", async () => {
    await expect(issuedWith({ JWT_PRIVATE_KEY: "" })).rejects.toEqual(failure("NOT_CONFIGURED"));
  });

  test("covers the configured issuer and audience", async () => {
    const token = await issuedWith({ JWT_ISSUER: "issuer.test", JWT_AUDIENCE: "audience.test" });
    expect(jwt.decode(token)).toMatchObject({ iss: "issuer.test", aud: "audience.test" });
  });
});
