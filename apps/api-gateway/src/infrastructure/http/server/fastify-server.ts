import type { Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorShape } from '../errors/error-shape.js';
import { Problem } from '../errors/problem.js';
import { ReceivedBody } from '../validation/received-body.js';
import { respondMalformed } from './malformed-request.js';
import { requestIdOf } from './request-id.js';
import { baseHeaders } from './response-headers.js';
import type { RouteTable } from './route-table.js';

const KEEP_ALIVE_SLACK_MS = 10_000;
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface FastifyServerOptions {
  readonly routes: RouteTable;
  readonly secure: boolean;
  readonly trustedProxies: readonly string[];
  readonly maxConnections: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Throws or rejects if the request must be refused before its body is read. */
  readonly beforeBody: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;
  /** Called for every request after its headers were read. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Called for every request after its response was sent. */
  readonly onResponse: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Fastify for the public API: errors in our shape, and limits against slow clients and large requests. */
export const fastifyServer = (options: FastifyServerOptions): FastifyAdapter => {
  const headers = baseHeaders(options.secure);
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: requestIdOf,
    requestTimeout: options.requestTimeoutMs,
    // Longer than that of load balancers. A client that does not read its response is disconnected.
    keepAliveTimeout: 65_000,
    connectionTimeout: 120_000,
    http: {
      headersTimeout: options.headersTimeoutMs,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 16 * 1024 },
    // While closing, requests on open connections are still answered, with `Connection: close`.
    return503OnClosing: false,
    skipMiddie: true,
    multipart: false,
    clientErrorHandler: respondMalformed,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      void reply
        .code(error.statusCode ?? 400)
        .headers({ ...headers, 'x-request-id': request.id })
        .send(errorShape(request.raw.url ?? '/', 'The URL is not valid.'));
    },
  });
  const instance = adapter.getInstance();
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (request, bytes, done) => {
    const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
    done(null, new ReceivedBody(bytes as Buffer, type, encoding));
  });
  instance.addHook('onRoute', route => options.routes.add(route.method, route.url));
  instance.addHook('onRequest', (request, reply, done) => {
    options.onRequest(request, reply);
    reply.headers(headers).header('x-request-id', request.id);
    // Node.js would refuse this itself, but with an empty body.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new Problem(400, 'The Host header is missing.', { connection: 'close' });
    }
    const admission = options.beforeBody(request, reply);
    if (admission) admission.then(() => done(), done);
    else done();
  });
  let closing = false;
  instance.addHook('preClose', done => {
    closing = true;
    done();
  });
  instance.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  instance.addHook('onResponse', (request, reply, done) => {
    options.onResponse(request, reply);
    done();
  });
  limitConnections(instance.server, options.maxConnections);
  return adapter;
};

const limitConnections = (server: Server, maxConnections: number): void => {
  server.maxConnections = maxConnections;
  // A client that respects the advertised timeout never writes to a connection that is being closed.
  server.keepAliveTimeoutBuffer = KEEP_ALIVE_SLACK_MS;
  server.on('checkExpectation', (request, response) => {
    const body = JSON.stringify(errorShape(request.url ?? '/', 'The Expect header is not supported.'));
    response.writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    response.end(body);
  });
};
