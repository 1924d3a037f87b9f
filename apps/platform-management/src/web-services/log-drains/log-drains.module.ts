import { Module } from '@nestjs/common';
import { EndpointHttpClient, OutboundGuard } from '@postern/outbound';
import { EncryptionModule } from '../../infrastructure/encryption/encryption.module.js';
import { OutboundModule } from '../../infrastructure/outbound/outbound.module.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { ChangeLogDrain } from './change-log-drain.js';
import { CreateLogDrain } from './create-log-drain.js';
import { DeliverLogDrains } from './deliver-log-drains.js';
import { DisableFailingLogDrains } from './disable-failing-log-drains.js';
import { DrainSender } from './drain-sender.js';
import { ListLogDrains } from './list-log-drains.js';
import { LogDrains } from './log-drains.js';
import { RemoveLogDrain } from './remove-log-drain.js';
import { TestLogDrain } from './test-log-drain.js';

/** Sends the logs of web services to other systems. */
@Module({
  imports: [EncryptionModule, OutboundModule, RuntimeModule, WebServicesModule],
  providers: [
    CreateLogDrain,
    ListLogDrains,
    ChangeLogDrain,
    RemoveLogDrain,
    TestLogDrain,
    DeliverLogDrains,
    DisableFailingLogDrains,
    LogDrains,
    {
      provide: DrainSender,
      inject: [EndpointHttpClient, OutboundGuard],
      useFactory: (http: EndpointHttpClient, guard: OutboundGuard) => new DrainSender(http, guard),
    },
  ],
})
export class LogDrainsModule {}
