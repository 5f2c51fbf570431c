// Places at SFTP servers that misbehave. Whatever a server does, a put tells whether the file may
// be there, no file of the bank is replaced, and the next operation works again.

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectFailure, openAtBank, testSftpFolder } from "../../support/bank/bank-places.ts";
import { startBankServer } from "../../support/bank/sftp-server.ts";

const FILE = Buffer.from("101 a file of payments");

let there: Awaited<ReturnType<typeof testSftpFolder>>;

beforeEach(async () => {
  there = await testSftpFolder();
});

afterEach(() => there.remove());

const visible = async () => (await there.all()).filter((name) => !name.startsWith("."));

describe("the server's key", () => {
  test("must be the pinned one, and another server is told no password", async () => {
    const stranger = await startBankServer();
    const place = await openAtBank(stranger, { hostKey: there.bank.hostKey });
    try {
      const message = `the host's key is ${stranger.hostKey}, which is not in hostKey`;
      await expectFailure(place.put("a.ach", FILE), "failed", message);
      expect([stranger.tried, stranger.files.size]).toEqual([[], 0]);
    } finally {
      await place.close();
      await stranger.stop();
    }
  });

  test("may be one of several", async () => {
    const hostKey = [`SHA256:${"A".repeat(43)}`, there.bank.hostKey];
    const place = await openAtBank(there.bank, { hostKey });
    expect(await place.put("a.ach", FILE)).toBe("put");
    await place.close();
  });
});

test("a wrong password is refused, and the error does not show it", async () => {
  const place = await openAtBank({ ...there.bank, password: "battery staple" });
  const put = place.put("a.ach", FILE);
  await expectFailure(
    put,
    "failed",
    /^put of a\.ach at sftp:\/\/127\.0\.0\.1:\d+\/files: [^:]+: All/,
  );
  await expect(put).rejects.not.toThrow("battery");
  await place.close();
});

test("a server that is down is named by the error", async () => {
  const down = await startBankServer();
  await down.stop();
  const place = await openAtBank(down);
  const message = new RegExp(
    `^put of a\\.ach at sftp://127.0.0.1:${down.port}/files: .*ECONNREFUSED`,
  );
  await expectFailure(place.put("a.ach", FILE), "failed", message);
  await place.close();
});

describe("connections", () => {
  test("one is kept for all operations", async () => {
    await Promise.all([there.place.put("a.ach", FILE), there.place.names(), there.place.get("b")]);
    await there.place.put("b.ach", FILE);
    expect(there.bank.connections()).toBe(1);
  });

  test("one that has ended is made again by the next operation", async () => {
    await there.place.put("a.ach", FILE);
    there.bank.cutAll();
    // The end may reach the place only with the next request.
    await there.place.names().catch(() => undefined);
    expect(await there.place.names()).toEqual(["a.ach"]);
    expect(there.bank.connections()).toBe(2);
  });

  test("one that hangs is given up at its limit, and the next operation makes another", async () => {
    const place = await openAtBank(there.bank, { operationWithinMs: 200 });
    there.bank.faults.set("OPENDIR", "hang");
    await expectFailure(place.names(), "failed", "it took longer than 200 ms");
    there.bank.faults.clear();
    expect(await place.names()).toEqual([]);
    await place.close();
  });

  test("a server that accepts connections and says nothing is given up at the limit", async () => {
    const silent = createServer();
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const { port } = silent.address() as AddressInfo;
    const place = await openAtBank({ ...there.bank, port }, { connectWithinMs: 200 });
    await expectFailure(place.put("a.ach", FILE), "failed", "no connection within 200 ms");
    await place.close();
    silent.close();
  });
});

describe("a put that fails", () => {
  test.each([
    ["OPEN", "refuse"],
    ["OPEN", "cut"],
    ["OPEN", "hang"],
    ["WRITE", "refuse"],
    ["WRITE", "cut"],
    ["WRITE", "cut after"],
    ["WRITE", "hang"],
    ["CLOSE", "refuse"],
    ["LSTAT", "refuse"],
    ["LSTAT", "hang"],
    ["LSTAT", "disconnect"],
    ["RENAME", "refuse"],
  ] as const)("at %s by %s has changed nothing, and a repetition puts", async (request, fault) => {
    const place = await openAtBank(there.bank, { operationWithinMs: 500 });
    there.bank.faults.set(request, fault);
    await expectFailure(place.put("a.ach", FILE), "failed", /^put of a\.ach at sftp:/);
    expect(await visible()).toEqual([]);
    there.bank.faults.clear();
    expect(await place.put("a.ach", FILE)).toBe("put");
    expect(await there.read("a.ach")).toEqual(FILE);
    await place.close();
  });

  test.each(["cut", "cut after", "hang"] as const)(
    "at RENAME by %s is of unknown outcome, and a repetition has the file there once",
    async (fault) => {
      const place = await openAtBank(there.bank, { operationWithinMs: 500 });
      there.bank.faults.set("RENAME", fault);
      await expectFailure(place.put("a.ach", FILE), "unknown", /^put of a\.ach at sftp:/);
      there.bank.faults.clear();
      expect(await place.put("a.ach", FILE)).toBe(fault === "cut after" ? "exists" : "put");
      expect(await visible()).toEqual(["a.ach"]);
      expect(await there.read("a.ach")).toEqual(FILE);
      await place.close();
    },
  );

  test("has put the file if the rename is refused but the file is there", async () => {
    there.bank.faults.set("RENAME", "lie");
    expect(await there.place.put("a.ach", FILE)).toBe("exists");
    expect(await there.all()).toEqual(["a.ach"]);
  });

  test("is of unknown outcome if the refused rename took place and the bank took the file", async () => {
    const { bank } = there;
    bank.faults.set("RENAME", "lie");
    let isRenamed = false;
    bank.onRequest = (request) => {
      if (isRenamed) bank.files.delete("a.ach");
      isRenamed ||= request === "RENAME";
    };
    await expectFailure(there.place.put("a.ach", FILE), "unknown", /^put of a\.ach at sftp:/);
    expect(bank.files.size).toBe(0);
  });

  test("removes its temporary file", async () => {
    there.bank.faults.set("WRITE", "refuse");
    await expectFailure(there.place.put("a.ach", FILE), "failed", "not today");
    expect(await there.all()).toEqual([]);
  });
});

