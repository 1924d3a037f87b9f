import { type DynamicModule, Module } from '@nestjs/common';
import { type Host, providersOf } from './host.js';

/** Makes the members of `Host` injectable in every module of the service. */
@Module({})
export class HostModule {
  static of(host: Host): DynamicModule {
    const providers = providersOf(host);
    return { module: HostModule, global: true, providers, exports: providers };
  }
}
