// Random numbers from a seed: the same seed gives the same schedule on every machine.

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [from, to]. */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** sfc32 (Chris Doty-Humphrey, PractRand), seeded by a number and the name of its purpose. */
export function randomFrom(seed: number, purpose: string): Random {
  let [a, b, c, d] = [0x9e3779b9, seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 1];
  for (const letter of purpose) a = (Math.imul(a, 31) + letter.charCodeAt(0)) | 0;
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) next();
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)] as never,
  };
}
