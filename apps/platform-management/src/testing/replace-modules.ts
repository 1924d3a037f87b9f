import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';

type Imported = Type | DynamicModule;

/** Copies a module tree and replaces some modules, like `overrideModule` of @nestjs/testing, for services that `startService` starts. */
export function replaceModules(root: Type, replacements: ReadonlyMap<Type, Type>): Type {
  const copies = new Map(replacements);

  const copyOf = (original: Imported): Imported => {
    if (typeof original !== 'function') return original;
    const known = copies.get(original);
    if (known) return known;
    const copy = { [original.name]: class extends original {} }[original.name] as Type;
    copies.set(original, copy);
    Module({
      imports: listOf<Imported>(MODULE_METADATA.IMPORTS, original).map(copyOf),
      controllers: listOf(MODULE_METADATA.CONTROLLERS, original),
      providers: listOf(MODULE_METADATA.PROVIDERS, original),
      exports: listOf(MODULE_METADATA.EXPORTS, original),
    })(copy);
    return copy;
  };

  return copyOf(root) as Type;
}

const listOf = <T extends object = Type>(key: string, module: Type): T[] => Reflect.getMetadata(key, module) ?? [];
