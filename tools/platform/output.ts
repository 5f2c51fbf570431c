// Texts that commands write.

export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Writes to stdout and resolves after the write, for a process that ends right after. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}
