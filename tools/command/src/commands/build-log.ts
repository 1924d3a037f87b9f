import { setTimeout as pause } from 'node:timers/promises';
import type { Deployment, LogLine } from '@postern/sdk';

/** How long the last lines may take after the end of the deployment. */
const REST_MS = 5_000;
const SHOWN: ReadonlySet<string> = new Set(['build', 'platform']);

type Started = Pick<Deployment, 'id' | 'created_at'>;

/** Prints the log of the build and the release of one deployment while it is in progress. */
export class BuildLog {
  readonly #ending = new AbortController();
  readonly #concluded = new AbortController();

  constructor(
    private readonly deployment: Started,
    private readonly print: (line: string) => void,
    private readonly restMs = REST_MS,
  ) {}

  /** Resolves at `end`; a log that cannot be read does not fail the command, which reports the deployment itself. */
  async follow(open: (signal: AbortSignal) => AsyncIterable<LogLine>): Promise<void> {
    const { id, created_at } = this.deployment;
    try {
      for await (const { timestamp, stream, message } of open(this.#ending.signal)) {
        if (!SHOWN.has(stream) || timestamp < created_at) continue;
        this.print(message);
        if (stream === 'platform' && concludes(message, id)) this.#concluded.abort();
      }
    } catch (error) {
      if (!this.#ending.signal.aborted)
        this.print(`The log is not available: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.#concluded.abort();
    }
  }

  /** Resolves when the last line of the deployment is printed, or after a moment without it. */
  async rest(): Promise<void> {
    await pause(this.restMs, undefined, { signal: this.#concluded.signal }).catch(() => undefined);
  }

  end(): void {
    this.#ending.abort();
  }
}

/** The last line of a deployment is about its build or about its release. */
const concludes = (message: string, id: string): boolean => {
  const [, about, what = ''] = /deployment (\S+) (is live|failed|was cancelled)/i.exec(message) ?? [];
  return about === id && what !== '';
};
