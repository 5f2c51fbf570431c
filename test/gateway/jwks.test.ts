// Keys from a JWKS over real HTTP: caching, added and removed keys, a missing key server and
// untrustworthy answers. Tests move the clock.

import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import jwt, { type SignOptions } from "jsonwebtoken";
import { machineClock } from "../../shared/clock.ts";
import { type Probe, startProbe } from "../support/probe.ts";
import { until } from "../support/system.ts";

const MINUTE_MS = 60_000;
/** A key that was removed from the set is refused after this time. */
const ROTATED_OUT_MS = 10 * MINUTE_MS;
/** An unknown key id is looked up again after this time. */
const LOOKED_FOR_AGAIN_MS = 31_000;

const ec = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const [a, b, stranger] = [ec(), ec(), ec()];
const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });

const published = (key: KeyObject, kid?: string, more: object = { alg: "ES256", use: "sig" }) => ({
  ...key.export({ format: "jwk" }),
  ...(kid !== undefined && { kid }),
  ...more,
});

function token(key: KeyObject | Buffer, kid?: string, options: SignOptions = {}): string {
  const claims = { iss: "payrail", aud: "payrail", sub: randomUUID(), role: "user" };
  return jwt.sign({ ...claims, scope: "external.apis", jti: randomUUID() }, key, {
    algorithm: "ES256",
    expiresIn: "1h",
    ...(kid !== undefined && { keyid: kid }),
    ...options,
  });
}

let movedMs = 0;
const laterBy = (ms: number) => {
  movedMs += ms;
};

/** A key server with a count of its requests. */
interface KeyServer {
  url: string;
  asked: number;
  keys: object[];
  /** Answers in place of the keys. */
  instead: RequestListener | null;
  server: Server;
}

async function startKeyServer(keys: object[] = []): Promise<KeyServer> {
  const state: KeyServer = { url: "", asked: 0, keys, instead: null, server: createServer() };
  const answerKeys: RequestListener = (_request, response) => {
    response.writeHead(200, { "content-type": "application/jwk-set+json" });
    response.end(JSON.stringify({ keys: state.keys }));
  };
  state.server.on("request", (request, response) => {
    state.asked += 1;
    const answer = state.instead ?? answerKeys;
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    state.server.listen(0, "127.0.0.1", resolve);
  });
  state.url = `http://127.0.0.1:${(state.server.address() as AddressInfo).port}/keys`;
  return state;
}

let keys: KeyServer;
let elsewhere: KeyServer;
let probe: Probe;
beforeEach(async () => {
  movedMs = 0;
  // The clock stands still except for the real duration of requests.
  const startedAt = Date.now();
  const clock = { ...machineClock, now: () => startedAt + movedMs };
  keys = await startKeyServer([published(a.publicKey, "a")]);
  elsewhere = await startKeyServer([published(stranger.publicKey, "elsewhere")]);
  probe = await startProbe({
    clock,
    environment: { JWT_PUBLIC_KEY: "", JWT_PRIVATE_KEY: "", JWT_JWKS_URL: keys.url },
  });
});
afterEach(async () => {
  await probe.stop();
  for (const { server } of [keys, elsewhere]) {
    server.closeAllConnections();
    server.close();
  }
});

const statusOf = async (own: string) => (await probe.http.get("/echo/1", { token: own })).status;
const unavailable: RequestListener = (_request, response) => response.writeHead(500).end();

