// What people see of a command that takes long: how far it is, and how long it still takes.

import type { WriteStream } from "node:tty";

/** How far a command is. */
export interface Progress {
  /** What it is at. */
  phase: string;
  /** So many of the phase are done, of about so many. */
  done: number;
  ofAbout: number;
  /** The part of all the work that is done, about; 0 to 1. */
  fraction: number;
}

const TOLD_EVERY_MS = 1_000;

/** Writes about a line a second, on a terminal one that changes; nothing in the first second. */
export function progressTo(stream: WriteStream) {
  const began = Date.now();
  let told = began;
  let isOpen = false;
  return {
    tell(progress: Progress): void {
      const now = Date.now();
      if (now - told < TOLD_EVERY_MS) return;
      told = now;
      const line = progressLine(progress, now - began);
      isOpen = stream.isTTY;
      stream.write(isOpen ? `\r\u001B[K${line}` : `${line}\n`);
    },
    /** Leaves the terminal at the beginning of a line. */
    end(): void {
      if (isOpen) stream.write("\r\u001B[K");
    },
  };
}

/** What is left is estimated from what the work took until now. */
function progressLine({ phase, done, ofAbout, fraction }: Progress, elapsedMs: number): string {
  const left = duration((elapsedMs * (1 - fraction)) / fraction);
  const percent = Math.floor(100 * fraction);
  return `${percent} %, about ${left} left (${grouped(done)} of about ${grouped(ofAbout)} ${phase})`;
}

export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** To stdout; through once it is written, for a process that ends right after. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}
