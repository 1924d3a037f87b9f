import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';

/** The class of a provider. */
export type Class = abstract new (...dependencies: never[]) => unknown;

/** Providers with a certain decorator, on the class or on methods. */
export interface Marked {
  /** Whether a class has the decorator. */
  readonly isMarked: (type: Class) => boolean;
  /** What a marked class does, as the predicate of an error message. */
  readonly does: string;
}

/**
 * Finds the marked providers of all modules, each once.
 * @throws if a marked provider is not a singleton, or a controller is marked.
 */
export const markedProviders = (app: INestApplicationContext, marked: Marked): ReadonlySet<object> => {
  const found = new Set<object>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const wrapper of module.controllers.values()) refuseMarkedController(wrapper, marked);
    for (const wrapper of module.providers.values()) {
      const provider = markedProvider(wrapper, marked);
      // An alias (`useExisting`) is the same provider again.
      if (provider) found.add(provider);
    }
  }
  return found;
};

const markedProvider = (wrapper: InstanceWrapper, { isMarked, does }: Marked): object | undefined => {
  const instance: unknown = wrapper.instance;
  if (typeof instance !== 'object' || instance === null) return undefined;
  const type: unknown = instance.constructor;
  if (!isClass(type) || !isMarked(type)) return undefined;
  if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) {
    throw new Error(`${type.name} ${does} and must be a singleton, but it or a dependency is request-scoped`);
  }
  return instance;
};

const refuseMarkedController = ({ metatype }: InstanceWrapper, { isMarked, does }: Marked): void => {
  if (!isClass(metatype) || !isMarked(metatype)) return;
  throw new Error(`${metatype.name} ${does}: list it under providers, not under controllers`);
};

const isClass = (type: unknown): type is Class => typeof type === 'function';