describe("while the key server answers", () => {
  test("one request serves many tokens", async () => {
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => statusOf(token(a.privateKey, "a"))),
    );
    expect(asked).toEqual(asked.map(() => 200));
    expect(keys.asked).toBe(1);
  });

  test("an added key is found with one request for its id", async () => {
    expect(await statusOf(token(a.privateKey, "a"))).toBe(200);
    keys.keys = [published(a.publicKey, "a"), published(b.publicKey, "b")];
    laterBy(LOOKED_FOR_AGAIN_MS);
    const asked = await Promise.all(
      Array.from({ length: 20 }, () => statusOf(token(b.privateKey, "b"))),
    );
    expect(asked).toEqual(asked.map(() => 200));
    expect(await statusOf(token(a.privateKey, "a"))).toBe(200);
    expect(keys.asked).toBe(2);
  });

  test("made-up key ids cause at most one request in half a minute", async () => {
    const flood = () =>
      Promise.all(
        Array.from({ length: 50 }, () => statusOf(token(stranger.privateKey, randomUUID()))),
      );
    for (let round = 1; round <= 3; round += 1) {
      for (let i = 0; i < 2; i += 1) {
        const asked = await flood();
        expect(asked).toEqual(asked.map(() => 401));
      }
      expect(keys.asked).toBe(round);
      laterBy(LOOKED_FOR_AGAIN_MS);
    }
    expect(await statusOf(token(a.privateKey, "a"))).toBe(200);
  });

  test("a removed key is refused in time, also for tokens that were accepted before", async () => {
    const letIn = token(a.privateKey, "a");
    expect(await statusOf(letIn)).toBe(200);
    keys.keys = [published(b.publicKey, "b")];
    laterBy(ROTATED_OUT_MS);
    expect(await statusOf(letIn)).toBe(401);
    expect(await statusOf(token(a.privateKey, "a"))).toBe(401);
    expect(await statusOf(token(b.privateKey, "b"))).toBe(200);
  });

  test("a removed key is refused sooner with traffic, because the keys are fetched in the background", async () => {
    expect(await statusOf(token(a.privateKey, "a"))).toBe(200);
    keys.keys = [published(b.publicKey, "b")];
    laterBy(6 * MINUTE_MS);
    await until(async () => (await statusOf(token(a.privateKey, "a"))) === 401);
    expect(keys.asked).toBe(2);
  });

  test("a token without a key id is valid with any key of the set", async () => {
    keys.keys = [
      published(a.publicKey, "a"),
      published(b.publicKey),
      published(rsa.publicKey, "rsa", {}),
    ];
    for (const own of [
      token(a.privateKey),
      token(b.privateKey),
      token(rsa.privateKey, undefined, { algorithm: "RS256" }),
      token(rsa.privateKey, "rsa", { algorithm: "RS256" }),
    ]) {
      expect(await statusOf(own)).toBe(200);
    }
    expect(await statusOf(token(stranger.privateKey))).toBe(401);
  });
});

describe("while the key server is unavailable", () => {
  test("without keys every token is a 503, and the key server gets few requests", async () => {
    keys.instead = unavailable;
    const ask = () => probe.http.get("/echo/1", { token: token(a.privateKey, "a") });
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(keys.asked).toBe(1);

    keys.instead = null;
    laterBy(1_000);
    expect((await ask()).status).toBe(200);
    expect(keys.asked).toBe(2);
  });

  test("known keys stay valid for a while, and then every token is a 503", async () => {
    const known = () => statusOf(token(a.privateKey, "a"));
    expect(await known()).toBe(200);
    keys.instead = unavailable;
    laterBy(LOOKED_FOR_AGAIN_MS);
    // The gateway cannot know whether this key was added.
    expect(await statusOf(token(b.privateKey, "b"))).toBe(503);
    for (let minutes = 1; minutes <= 8; minutes += 1) {
      expect(await known()).toBe(200);
      laterBy(MINUTE_MS);
    }
    laterBy(MINUTE_MS);
    expect(await known()).toBe(503);
    keys.instead = null;
    laterBy(1_000);
    expect(await known()).toBe(200);
  });
});

