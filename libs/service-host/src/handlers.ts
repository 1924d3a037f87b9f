import type { NestMicroservice } from '@nestjs/microservices';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { handlesMessages, type PosternServer } from '@postern/messaging';
import { markedProviders } from './marked-providers.js';
import { NatsTransport, UncaughtErrors } from './nats-transport.js';

/**
 * Connects the transport. Nest adds the handlers of controllers to it; those of providers are added in the same way,
 * because a handler is often also injected into others.
 * @throws if two handlers have the same contract, or a provider with a handler is not a singleton.
 */
export const connectTransport = (app: NestFastifyApplication, server: PosternServer): void => {
  const strategy = new NatsTransport(server);
  const microservice = app.connectMicroservice({ strategy }, { deferInitialization: true }) as NestMicroservice;
  microservice.useGlobalFilters(new UncaughtErrors());
  microservice.registerListeners();
  for (const { wrapper, moduleKey } of markedProviders(app, { isMarked: handlesMessages, does: 'handles messages' })) {
    microservice['microservicesModule'].bindListeners(new Map([[wrapper.token, wrapper]]), strategy, moduleKey);
  }
  // The application calls the hooks of the modules.
  microservice.setIsInitialized(true);
  microservice.setIsInitHookCalled(true);
};
