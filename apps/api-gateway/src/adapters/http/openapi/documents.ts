import { STATUS_CODES } from 'node:http';
import type { Type } from '@nestjs/common';
import { STATUS_OF_REFUSAL } from '../errors/refusal-status.js';
import { type Operation, operationsOf } from './operations.js';
import { AnswerSchemas, inputSchema, nameOfReply } from './schemas.js';

/** A document as far as we build it; its validity is a test's business. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly [part: string]: unknown;
}

/** OpenAPI 3.1 from the controllers' own metadata and the contracts' schemas; built when first asked for. */
export class OpenApiDocuments {
  private publicDocument: OpenApiDocument | undefined;
  private dashboardDocument: OpenApiDocument | undefined;

  constructor(
    private readonly controllers: { readonly publicApi: readonly Type[]; readonly dashboardApi: readonly Type[] },
    private readonly publicUrl: string,
  ) {}

  publicApi(): OpenApiDocument {
    this.publicDocument ??= documentOf('Postern', this.controllers.publicApi, this.publicUrl, {
      apiKey: { type: 'apiKey', in: 'header', name: 'Api-Key' },
    });
    return this.publicDocument;
  }

  dashboardApi(): OpenApiDocument {
    this.dashboardDocument ??= documentOf('Postern dashboard', this.controllers.dashboardApi, this.publicUrl, {
      bearer: { type: 'http', scheme: 'bearer' },
      cookie: { type: 'apiKey', in: 'cookie', name: 'postern_session' },
    });
    return this.dashboardDocument;
  }
}

const documentOf = (
  title: string,
  controllers: readonly Type[],
  publicUrl: string,
  securitySchemes: Record<string, object>,
): OpenApiDocument => {
  const answers = new AnswerSchemas();
  const references = new Set<string>();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of controllers.flatMap(operationsOf)) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] = operationObject(operation, answers, references);
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1.0.0' },
    servers: [{ url: publicUrl }],
    paths,
    components: { schemas: { ...answers.components(references), Error: ERROR_SCHEMA }, securitySchemes },
  };
};

const ERROR_SCHEMA = {
  type: 'object',
  properties: { error: { type: 'string', description: 'What went wrong, for people.' } },
  required: ['error'],
  additionalProperties: false,
};

const operationObject = (operation: Operation, answers: AnswerSchemas, references: Set<string>): object => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description ? { description: operation.description } : {}),
  ...securityOf(operation),
  parameters: [
    ...operation.parameters.map(({ name, in: place, schema }) => ({
      name,
      in: place,
      required: place === 'path' || !schema.safeParse(undefined).success,
      schema: inputSchema(schema),
    })),
    ...Object.entries(operation.requestHeaders ?? {})
      .filter(([name]) => name !== 'Api-Key')
      .map(([name, header]) => ({ name, in: 'header', ...header, schema: { type: 'string' } })),
  ],
  ...(operation.body
    ? { requestBody: { required: true, content: { 'application/json': { schema: inputSchema(operation.body) } } } }
    : {}),
  responses: {
    [operation.status]: { description: 'Done.', ...headersOf(operation), ...contentOf(operation, answers, references) },
    ...refusalsOf(operation),
  },
});

const securityOf = (operation: Operation): { security?: object[] } => {
  if (operation.signedIn) return { security: [{ bearer: [] }, { cookie: [] }] };
  return operation.requestHeaders?.['Api-Key'] ? { security: [{ apiKey: [] }] } : {};
};

const headersOf = ({ responseHeaders }: Operation): { headers?: object } =>
  responseHeaders
    ? {
        headers: Object.fromEntries(
          Object.entries(responseHeaders).map(([name, description]) => [
            name,
            { description, schema: { type: 'string' } },
          ]),
        ),
      }
    : {};

const contentOf = (operation: Operation, answers: AnswerSchemas, references: Set<string>): { content?: object } => {
  const asked = operation.asks.at(-1);
  const reply = operation.reply ?? asked?.reply;
  if (!reply) return operation.contentType ? { content: { [operation.contentType]: {} } } : {};
  const schema = answers.reference(reply, nameOfReply(asked?.name ?? operation.id));
  references.add(schema.$ref);
  return { content: { 'application/json': { schema } } };
};

const refusalsOf = (operation: Operation): Record<string, object> => {
  const reasons = new Map<number, string[]>();
  const add = (status: number, reason: string) => reasons.set(status, [...(reasons.get(status) ?? []), reason]);
  for (const [status, reason] of Object.entries(operation.also ?? {})) add(Number(status), reason);
  for (const code of operation.asks.flatMap(contract => contract.refusals)) {
    const status = Object.hasOwn(STATUS_OF_REFUSAL, code) && STATUS_OF_REFUSAL[code as keyof typeof STATUS_OF_REFUSAL];
    if (status) add(status, `\`${code}\``);
  }
  if (operation.body || operation.parameters.some(({ schema }) => !schema.safeParse('text').success)) {
    add(400, 'The request does not have the expected shape.');
  }
  if (operation.signedIn) add(401, 'Nobody is signed in.');
  if (operation.asks.length > 0) add(503, 'The service behind the door does not answer; try again.');
  return Object.fromEntries(
    [...reasons].map(([status, texts]) => [
      status,
      {
        description: texts.join(' ') || (STATUS_CODES[status] ?? ''),
        ...(status >= 400
          ? { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
          : {}),
      },
    ]),
  );
};
