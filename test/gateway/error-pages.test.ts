// Errors that a person sees in a browser are pages, also those that arise before a route is known:
// for a link that a mail program has changed, and for what is typed into the address bar. Programs
// get JSON, and so does every client of the API's own paths.

import { get as httpGet } from "node:http";
import { startWorld, type World } from "../support/world.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const HTML = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

let world: World;
/** The path of a link that exists. */
let link: string;

beforeAll(async () => {
  world = await startWorld();
  const { url } = await world.paymentLink(await world.business());
  link = new URL(url).pathname;
});
afterAll(() => world?.stop());

/** Node's client sends a path as it is; fetch would write it anew. */
function open(path: string, accept: string | undefined, method = "GET") {
  const { hostname, port } = new URL(world.http.url);
  const headers = accept === undefined ? {} : { accept };
  return new Promise<{ status: number; type: string; vary: string; policy: string; text: string }>(
    (resolve, reject) => {
      const sent = httpGet({ hostname, port, path, method, headers }, (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => {
          const { "content-type": type = "", vary = "" } = response.headers;
          const policy = String(response.headers["content-security-policy"] ?? "");
          resolve({ status: response.statusCode ?? 0, type, vary, policy, text });
        });
      });
      sent.on("error", reject);
    },
  );
}

const OF_LINK = ["/", "%", "/x", "/x/y", "%E0%A4%A", "/?x=1"];
const OTHERS = ["/pay/", "/pay/x", "/pay/x/", "/pay/x/%E0%A4%A", "/pay", "/pay//"];
const PLAIN = ["/console/", "/console/x", "/docs/", "/docs/nope", "/nope", "//", "/%", "/health/"];

describe("a browser", () => {
  test.each([...OF_LINK.map((end) => `link + ${end}`), ...OTHERS])(
    "gets the page of an unknown link for %s",
    async (given) => {
      const path = given.replace("link + ", link);
      const { status, type, vary, text } = await open(path, BROWSER);
      expect([status, type, vary]).toEqual([404, HTML, "Accept"]);
      expect(text).toContain("This payment link does not exist");
    },
  );

  test.each(PLAIN)("gets a page for %s", async (path) => {
    const { status, type, vary, policy, text } = await open(path, BROWSER);
    expect([status, type, vary]).toEqual([404, HTML, "Accept"]);
    expect(text).toContain("<h1>Not found</h1>");
    expect(text).toContain('href="/docs"');
    expect(policy).toContain("default-src 'none'");
  });

  test.each(["a link", "/docs", "/console", "/"])(
    "gets a page for another method: %s",
    async (path) => {
      const { status, type, text } = await open(path === "a link" ? link : path, BROWSER, "DELETE");
      expect([status, type]).toEqual([405, HTML]);
      expect(text).toContain("<h1>Method not allowed</h1>");
    },
  );

  test("gets no text of its own address back", async () => {
    const { text } = await open("/<script>hit</script>/x?<b>", BROWSER);
    expect(text).not.toMatch(/script|hit|<b>/);
  });

  test.each(["/v1/nope", "/v1/checkout/x/", "/v1", "/v1/oauth/token"])(
    "gets JSON for the API's path %s",
    async (path) => {
      expect((await open(path, BROWSER)).type).toBe(JSON_TYPE);
    },
  );
});

test.each([undefined, "*/*", "application/json", "application/json, text/html", "text/html;q=0"])(
  "a program that accepts %s gets JSON for every unknown path",
  async (accept) => {
    for (const path of [`${link}/`, `${link}%`, ...OTHERS, ...PLAIN]) {
      const { status, type, text } = await open(path, accept);
      expect([path, status, type]).toEqual([path, 404, JSON_TYPE]);
      expect(JSON.parse(text)).toMatchObject({ success: false, code: "not_found" });
    }
  },
);

test("the page of a link is unchanged with what mail programs add to its end", async () => {
  for (const end of [".", ")", "%20", "%00"]) {
    const { status, type } = await open(`${link}${end}`, BROWSER);
    expect([status, type]).toEqual([404, HTML]);
  }
  expect((await open(link, "*/*")).type).toBe(HTML);
});