describe("claims of a token", () => {
  test.each<[string, () => string]>([
    ["another algorithm for the key", () => token(rsa.privateKey, "a", { algorithm: "RS256" })],
    ["a stronger algorithm", () => token(rsa.privateKey, "rsa", { algorithm: "RS512" })],
    ["another padding", () => token(rsa.privateKey, "rsa", { algorithm: "PS256" })],
    [
      "HS256 with the published key as the secret",
      () => {
        const secret = Buffer.from(a.publicKey.export({ format: "pem", type: "spki" }));
        return token(secret, "a", { algorithm: "HS256" });
      },
    ],
    ["HS256 with a secret of the set", () => token(SECRET, "secret", { algorithm: "HS256" })],
    ["a key for encryption", () => token(b.privateKey, "encryption")],
    ["a stranger's key under a known id", () => token(stranger.privateKey, "a")],
    ["a malformed key", () => token(b.privateKey, "broken")],
    ["a critical extension", () => withCrit("a")],
  ])("%s is a 401", async (_, make) => {
    keys.keys = [
      published(a.publicKey, "a"),
      published(rsa.publicKey, "rsa", { use: "sig" }),
      published(b.publicKey, "encryption", { alg: "ES256", use: "enc" }),
      { kty: "oct", kid: "secret", alg: "HS256", k: SECRET.toString("base64url") },
      { ...published(b.publicKey, "broken"), x: "AAAA" },
    ];
    expect(await statusOf(make())).toBe(401);
    expect(await statusOf(token(a.privateKey, "a"))).toBe(200);
  });
  const SECRET = Buffer.alloc(32, 7);

  /** RFC 7515, 4.1.11. */
  function withCrit(kid: string): string {
    const header = { alg: "ES256", kid, crit: ["exp"] } as SignOptions["header"];
    return token(a.privateKey, undefined, { header });
  }

  test("with an address of a key cause no request to it", async () => {
    const { url } = elsewhere;
    const jwk = published(stranger.publicKey, "elsewhere");
    for (const header of [
      { kid: "elsewhere", jku: url },
      { kid: url },
      { kid: "a", jku: url },
      { kid: "elsewhere", x5u: url },
      { kid: "elsewhere", jwk },
      { kid: "../elsewhere", jku: url, x5u: url, jwk },
    ]) {
      const own = token(stranger.privateKey, undefined, {
        header: { alg: "ES256", ...header },
      });
      expect(await statusOf(own)).toBe(401);
      laterBy(LOOKED_FOR_AGAIN_MS);
    }
    expect(elsewhere.asked).toBe(0);
  });
});

describe("an answer that is no key set", () => {
  const answerWith = (body: string, status = 200): RequestListener => {
    return (_request, response) => response.writeHead(status).end(body);
  };
  let sent = 0;
  const endless: RequestListener = (_request, response) => {
    response.writeHead(200);
    const more = () => {
      do sent += 65_536;
      while (response.write(" ".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  };

  test.each<[string, () => RequestListener]>([
    ["that is no JSON", () => answerWith("<html>")],
    ["that is a list", () => answerWith("[]")],
    ["without keys", () => answerWith("{}")],
    ["with keys that are no list", () => answerWith('{"keys":{}}')],
    ["with another status", () => answerWith('{"keys":[]}', 404)],
    ["that never ends", () => endless],
    ["that never begins", () => () => {}],
    ["that stops midway", () => (_request, response) => void response.write('{"keys":[')],
    [
      "that redirects",
      () => (_request, response) => void response.writeHead(302, { location: elsewhere.url }).end(),
    ],
  ])("%s is a 503", async (_, make) => {
    const ended: Promise<void>[] = [];
    const answer = make();
    keys.instead = (request, response) => {
      ended.push(new Promise((resolve) => response.on("close", resolve)));
      answer(request, response);
    };
    expect(await statusOf(token(stranger.privateKey, "elsewhere"))).toBe(503);
    // The gateway has closed the connection, so the rest of the answer is not sent.
    await Promise.all(ended);
    expect(sent).toBeLessThan(32 * 2 ** 20);
    expect(ended).toHaveLength(1);
    expect(elsewhere.asked).toBe(0);

    keys.instead = null;
    laterBy(1_000);
    expect(await statusOf(token(a.privateKey, "a"))).toBe(200);
  });
});
