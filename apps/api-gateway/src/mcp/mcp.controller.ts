import { createMcpHandler } from '@modelcontextprotocol/server';
import { Controller, HttpCode, Inject, Post, Query, Req, Res, type Type } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import { MIB, type platformKey } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GatewayConfig } from '../config.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { ERROR_CODE } from '../infrastructure/http/errors/error-code.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';
import { operationsOf } from '../infrastructure/http/openapi/operations.js';
import { clientAddressOf } from '../infrastructure/http/server/client-address.js';
import { queryShape } from '../infrastructure/http/validation/query-parameters.js';
import { readJson } from '../infrastructure/http/validation/received-body.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { type Credentials, credentialsOf, headersFor, permitsOf } from './credentials.js';
import { Pages } from './documentation-resources.js';
import { type ApiAnswer, mcpServer } from './mcp-server.js';
import { type ApiTool, requestOf, toolOf } from './tools.js';

const query = z.object({
  allow_writes: z
    .enum(['true', 'false'])
    .default('false')
    .describe('`true` also offers the tools that change something, as far as the key permits.'),
});

/** Serves the Model Context Protocol over HTTP: every tool is a call of the API with the key of the request. */
@Controller('mcp')
export class McpController {
  readonly #pages: Pages;
  #tools: ReadonlyMap<string, ApiTool> | undefined;

  constructor(
    private readonly services: ServiceClient,
    private readonly discovery: DiscoveryService,
    private readonly adapter: HttpAdapterHost,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'publicUrl' | 'documentationDir'>,
  ) {
    this.#pages = new Pages(config.documentationDir, config.publicUrl.replace(/\/+$/, ''));
  }

  @Post()
  @HttpCode(200)
  @Admits({ access: 'anyone', maxBodyBytes: 2 * MIB, budget: 'client' })
  @Describes({
    summary: 'The Model Context Protocol over HTTP',
    description:
      'Needs a key as a Bearer token. Offers only tools that read, unless the address has `allow_writes=true`.',
    requests: [],
    body: z.looseObject({ jsonrpc: z.literal('2.0') }),
    also: { 401: 'The request has no key, or it is not valid.' },
    codes: { 401: ['key_missing'] },
  })
  async serve(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Query({ schema: queryShape(query.shape) }) { allow_writes }: z.output<typeof query>,
  ): Promise<void> {
    const credentials = credentialsOf(request);
    const message = readJson(request.body);
    if (isSubscription(message)) throw new Problem(400, 'This server sends no notifications.');
    const mayWrite = allow_writes === 'true';
    const handler = createMcpHandler(() =>
      mcpServer({
        tools: () => this.#permitted(credentials, request, mayWrite),
        call: (name, input) => this.#call(credentials, request, mayWrite, name, input),
        pages: this.#pages,
        version: '1',
      }),
    );
    const answer = await handler.fetch(webRequestOf(request, message), { parsedBody: message });
    reply.code(answer.status);
    for (const name of ['content-type', 'mcp-protocol-version']) {
      const value = answer.headers.get(name);
      if (value !== null) reply.header(name, value);
    }
    await reply.send(await answer.text());
  }

  /** Every operation of the API whose answer is JSON, by the name of its tool. */
  #all(): ReadonlyMap<string, ApiTool> {
    this.#tools ??= new Map(
      this.discovery
        .getControllers()
        .flatMap(({ metatype }) => (typeof metatype === 'function' ? [metatype as Type] : []))
        .filter(controller => controller !== McpController)
        .flatMap(operationsOf)
        .filter(({ isText, admission }) => !isText && !admission.isEndless)
        // An operation of both APIs is one tool, for the key of the platform API.
        .sort((a, b) => rank(a.admission.access) - rank(b.admission.access))
        .map(operation => toolOf(operation))
        .reverse()
        .map(tool => [tool.name, tool]),
    );
    return this.#tools;
  }

  async #permitted(credentials: Credentials, request: FastifyRequest, mayWrite: boolean): Promise<readonly ApiTool[]> {
    const permits = await permitsOf(credentials, request, this.services, () => this.#ownKey(credentials, request));
    return [...this.#all().values()].filter(({ operation, isRead }) => (isRead || mayWrite) && permits(operation));
  }

  async #call(
    credentials: Credentials,
    request: FastifyRequest,
    mayWrite: boolean,
    name: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<ApiAnswer> {
    const tool = this.#all().get(name);
    const headers = tool && headersFor(credentials, tool.operation);
    if (!tool || !headers) return refused(`There is no tool ${name} for the key of this request.`);
    if (!tool.isRead && !mayWrite)
      return refused(
        `${name} changes something. Use the address ${this.config.publicUrl}/mcp?allow_writes=true for it.`,
      );
    const { url, body } = requestOf(tool, input);
    const answer = await this.#send(request, tool.operation.method, url, headers, body);
    if (answer.status >= 400 || !tool.results) return answer;
    return { ...answer, structured: tool.results.of(JSON.parse(answer.text)) };
  }

  /** Sends a request to this gateway itself, which admits, limits, audits and logs it like any other of the client. */
  async #send(
    request: FastifyRequest,
    method: string,
    url: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<ApiAnswer> {
    const server = this.adapter.httpAdapter.getInstance() as FastifyInstance;
    const answer = await server.inject({
      method: method.toUpperCase() as 'GET',
      url,
      headers: {
        ...headers,
        host: 'localhost',
        'user-agent': 'postern-mcp',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      remoteAddress: clientAddressOf(request),
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      code: textOf(answer.headers[ERROR_CODE]),
      requestId: textOf(answer.headers['x-request-id']),
      text: answer.payload,
    };
  }

  async #ownKey({ platform = {} }: Credentials, request: FastifyRequest): Promise<z.output<typeof platformKey>> {
    const { status, code, text } = await this.#send(request, 'get', '/api/v1/users/me/api-key', platform);
    if (status === 200) return JSON.parse(text) as z.output<typeof platformKey>;
    throw new Error(`${text}${code ? ` Code: ${code}` : ''}`);
  }
}

const rank = (access: string): number => (access === 'platform-key' || access === 'api-key' ? 0 : 1);

const refused = (text: string): ApiAnswer => ({ status: 400, code: undefined, requestId: undefined, text });

const textOf = (header: unknown): string | undefined => (typeof header === 'string' ? header : undefined);

/** A stream without an end, for notifications that this server does not have. */
const isSubscription = (message: unknown): boolean =>
  [message]
    .flat()
    .some(one => typeof one === 'object' && one !== null && Reflect.get(one, 'method') === 'subscriptions/listen');

const webRequestOf = ({ headers, url }: FastifyRequest, message: unknown): Request => {
  const kept = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && /^(?:accept|content-type|mcp-.*)$/.test(name),
  ) as [string, string][];
  return new Request(new URL(url, 'http://localhost'), {
    method: 'POST',
    headers: kept,
    body: JSON.stringify(message),
  });
};
