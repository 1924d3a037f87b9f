import { Inject, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BASE_PATHS } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import { z } from 'zod';
import type { GatewayConfig } from '../../../config.js';
import { SessionCookies } from '../access/session-cookie.js';
import { ERROR_SCHEMAS, PLATFORM_ERROR_SCHEMAS } from './errors.js';
import { type Operation, operationsOf } from './operations.js';
import { describedTags, PUBLIC_DESCRIPTION, PUBLIC_SECURITY_SCHEMES } from './public-document.js';
import { REPEATABLE_HEADERS } from './repeatable.js';
import { responsesOf } from './responses.js';
import { AnswerSchemas, inputSchema } from './schemas.js';
import { webhookCalls } from './webhooks.js';

/** The parts of a document that the gateway builds; a test validates the whole document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly [part: string]: unknown;
}

/**
 * OpenAPI 3.1 documents, built at first use from the controllers of the application and the schemas of the contracts.
 */
@Injectable()
export class OpenApiDocuments {
  #publicDocument: OpenApiDocument | undefined;
  #dashboardDocument: OpenApiDocument | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  publicApi(): OpenApiDocument {
    this.#publicDocument ??= publicApiDocument(this.#controllers(), this.config.publicUrl);
    return this.#publicDocument;
  }

  dashboardApi(): OpenApiDocument {
    this.#dashboardDocument ??= dashboardApiDocument(this.#controllers(), this.config.publicUrl);
    return this.#dashboardDocument;
  }

  #controllers(): readonly Type[] {
    return this.discovery
      .getControllers()
      .flatMap(({ metatype }) => (typeof metatype === 'function' ? [metatype as Type] : []));
  }
}

/** The document of the email API and the platform API, including webhook calls. */
export const publicApiDocument = (controllers: readonly Type[], publicUrl: string): OpenApiDocument => {
  const operations = controllers.flatMap(operationsOf).filter(({ admission }) => PUBLIC.has(admission.access));
  const answers = new AnswerSchemas();
  const references = new Set<string>();
  const paths = pathsOf(operations, ({ publicId }) => publicId, answers, references);
  const webhooks = webhookCalls(answers, references);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version: '1.0.0',
      summary: 'Transactional email and platform management',
      description: PUBLIC_DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'This installation' }],
    tags: describedTags(new Set([...operations.map(({ tag }) => tag), 'Webhooks'])),
    paths,
    webhooks,
    components: {
      schemas: { ...answers.components(references), ...ERROR_SCHEMAS, ...PLATFORM_ERROR_SCHEMAS },
      securitySchemes: PUBLIC_SECURITY_SCHEMES,
    },
  };
};

export const dashboardApiDocument = (controllers: readonly Type[], publicUrl: string): OpenApiDocument => {
  const operations = controllers.flatMap(operationsOf).filter(isDashboardApi);
  const answers = new AnswerSchemas();
  const references = new Set<string>();
  const paths = pathsOf(operations, ({ id }) => id, answers, references);
  return {
    openapi: '3.1.0',
    info: { title: 'Postern dashboard', version: '1.0.0' },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      schemas: { ...answers.components(references), ...ERROR_SCHEMAS },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: new SessionCookies(publicUrl).sessionName },
      },
    },
  };
};

/** The public API: excludes pages, tracking links, deploy hook URLs, health checks and the documents themselves. */
const PUBLIC: ReadonlySet<string> = new Set(['api-key', 'platform-key']);

const isDashboardApi = ({ path }: Operation): boolean =>
  path.startsWith(`${BASE_PATHS.session}/`) && !path.endsWith('/openapi.json');

const pathsOf = (
  operations: readonly Operation[],
  idOf: (operation: Operation) => string,
  answers: AnswerSchemas,
  references: Set<string>,
): Record<string, Record<string, object>> => {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] = {
      operationId: idOf(operation),
      ...operationObject(operation, answers, references),
    };
  }
  return paths;
};

const operationObject = (operation: Operation, answers: AnswerSchemas, references: Set<string>): object => ({
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description ? { description: operation.description } : {}),
  ...securityOf(operation),
  parameters: parametersOf(operation),
  ...bodyOf(operation),
  responses: responsesOf(operation, answers, references),
});

const securityOf = (operation: Operation): { security?: object[] } => {
  if (operation.session) return { security: [{ bearer: [] }, { cookie: [] }] };
  if (operation.platform) return { security: [{ platformKey: [] }] };
  return operation.requestHeaders?.['Api-Key'] ? { security: [{ apiKey: [] }] } : {};
};

const parametersOf = (operation: Operation): object[] => [
  ...operation.parameters.map(({ name, in: place, schema }) => {
    const { description, ...shape } = inputSchema(schema);
    return {
      name,
      in: place,
      required: place === 'path' || !schema.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: shape,
    };
  }),
  ...Object.entries({ ...(operation.repeatable ? REPEATABLE_HEADERS : {}), ...operation.requestHeaders })
    .filter(([name]) => name !== 'Api-Key')
    .map(([name, { schema, ...header }]) => ({
      name,
      in: 'header',
      ...header,
      schema: inputSchema(schema ?? z.string()),
    })),
];

const bodyOf = ({ body, examples, archive }: Operation): { requestBody?: object } => {
  if (!body) return {};
  const { description, ...schema } = inputSchema(body);
  const example = examples?.body;
  const content = { schema, ...(example === undefined ? {} : { example }) };
  return {
    requestBody: {
      ...(description === undefined ? {} : { description }),
      required: !body.safeParse(undefined).success,
      content: {
        'application/json': content,
        ...(archive === undefined
          ? {}
          : { 'application/gzip': { schema: { type: 'string', format: 'binary', description: archive } } }),
      },
    },
  };
};
