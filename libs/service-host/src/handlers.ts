import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { handlerMarks, type PosternServer } from '@postern/messaging';

/**
 * Registers all providers with a `Handles` or `HandlesEvents` decorator with the transport.
 * @throws if two handlers have the same contract, or a decorated provider is not a singleton.
 */
export const registerHandlers = (app: INestApplicationContext, server: PosternServer): void => {
  const registered = new Set<object>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const wrapper of module.controllers.values()) refuseMarkedController(wrapper);
    for (const wrapper of module.providers.values()) {
      const provider = markedProvider(wrapper);
      // An alias (`useExisting`) is the same provider again.
      if (!provider || registered.has(provider)) continue;
      registered.add(provider);
      server.addProvider(provider);
    }
  }
};

const markedProvider = (wrapper: InstanceWrapper): object | undefined => {
  const instance: unknown = wrapper.instance;
  if (typeof instance !== 'object' || instance === null) return undefined;
  const type: unknown = instance.constructor;
  if (typeof type !== 'function' || handlerMarks(type).length === 0) return undefined;
  if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) {
    throw new Error(`${type.name} handles messages and must be a singleton, but it or a dependency is request-scoped`);
  }
  return instance;
};

const refuseMarkedController = ({ metatype }: InstanceWrapper): void => {
  if (typeof metatype !== 'function') return;
  if (handlerMarks(metatype).length === 0) return;
  throw new Error(`${metatype.name} handles messages: list it under providers, not under controllers`);
};
