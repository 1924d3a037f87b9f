import { Injectable } from '@nestjs/common';
import { ServiceLog } from '@postern/service-host';
import type { ServicePlan } from '../ports/runtime.js';
import { ReleaseConfigurations, type ServingRelease, WebServiceSettings } from '../web-services/ports.js';

/** Plans of what serves, with what their releases keep sealed. */
@Injectable()
export class ServicePlans {
  constructor(
    private readonly configurations: ReleaseConfigurations,
    private readonly settings: WebServiceSettings,
    private readonly log: ServiceLog,
  ) {}

  /** A configuration that does not open costs that service its instances' return, and nobody else anything. */
  async of({ configurationId, answering: _, ...release }: ServingRelease): Promise<ServicePlan | undefined> {
    try {
      const { environment, secrets } = await this.configurations.open(configurationId);
      return { ...release, environment, secrets, deadlineMs: this.settings.deadlines.releaseMs };
    } catch (error) {
      this.log.error(
        { err: error, webServiceId: release.webServiceId },
        'The configuration of a release does not open',
      );
      return undefined;
    }
  }
}
