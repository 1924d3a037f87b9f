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

/** A provider in one of the modules. */
export interface MarkedProvider {
  readonly instance: object;
  readonly wrapper: InstanceWrapper;
  readonly moduleKey: string;
}

/**
 * Finds the marked providers of all modules, each once.
 * @throws if a marked provider is not a singleton.
 */
export const markedProviders = (app: INestApplicationContext, marked: Marked): readonly MarkedProvider[] => {
  const found = new Map<object, MarkedProvider>();
  for (const [moduleKey, { providers }] of app.get(ModulesContainer)) {
    for (const wrapper of providers.values()) {
      const instance = markedInstance(wrapper, marked);
      // An alias (`useExisting`) is the same provider again.
      if (instance && !found.has(instance)) found.set(instance, { instance, wrapper, moduleKey });
    }
  }
  return [...found.values()];
};

/** @throws if the class of a controller is marked. */
export const refuseMarkedControllers = (app: INestApplicationContext, { isMarked, does }: Marked): void => {
  for (const { controllers } of app.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      if (!isClass(metatype) || !isMarked(metatype)) continue;
      throw new Error(`${metatype.name} ${does}: list it under providers, not under controllers`);
    }
  }
};

const markedInstance = (wrapper: InstanceWrapper, { isMarked, does }: Marked): object | undefined => {
  const instance: unknown = wrapper.instance;
  if (typeof instance !== 'object' || instance === null) return undefined;
  const type: unknown = instance.constructor;
  if (!isClass(type) || !isMarked(type)) return undefined;
  if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) {
    throw new Error(`${type.name} ${does} and must be a singleton, but it or a dependency is request-scoped`);
  }
  return instance;
};

const isClass = (type: unknown): type is Class => typeof type === 'function';
