// The ends of what a test has started.

type Stop = () => unknown;
export type OnStop = (stop: Stop) => void;

/** Stops the last started first, and at once what a failed start still starts meanwhile. */
export function createEnds(): { onStop: OnStop; run(): Promise<void> } {
  const stops: Stop[] = [];
  const failures: unknown[] = [];
  let hasEnded = false;
  const end = async (stop: Stop) => {
    try {
      await stop();
    } catch (error) {
      failures.push(error);
    }
  };
  return {
    onStop(stop) {
      if (hasEnded) void end(stop);
      else stops.push(stop);
    },
    async run() {
      for (let stop = stops.pop(); stop; stop = stops.pop()) await end(stop);
      hasEnded = true;
      if (failures.length > 0) throw failures[0];
    },
  };
}
