import { Injectable } from '@nestjs/common';
import type { ServicePlan } from '@postern/runtime';
import { ServiceLog } from '@postern/service-host';
import { ReleaseConfigurations } from '../environment/ports.js';
import type { ServingRelease } from '../services/ports.js';
import { ReconcilerSettings } from './ports.js';

/** Completes serving releases to plans with their decrypted configurations. */
@Injectable()
export class ServicePlans {
  constructor(
    private readonly configurations: ReleaseConfigurations,
    private readonly settings: ReconcilerSettings,
    private readonly log: ServiceLog,
  ) {}

  /** Returns undefined if the configuration cannot be read: then the runtime must leave only that web service as it is. */
  async of({ configurationId, answering: _, ...release }: ServingRelease): Promise<ServicePlan | undefined> {
    try {
      const { environment, files, secrets } = await this.configurations.open(configurationId);
      return { ...release, environment, files, secrets, deadlineMs: this.settings.deadlines.releaseMs };
    } catch (error) {
      const { webServiceId } = release;
      this.log.error({ err: error, webServiceId }, 'The configuration of a release cannot be read');
      return undefined;
    }
  }
}
