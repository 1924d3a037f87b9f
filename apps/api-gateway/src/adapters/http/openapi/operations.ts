import { RequestMethod, type Type } from '@nestjs/common';
import {
  GUARDS_METADATA,
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '@nestjs/common/internal';
import { z } from 'zod';
import { SessionGuard } from '../dashboard/session.guard.js';
import { PLATFORM_PREFIX } from '../platform/admission.js';
import { OPERATION, type OperationDescription } from './describe.js';

/** One route as Nest serves it, with its description. */
export interface Operation extends OperationDescription {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  /** In OpenAPI's form: `/emails/{id}`. */
  readonly path: string;
  readonly status: number;
  readonly signedIn: boolean;
  /** Of the platform API, which admits every call before anything else. */
  readonly platform: boolean;
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query'; readonly schema: z.ZodType }[];
}

/** The routes of a controller, inherited ones included, read from the same metadata that Nest routes by. */
export const operationsOf = (controller: Type): Operation[] => {
  const prototype: object = controller.prototype;
  const ownName = controller.name.replace(/Controller$/, '');
  return namesIn(prototype).flatMap(name => {
    const handler: unknown = Reflect.get(prototype, name);
    const method: unknown = typeof handler === 'function' ? Reflect.getMetadata(METHOD_METADATA, handler) : undefined;
    if (typeof handler !== 'function' || typeof method !== 'number') return [];
    const description: OperationDescription | undefined = Reflect.getMetadata(OPERATION, handler);
    if (!description) throw new Error(`${controller.name}.${name} is not described`);
    const path = joined(Reflect.getMetadata(PATH_METADATA, controller), Reflect.getMetadata(PATH_METADATA, handler));
    const argumentsRead = argumentSchemas(controller, name);
    const body = description.body ?? argumentsRead.body;
    const resource = path.startsWith('/dashboard/api/') ? ownName.replace(/^Dashboard/, '') : ownName;
    return [
      {
        ...description,
        ...(body ? { body } : {}),
        id: `${resource}.${name}`,
        tag: resource.replace(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`),
        method: RequestMethod[method]!.toLowerCase(),
        path: path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}'),
        status: Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? (method === RequestMethod.POST ? 201 : 200),
        signedIn: [controller, handler].some(target =>
          (Reflect.getMetadata(GUARDS_METADATA, target) ?? []).includes(SessionGuard),
        ),
        platform: path.startsWith(PLATFORM_PREFIX),
        parameters: [...pathParameters(path, argumentsRead.path), ...queryParameters(argumentsRead.query)],
      },
    ];
  });
};

/** A handler that a class inherits is a route of that class, too. */
const namesIn = (prototype: object): string[] => {
  const parent: unknown = Object.getPrototypeOf(prototype);
  const inherited = typeof parent === 'object' && parent !== null && parent !== Object.prototype ? namesIn(parent) : [];
  return [...new Set([...inherited, ...Object.getOwnPropertyNames(prototype)])];
};

const joined = (...parts: unknown[]): string =>
  `/${parts
    .map(part => String(part).replace(/^\/|\/$/g, ''))
    .filter(Boolean)
    .join('/')}`;

interface ArgumentSchemas {
  body?: z.ZodType;
  query?: z.ZodObject;
  path: Record<string, z.ZodType>;
}

const argumentSchemas = (controller: Type, handler: string): ArgumentSchemas => {
  const read: Record<string, { data?: unknown; schema?: unknown }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {};
  const schemas: ArgumentSchemas = { path: {} };
  for (const [key, { data, schema }] of Object.entries(read)) {
    const type = Number(key.split(':')[0]);
    if (!(schema instanceof z.ZodType)) continue;
    if (type === RouteParamtypes.BODY) schemas.body = schema;
    else if (type === RouteParamtypes.QUERY && schema instanceof z.ZodObject) schemas.query = schema;
    else if (type === RouteParamtypes.PARAM && typeof data === 'string') schemas.path[data] = schema;
    else if (type === RouteParamtypes.PARAM && schema instanceof z.ZodObject) Object.assign(schemas.path, schema.shape);
  }
  return schemas;
};

const pathParameters = (path: string, schemas: Record<string, z.ZodType>) =>
  [...path.matchAll(/:(\w+)|\*/g)].map(([, name = 'path']) => ({
    name,
    in: 'path' as const,
    schema: schemas[name] ?? (name === 'id' ? z.uuid() : z.string()),
  }));

const queryParameters = (query: z.ZodObject | undefined) =>
  Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query' as const,
    schema: schema as z.ZodType,
  }));
