// Walks along the points of a lifecycle: for each row a process of a service takes a request and
// dies at the row's point with SIGKILL, then other processes finish the work, and the row's end is
// checked. The books are verified before and after that.

import { endOf, type ServiceProcess, startDying } from "./processes.ts";
import type { World } from "./world.ts";

/** The number of processes that start at the same time. */
const AT_ONCE = 3;

/** The death of a process: at a point that the service passes with the id of this owner. */
interface Death {
  point: string;
  owner: string;
  /** More variables of the process. */
  environment?: Record<string, string>;
}

export interface CrashWalk<Row, Begun extends Death> {
  world: World;
  service: ServiceProcess;
  /** More variables of all processes that die. */
  environment?: Record<string, string>;
  rows: Row[];
  begin(row: Row): Promise<Begun>;
  /** Sends the request to the process that will die. */
  ask(begun: Begun, nodeID: string): void;
  /** Starts a process that takes over, if the world has none of the service. */
  takeOver?(): Promise<void>;
  /** Waits for the end of the work, and checks it. */
  expectEnd(begun: Begun): Promise<void>;
}

/**
 * Fails if a process does not die at its point, or if a row ends otherwise than it should.
 * @returns the rows as they were arranged
 */
export async function crashWalk<Row, Begun extends Death>({
  world,
  service,
  environment,
  rows,
  begin,
  ask,
  takeOver,
  expectEnd,
}: CrashWalk<Row, Begun>): Promise<Begun[]> {
  const walked: Begun[] = [];
  // Before the first death, because the gateway learns that a node is dead by calling it.
  for (const row of rows) walked.push(await begin(row));
  const die = async (each: Begun) => {
    const { point, owner } = each;
    const variables = { ...environment, ...each.environment };
    const { child, nodeID } = await startDying(world, service, point, owner, variables);
    ask(each, nodeID);
    expect([point, await endOf(child)]).toEqual([point, "SIGKILL"]);
  };
  for (let i = 0; i < walked.length; i += AT_ONCE) {
    await Promise.all(walked.slice(i, i + AT_ONCE).map(die));
  }
  await world.verifyBooks();
  await takeOver?.();
  await Promise.all(walked.map(expectEnd));
  await world.verifyBooks();
  return walked;
}
