import type { INestApplicationContext } from '@nestjs/common';
import { handlerMarks, type PosternServer } from '@postern/messaging';
import { markedProviders } from './marked-providers.js';

/**
 * Registers all providers with a `Handles` or `HandlesEvents` decorator with the transport.
 * @throws if two handlers have the same contract, or a decorated provider is not a singleton.
 */
export const registerHandlers = (app: INestApplicationContext, server: PosternServer): void => {
  const handlers = { isMarked: (type: object) => handlerMarks(type).length > 0, does: 'handles messages' };
  for (const provider of markedProviders(app, handlers)) server.addProvider(provider);
};
