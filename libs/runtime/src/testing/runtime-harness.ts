import type { Runtime } from '../runtime.js';

/** The environment of a runtime, which the suite needs in addition to the port. */
export interface RuntimeHarness {
  /** Whether this environment counts the bytes of each service. */
  readonly countsTraffic: boolean;
  /** A new instance after `restart`. */
  readonly runtime: Runtime;
  /** Makes a repository with these files on its branch `main`; returns its address. */
  makeRepository(files: Readonly<Record<string, string>>): Promise<string>;
  /** Requests the URL like a visitor; rejects if there is no response. */
  request(url: string): Promise<{ readonly status: number; readonly body: string }>;
  /** Ends the process of the runtime, and starts a new one on the same machine. */
  restart(): Promise<void>;
  /** Kills all instances of the service without informing the runtime. */
  killInstances(webServiceId: string): Promise<void>;
  stop(): Promise<void>;
}
