import { Module } from '@nestjs/common';
import { CONFIG } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { UsersModule } from '../../accounts/users/users.module.js';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { GIGABYTE } from './bandwidth.js';
import { BandwidthRepository } from './bandwidth-repository.js';
import { CountTraffic } from './count-traffic.js';
import { FoundWebServices } from './found-web-services.projection.js';
import { ModerateWebService } from './moderate-web-service.js';
import { PlatformSuspensions } from './platform-suspensions.js';
import { ModerationSettings, Suspensions } from './ports.js';
import type { moderationSettings } from './settings.js';

type Config = ConfigOf<ConfigDefinition<typeof moderationSettings>>;

/** Blocks and suspends web services, by operators and by their monthly bandwidth. */
@Module({
  imports: [UsersModule, prisma, RuntimeModule, WebServicesModule],
  providers: [
    FoundWebServices,
    ModerateWebService,
    CountTraffic,
    { provide: Suspensions, useClass: PlatformSuspensions },
    BandwidthRepository,
    {
      provide: ModerationSettings,
      inject: [CONFIG],
      useFactory: ({ platformMonthlyBandwidthGb: gigabytes }: Config): ModerationSettings => ({
        monthlyBandwidthBytes: gigabytes === undefined ? undefined : gigabytes * GIGABYTE,
      }),
    },
  ],
})
export class ModerationModule {}
