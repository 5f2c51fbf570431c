// Makes Node load the test files and their imports. Jest's own loader evaluates every module again
// for each test file, and that costs two seconds of CPU for moleculer, mongoose and the services.
// Node evaluates a module once in each worker, so the test files of a worker share the state of
// modules.

import { flushCompileCache } from "node:module";
import { pathToFileURL } from "node:url";
import JestRuntime from "jest-runtime";

type Loaded = Awaited<ReturnType<JestRuntime["unstable_importModule"]>>;

/**
 * Classes that `expect` compares with the test file's; without this they come from another realm.
 */
const COMPARED = {
  Array,
  BigInt,
  Boolean,
  Date,
  Error,
  Function,
  Map,
  Number,
  Object,
  Set,
  String,
  Symbol,
};

class NodeRuntime extends JestRuntime {
  private readonly variables = { ...process.env };

  constructor(...settings: ConstructorParameters<typeof JestRuntime>) {
    super(...settings);
    const environment = settings[1];
    Object.assign(environment.global, COMPARED);
  }

  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  /** Loads the test file after its globals (`test`, `expect`, `jest`) are set. */
  override async unstable_importModule(path: string): Promise<Loaded> {
    Object.assign(globalThis, this.requireModuleOrMock(path, "@jest/globals"));
    return import(pathToFileURL(path).href);
  }

  /**
   * Undoes the test file's changes to the environment variables, and stores the compiled code. Node
   * would store it when the worker ends: that takes seconds for a new cache, and Jest kills a
   * worker after half a second, so that the cache would stay empty and Jest would speak of open
   * handles.
   */
  override teardown(): void {
    flushCompileCache();
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.variables);
    super.teardown();
  }
}

// Jest loads this with `require`.
export { NodeRuntime as "module.exports" };
