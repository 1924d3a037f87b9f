import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/internal';

/** The controllers of a module and of the modules that it imports, without starting an application. */
export const controllersOf = (module: Type): readonly Type[] => [
  ...(Reflect.getMetadata(MODULE_METADATA.IMPORTS, module) ?? []).flatMap((imported: unknown) =>
    typeof imported === 'function' ? controllersOf(imported as Type) : [],
  ),
  ...(Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) ?? []),
];
