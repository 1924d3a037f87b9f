import { Module } from '@nestjs/common';
import { DeliveryTracking } from './delivery-tracking.js';
import { HttpsSnsDocuments } from './https-sns-documents.js';
import { SnsDocuments } from './ports.js';
import { ProviderEndpointRepository } from './provider-endpoint-repository.js';
import { ProviderEndpoints } from './provider-endpoints.js';
import { Providers } from './providers.js';
import { ReceiveProviderEvents } from './receive-provider-events.js';
import { Ses } from './ses.js';
import { SnsMessages } from './sns-message.js';

/** Events of mail providers that Postern sends through. */
@Module({
  providers: [
    ProviderEndpoints,
    ProviderEndpointRepository,
    Providers,
    ReceiveProviderEvents,
    Ses,
    SnsMessages,
    DeliveryTracking,
    { provide: SnsDocuments, useClass: HttpsSnsDocuments },
  ],
})
export class ProviderEndpointsModule {}
