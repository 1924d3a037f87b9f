import { type ToolResults, toolResults } from '@postern/contracts';
import type { Operation } from '../infrastructure/http/openapi/operations.js';
import { inputSchema } from '../infrastructure/http/openapi/schemas.js';

/** A tool that calls one operation of the API. */
export interface ApiTool {
  readonly operation: Operation;
  readonly name: string;
  readonly description: string;
  readonly isRead: boolean;
  readonly inputSchema: ToolResults['schema'];
  /** Undefined for an operation that answers nothing. */
  readonly results: ToolResults | undefined;
}

/** The field of the input that holds a body which is not an object, such as a batch. */
const BODY = 'body';

/** `sendEmail` becomes `send_email`. */
const snakeCase = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, letter => `_${letter}`).toLowerCase();

export const toolOf = (operation: Operation): ApiTool => {
  const { publicId, summary, description, method, parameters, body, reply, requests } = operation;
  const answer = reply ?? requests.at(-1)?.reply;
  const properties: Record<string, unknown> = {};
  const required = new Set<string>();
  for (const { name, in: place, schema } of parameters) {
    properties[name] = inputSchema(schema);
    if (place === 'path' || !schema.safeParse(undefined).success) required.add(name);
  }
  if (body) {
    const schema = inputSchema(body);
    const isObject = schema.type === 'object' && typeof schema.properties === 'object';
    Object.assign(properties, isObject ? schema.properties : { [BODY]: schema });
    for (const name of isObject ? (schema.required ?? []) : [BODY]) required.add(name);
  }
  return {
    operation,
    name: snakeCase(publicId),
    description: `${summary}.${description ? ` ${description}` : ''}`,
    isRead: method === 'get',
    inputSchema: { type: 'object', properties, ...(required.size > 0 ? { required: [...required] } : {}) },
    results: answer && toolResults(answer),
  };
};

/** The HTTP request of a call: path parameters, the query of a read, and everything else as the body. */
export const requestOf = (
  { operation: { path, method, parameters, body } }: ApiTool,
  input: Readonly<Record<string, unknown>>,
): { readonly url: string; readonly body: unknown } => {
  const ofPath = new Set(parameters.filter(one => one.in === 'path').map(({ name }) => name));
  const ofQuery = new Set(parameters.filter(one => one.in === 'query').map(({ name }) => name));
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name] ?? '')));
  const rest = Object.entries(input).filter(([name]) => !ofPath.has(name));
  // An unknown field of a read goes to the query, where the API names it in its refusal.
  const isQuery = (name: string): boolean => ofQuery.has(name) || !body;
  const query = new URLSearchParams();
  for (const [name, value] of rest.filter(([name]) => isQuery(name)))
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  const fields = Object.fromEntries(rest.filter(([name]) => !isQuery(name)));
  const isWhole = body !== undefined && inputSchema(body).type !== 'object' && BODY in fields;
  return {
    url: query.size === 0 ? url : `${url}?${query}`,
    body: method === 'get' || !body ? undefined : isWhole ? fields[BODY] : fields,
  };
};
