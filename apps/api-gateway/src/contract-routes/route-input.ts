import {
  type CallerField,
  callerFieldsOf,
  type FieldHints,
  fieldHints,
  type HttpRoute,
  pathParametersOf,
  type RequestContract,
} from '@postern/contracts';
import { z } from 'zod';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';

/** The input of a route from an HTTP request, derived from the schema of the contract's request. */
export interface RouteInput {
  readonly path?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Builds the request from the input and the caller. */
  toRequest(
    caller: Readonly<Partial<Record<CallerField, unknown>>>,
    path: object,
    input: object,
  ): Record<string, unknown>;
}

/** @throws if a path parameter is not a field of the request. */
export const routeInputOf = ({ request, name }: RequestContract, route: HttpRoute): RouteInput => {
  if (!(request instanceof z.ZodObject)) throw new Error(`${name} has an HTTP route, so its request must be an object`);
  const shape: Record<string, z.ZodType> = { ...request.shape, ...route.narrowed };
  const parameters = pathParametersOf(route.path);
  const unknown = parameters.find(parameter => !shape[parameter]);
  if (unknown) throw new Error(`${name} has the path parameter ${unknown}, but no such field`);
  const ofCaller = callerFieldsOf(Object.keys(shape), route);
  const taken = new Set([...parameters, ...ofCaller.map(([field]) => field), ...Object.keys(route.fixed ?? {})]);
  const remaining = Object.fromEntries(Object.entries(shape).filter(([field]) => !taken.has(field)));
  return {
    ...(parameters.length > 0 ? { path: z.object(pick(shape, parameters)) } : {}),
    ...inputShape(route, remaining, fieldHints.get(request)),
    toRequest: (caller, path, input) => ({
      ...(route.bodyField === undefined ? input : { [route.bodyField]: input }),
      ...path,
      ...Object.fromEntries(ofCaller.map(([field, from]) => [field, caller[from]])),
      ...route.fixed,
    }),
  };
};

const inputShape = (
  { method, bodyField, bodyOptional }: HttpRoute,
  remaining: Readonly<Record<string, z.ZodType>>,
  hints: FieldHints | undefined,
): Pick<RouteInput, 'query' | 'body'> => {
  if (Object.keys(remaining).length === 0) return {};
  if (method === 'GET' || method === 'DELETE') {
    const query = queryShape(remaining);
    if (hints) fieldHints.add(query, hints);
    return { query };
  }
  const body = bodyField === undefined ? z.strictObject(remaining) : remaining[bodyField];
  if (!body) return {};
  if (hints) fieldHints.add(body, hints);
  return { body: bodyOptional ? z.prefault(body, {}) : body };
};

const pick = <Value>(values: Readonly<Record<string, Value>>, names: readonly string[]): Record<string, Value> =>
  Object.fromEntries(names.map(name => [name, values[name] as Value]));
