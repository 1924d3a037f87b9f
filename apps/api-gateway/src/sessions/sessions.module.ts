import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../service-client/service-client.module.js';
import { SessionController } from './session.controller.js';

@Module({ imports: [ServiceClientModule], controllers: [SessionController] })
export class SessionsModule {}
