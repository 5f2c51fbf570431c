// The pages that are the same for every client: `/`, the OpenAPI document and its page. Clients may
// keep the last two, and get them compressed.

import { createHash } from "node:crypto";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type Probe, startProbe } from "../support/probe.ts";

let probe: Probe;

beforeAll(async () => {
  probe = await startProbe();
});
afterAll(() => probe?.stop());

interface Bytes {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** The answer's bytes as they were sent. */
function fetchBytes(path: string, headers: Record<string, string>, method = "GET"): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port: probe.port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, bytes: Buffer.concat(chunks) });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

const KEPT = ["/openapi.json", "/docs", "/docs/search.js", "/docs/docs.css"];

describe("/", () => {
  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  test.each([
    BROWSER,
    "text/html",
    "TEXT/HTML; charset=utf-8",
    "text/*",
    "application/json;q=0.5, text/html;q=0.6",
  ])("is a page for %p", async (accept) => {
    const { status, headers, text } = await probe.http.get("/", { headers: { accept } });
    expect([status, headers["content-type"], headers.vary]).toEqual([
      200,
      "text/html; charset=utf-8",
      "Accept",
    ]);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link as string);
    expect(links).toEqual(["/console", "/docs", "/openapi.json", "/health/ready"]);
    const style = /<style>(.*)<\/style>/s.exec(text)?.[1] as string;
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  test.each([
    "*/*",
    "application/json",
    "application/json, text/html",
    "text/html;q=0, */*",
    "text/html;q=x",
    "text/html;q=-1",
    "",
    ",;,;q=,",
    "__proto__, constructor;q=1",
    `${"text/html;q=0.1,".repeat(900)}*/*`,
  ])("is JSON for %.40p", async (accept) => {
    const { status, headers, body } = await probe.http.get("/", { headers: { accept } });
    expect([status, headers.vary]).toEqual([200, "Accept"]);
    expect(body).toEqual({
      name: "payrail",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      links: {
        console: "/console",
        docs: "/docs",
        openapi: "/openapi.json",
        ready: "/health/ready",
      },
    });
  });

  test("has a query, and no other method", async () => {
    expect((await probe.http.get("/?a=1")).status).toBe(200);
    const { status, headers } = await probe.http.post("/", {});
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
  });
});

describe.each(KEPT)("%s", (path) => {
  test("is sent compressed to a client that takes it, with the same content", async () => {
    const plain = await fetchBytes(path, {});
    expect([plain.status, plain.headers["content-encoding"]]).toEqual([200, undefined]);
    const inEncoding = async (accepted: string) => {
      const answer = await fetchBytes(path, { "accept-encoding": accepted });
      expect(answer.headers.vary).toBe("Accept-Encoding");
      expect(answer.headers["content-length"]).toBe(String(answer.bytes.length));
      return answer;
    };
    const br = await inEncoding("gzip, deflate, br, zstd");
    expect(br.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    const zipped = await inEncoding("gzip;q=1.0, br;q=0.5");
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length);
    for (const none of ["identity", "br;q=0", "gzip;q=0, br;q=0", "deflate", "*;q=0", "brotli"]) {
      const answer = await inEncoding(none);
      expect([none, answer.headers["content-encoding"]]).toEqual([none, undefined]);
      expect(answer.bytes.equals(plain.bytes)).toBe(true);
    }
  });

  test("is a 304 for the client that has it", async () => {
    const { headers } = await fetchBytes(path, { "accept-encoding": "br" });
    const etag = headers.etag as string;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const known of [etag, `W/${etag}`, `"a", ${etag}`, "*"]) {
      const kept = await fetchBytes(path, { "accept-encoding": "br", "if-none-match": known });
      expect([known, kept.status, kept.bytes.length, kept.headers.etag]).toEqual([
        known,
        304,
        0,
        etag,
      ]);
      expect(kept.headers["cache-control"]).toBe(headers["cache-control"]);
      expect(kept.headers["content-length"]).toBeUndefined();
    }
    for (const other of ['"a"', etag.replaceAll('"', ""), ""]) {
      const sent = await fetchBytes(path, { "accept-encoding": "br", "if-none-match": other });
      expect([other, sent.status]).toEqual([other, 200]);
    }
    const inGzip = await fetchBytes(path, { "accept-encoding": "gzip", "if-none-match": etag });
    expect(inGzip.status).toBe(200);
  });

  test("may be kept, and has the other headers of every answer", async () => {
    const { headers } = await probe.http.get(path);
    expect(headers["cache-control"]).toMatch(/^(no-cache|public, max-age=3600)$/);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(headers["strict-transport-security"]).toBeUndefined();
  });
});

test.each(["/", ...KEPT, "/nope"])("HEAD %s has the headers of GET", async (path) => {
  const varying = { "x-request-id": "fixed", accept: "text/html" };
  const got = await fetchBytes(path, varying);
  const head = await fetchBytes(path, varying, "HEAD");
  expect([head.status, head.bytes.length]).toEqual([got.status, 0]);
  expect({ ...head.headers, date: "" }).toEqual({ ...got.headers, date: "" });
});
