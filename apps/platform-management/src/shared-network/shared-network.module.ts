import { Module } from '@nestjs/common';
import { RuntimeModule } from '../infrastructure/runtime/runtime.module.js';
import { SharedNetwork } from './ports.js';
import { PostgresSharedNetwork } from './postgres-shared-network.js';

/** Refuses the code of a second workspace where web services share a network. */
@Module({
  imports: [RuntimeModule],
  providers: [{ provide: SharedNetwork, useClass: PostgresSharedNetwork }],
  exports: [SharedNetwork],
})
export class SharedNetworkModule {}
