import type { Runtime } from '../runtime.js';

/** What the suite needs beside the port: the world around the runtime. */
export interface RuntimeHarness {
  /** Whether something in this world counts the bytes of each service. */
  readonly countsTraffic: boolean;
  /** Another one after `restart`. */
  readonly runtime: Runtime;
  /** A repository with these files on its branch `main`; answers its address. */
  makeRepository(files: Readonly<Record<string, string>>): Promise<string>;
  /** As a visitor of the address would; rejects when nobody answers. */
  ask(url: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Ends the process that holds the runtime, and gives the machine to another. */
  restart(): Promise<void>;
  /** Kills all instances of the service, behind the runtime's back. */
  killInstances(webServiceId: string): Promise<void>;
  stop(): Promise<void>;
}
