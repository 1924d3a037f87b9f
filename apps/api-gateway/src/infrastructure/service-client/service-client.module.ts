import { Module } from '@nestjs/common';
import { RequestClient } from '@postern/messaging';
import { ServiceClient } from './ports.js';

@Module({ providers: [{ provide: ServiceClient, useExisting: RequestClient }], exports: [ServiceClient] })
export class ServiceClientModule {}
