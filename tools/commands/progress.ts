// The display of a long command: the work done so far and the time left. cli-progress is not used:
// its last release is of 2023, and a bar is no help in the log of a nightly Job, which gets lines.

import type { WriteStream } from "node:tty";
import { duration, grouped } from "../platform/output.ts";
import type { Progress } from "../verify/books.ts";

const LINE_EVERY_MS = 1_000;

/**
 * Writes about one line per second; on a terminal, one line that changes. Writes nothing in the
 * first second.
 */
export function progressTo(stream: WriteStream) {
  const began = Date.now();
  let lastLineAt = began;
  let isOpen = false;
  return {
    tell(progress: Progress): void {
      const now = Date.now();
      if (now - lastLineAt < LINE_EVERY_MS) return;
      lastLineAt = now;
      const line = progressLine(progress, now - began);
      isOpen = stream.isTTY;
      stream.write(isOpen ? `\r\u001B[K${line}` : `${line}\n`);
    },
    end(): void {
      if (isOpen) stream.write("\r\u001B[K");
    },
  };
}

/** Estimates the time left from the speed until now. */
function progressLine({ phase, done, ofAbout, fraction }: Progress, elapsedMs: number): string {
  const left = duration((elapsedMs * (1 - fraction)) / fraction);
  const percent = Math.floor(100 * fraction);
  return `${percent} %, about ${left} left (${grouped(done)} of about ${grouped(ofAbout)} ${phase})`;
}
