import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { WebServiceSettings } from './ports.js';
import type { webServiceSettings } from './settings.js';

/** Reads the settings of web services from the service's configuration. */
@Injectable()
export class ConfiguredWebServiceSettings extends WebServiceSettings {
  override readonly allowFileRepositories: boolean;
  override readonly retainedReleases: number;

  constructor(@Inject(CONFIG) config: ConfigOf<ConfigDefinition<typeof webServiceSettings>>) {
    super();
    this.allowFileRepositories = config.platformAllowFileRepositories;
    this.retainedReleases = config.platformRetainedReleases;
  }
}
