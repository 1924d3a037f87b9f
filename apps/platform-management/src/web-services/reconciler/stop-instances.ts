import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { Reports } from './reports.js';
import { logLine } from './work-errors.js';

/** Stops all instances of a web service in the runtime and records the stop. */
@Injectable()
export class StopInstances {
  constructor(
    private readonly reports: Reports,
    private readonly runtime: Runtime,
  ) {}

  async run(webServiceId: string, signal: AbortSignal): Promise<void> {
    await this.runtime.stop(webServiceId, signal);
    if (signal.aborted) return;
    await this.reports.record(webServiceId, { kind: 'finish-stop' });
    const output = this.runtime.logWriter(webServiceId, 'platform', []);
    logLine(output, 'The web service is stopped');
    await output.close();
  }
}