describe("a server that overwrites on a rename", () => {
  test.each([
    ["the same bytes", FILE, "exists"],
    ["other bytes", Buffer.from("999"), "taken"],
  ])("keeps a file of %s that comes during the upload", async (_, bytes, outcome) => {
    const { bank, place } = there;
    bank.overwrites = true;
    bank.onRequest = (request) => {
      if (request === "WRITE") bank.files.set("a.ach", { bytes, modifiedAt: Date.now() });
    };
    const put = place.put("a.ach", FILE);
    if (outcome === "exists") expect(await put).toBe("exists");
    else await expectFailure(put, "taken", "another file has the name");
    expect(await there.read("a.ach")).toEqual(bytes);
    expect(await there.all()).toEqual(["a.ach"]);
  });
});

test("a file whose name exists but cannot be read is of unknown outcome", async () => {
  await there.write("a.ach", FILE);
  there.bank.faults.set("READ", "refuse");
  await expectFailure(there.place.put("a.ach", FILE), "unknown", "not today");
});

test("a folder of uploads that may not be listed takes files", async () => {
  there.bank.faults.set("OPENDIR", "refuse");
  expect(await there.place.put("a.ach", FILE)).toBe("put");
});

test.each(["cut", "disconnect", "hang", "refuse"] as const)(
  "no file is thought absent because of a %s",
  async (fault) => {
    await there.write("answer.txt", "x");
    const place = await openAtBank(there.bank, { operationWithinMs: 500 });
    there.bank.faults.set("OPEN", fault);
    await expectFailure(place.get("answer.txt"), "failed", /^get of answer\.txt at sftp:/);
    there.bank.faults.clear();
    expect((await place.get("answer.txt"))?.toString()).toBe("x");
    await place.close();
  },
);

test("a file that grows while it is read is not given", async () => {
  const { bank } = there;
  await there.write("answer.txt", "half");
  bank.onRequest = (request) => {
    if (request !== "READ") return;
    bank.files.set("answer.txt", { bytes: Buffer.from("half and more"), modifiedAt: Date.now() });
  };
  await expectFailure(there.place.get("answer.txt"), "failed", "changes while it is read");
});

test.each([true, false])("folders are no files, with types in modes: %j", async (statesTypes) => {
  const { bank, place } = there;
  bank.statesTypes = statesTypes;
  await there.write("a.txt", "x");
  bank.files.set("archive", { bytes: Buffer.alloc(0), modifiedAt: Date.now(), mode: 0o040755 });
  expect(await place.names()).toEqual(["a.txt"]);
  if (statesTypes) await expectFailure(place.get("archive"), "failed", "it is no file");
});

test("a server's text in an error is short and printable", async () => {
  const { bank, place } = there;
  bank.refusal = `no \u001b[31m${"x".repeat(1_000)}`;
  bank.faults.set("OPENDIR", "refuse");
  const error = await place.names().catch((reason) => reason);
  expect(error.message).toMatch(/^names at sftp:\/\/127\.0\.0\.1:\d+\/files: no \?\[31mx+$/);
  expect(error.message.length).toBeLessThan(400);
});

test("a server that asks for a key and a password gets both", async () => {
  const { bank } = there;
  bank.needsBoth = true;
  const folder = await mkdtemp(join(tmpdir(), "payrail-key-"));
  const privateKeyFile = join(folder, "key");
  await writeFile(privateKeyFile, bank.privateKey);
  const [alone, both] = [await openAtBank(bank), await openAtBank(bank, { privateKeyFile })];
  try {
    await expectFailure(alone.put("a.ach", FILE), "failed", "authentication methods failed");
    expect(await both.put("a.ach", FILE)).toBe("put");
  } finally {
    await Promise.all([alone.close(), both.close()]);
    await rm(folder, { recursive: true });
  }
});

test("a private key logs in, and a renewed one counts at once", async () => {
  const { bank } = there;
  const folder = await mkdtemp(join(tmpdir(), "payrail-key-"));
  const privateKeyFile = join(folder, "key");
  await writeFile(privateKeyFile, "no key");
  const place = await openAtBank(bank, { privateKeyFile, passwordVariable: undefined });
  try {
    await expectFailure(place.put("a.ach", FILE), "failed", "privateKey");
    await writeFile(privateKeyFile, bank.privateKey);
    expect(await place.put("a.ach", FILE)).toBe("put");
    expect([...new Set(bank.tried)]).toEqual(["publickey"]);
  } finally {
    await place.close();
    await rm(folder, { recursive: true });
  }
});
