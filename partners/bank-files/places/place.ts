// TEMPORARY

import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface PlaceSettings {
  url: string;
}
export interface Place {
  put(name: string, bytes: Buffer): Promise<"put" | "exists">;
  names(): Promise<string[]>;
  get(name: string): Promise<Buffer | null>;
  close(): Promise<void>;
}
export async function openPlace({ url }: PlaceSettings): Promise<Place> {
  const folder = fileURLToPath(url);
  await mkdir(folder, { recursive: true });
  const get = (name: string) =>
    readFile(join(folder, name)).catch((e) => {
      if (e.code === "ENOENT") return null;
      throw e;
    });
  return {
    async put(name, bytes) {
      const temporary = join(folder, `.${name}.${randomUUID()}`);
      const file = await open(temporary, "wx");
      await file.writeFile(bytes);
      await file.sync();
      await file.close();
      try {
        await link(temporary, join(folder, name));
        return "put";
      } catch (error) {
        if ((error as { code?: string }).code !== "EEXIST") throw error;
        if ((await get(name))?.equals(bytes)) return "exists";
        throw new Error(`Another file has the name ${name}`);
      } finally {
        await unlink(temporary);
      }
    },
    names: async () => (await readdir(folder)).filter((name) => !name.startsWith(".")).toSorted(),
    get,
    close: async () => {},
  };
}
