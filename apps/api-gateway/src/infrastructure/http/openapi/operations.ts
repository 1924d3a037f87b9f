import { RequestMethod, type Type } from '@nestjs/common';
import {
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '@nestjs/common/internal';
import { BASE_PATHS } from '@postern/contracts';
import { z } from 'zod';
import { ADMISSION, type GatewayAdmission } from '../admission/route-admission.js';
import { NEEDS_SESSION, OPERATION, type OperationDescription } from './describe.js';

/** A route with its description. */
export interface Operation extends OperationDescription {
  readonly id: string;
  /** The operation id in the public document, such as `sendEmail`. */
  readonly publicId: string;
  readonly tag: string;
  readonly method: string;
  /** In OpenAPI format, such as `/emails/{id}`. */
  readonly path: string;
  readonly status: number;
  readonly session: boolean;
  readonly admission: GatewayAdmission;
  /** Whether the route belongs to the platform API, which admits every call first. */
  readonly platform: boolean;
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query'; readonly schema: z.ZodType }[];
}

/** The routes of a controller, read from the metadata that Nest uses for routing. */
export const operationsOf = (controller: Type): Operation[] => {
  const prototype: object = controller.prototype;
  const ownName = controller.name.replace(/Controller$/, '');
  return Object.getOwnPropertyNames(prototype).flatMap(name => {
    const handler: unknown = Reflect.get(prototype, name);
    const method: unknown = typeof handler === 'function' ? Reflect.getMetadata(METHOD_METADATA, handler) : undefined;
    if (typeof handler !== 'function' || typeof method !== 'number') return [];
    const description: OperationDescription | undefined = Reflect.getMetadata(OPERATION, handler);
    if (!description) throw new Error(`${controller.name}.${name} has no description`);
    if (description.isAlternative) return [];
    const admission: GatewayAdmission | undefined = Reflect.getMetadata(ADMISSION, handler);
    if (!admission) throw new Error(`${controller.name}.${name} has no admission`);
    const path = joined(Reflect.getMetadata(PATH_METADATA, controller), Reflect.getMetadata(PATH_METADATA, handler));
    const argumentsRead = argumentSchemas(controller, name);
    const body = description.body ?? argumentsRead.body;
    const id = description.operation ?? `${ownName}.${name}`;
    return [
      {
        ...description,
        ...(body ? { body } : {}),
        admission,
        id,
        publicId: description.operationId ?? camelCased(description.requests.at(-1)?.name ?? name),
        tag: id.split('.', 1)[0]!.replace(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`),
        method: RequestMethod[method]!.toLowerCase(),
        path: path.replace(/:(\w+)/g, '{$1}').replace('*', '{path}'),
        status: Reflect.getMetadata(HTTP_CODE_METADATA, handler) ?? (method === RequestMethod.POST ? 201 : 200),
        session: description.session ?? Reflect.getMetadata(NEEDS_SESSION, handler) === true,
        platform: path.startsWith(`${BASE_PATHS['platform-key']}/`),
        parameters: [
          ...pathParameters(path, argumentsRead.path, description.pathParameters),
          ...queryParameters(argumentsRead.query),
        ],
      },
    ];
  });
};

const camelCased = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

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

const pathParameters = (
  path: string,
  schemas: Record<string, z.ZodType>,
  descriptions: Readonly<Record<string, string>> = {},
) =>
  [...path.matchAll(/:(\w+)|\*/g)].map(([, name = 'path']) => {
    const schema = schemas[name] ?? (name === 'id' ? z.uuid() : z.string());
    const description = descriptions[name];
    return { name, in: 'path' as const, schema: description === undefined ? schema : schema.describe(description) };
  });

const queryParameters = (query: z.ZodObject | undefined) =>
  Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query' as const,
    schema: schema as z.ZodType,
  }));
