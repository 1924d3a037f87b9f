import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { Reports } from './reports.js';

/** Removes a deleted web service from the runtime, then all its data in the platform. */
@Injectable()
export class RemoveWebService {
  constructor(
    private readonly reports: Reports,
    private readonly runtime: Runtime,
  ) {}

  async run(webServiceId: string): Promise<void> {
    await this.runtime.remove(webServiceId);
    await this.reports.record(webServiceId, { kind: 'finish-removal' });
  }
}
