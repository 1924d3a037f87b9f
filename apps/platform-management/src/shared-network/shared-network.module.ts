import { Module } from '@nestjs/common';
import { RuntimeModule } from '../infrastructure/runtime/runtime.module.js';
import { SharedNetwork } from './shared-network.js';

/** Refuses the code of a second workspace where web services share a network. */
@Module({
  imports: [RuntimeModule],
  providers: [SharedNetwork],
  exports: [SharedNetwork],
})
export class SharedNetworkModule {}
