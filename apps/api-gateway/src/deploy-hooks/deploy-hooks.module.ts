import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../service-client/service-client.module.js';
import { DeployHooksController } from './deploy-hooks.controller.js';

/** Calls of Git hosts that deploy web services. */
@Module({ imports: [ServiceClientModule], controllers: [DeployHooksController] })
export class DeployHooksModule {}
