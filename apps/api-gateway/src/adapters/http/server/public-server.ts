import type { Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorShape } from '../errors/error-shape.js';
import { Problem } from '../errors/problem.js';
import { ReceivedBody } from '../input/received-body.js';
import { answerMalformed } from './malformed-request.js';
import { requestIdOf } from './request-id.js';
import { baseHeaders } from './response-headers.js';
import type { RouteTable } from './route-table.js';

const KEEP_ALIVE_SLACK_MS = 10_000;
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface PublicServerOptions {
  readonly routes: RouteTable;
  readonly secure: boolean;
  readonly trustedProxies: readonly string[];
  readonly maxConnections: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Throws, or rejects with, what a request is refused with before its body is read. */
  readonly beforeBody: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;
  /** Told of every request as soon as its headers are here. */
  readonly arrived: (request: FastifyRequest) => void;
  /** Told of every request when its answer is out. */
  readonly answered: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Fastify set up as the public door: every refusal in our shape, bounds against slow and endless clients. */
export const publicServer = (options: PublicServerOptions): FastifyAdapter => {
  const headers = baseHeaders(options.secure);
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: requestIdOf,
    requestTimeout: options.requestTimeoutMs,
    // Longer than load balancers keep theirs; a client that takes nothing of its answer is let go.
    keepAliveTimeout: 65_000,
    connectionTimeout: 120_000,
    http: {
      headersTimeout: options.headersTimeoutMs,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 16 * 1024 },
    // Requests on kept connections are still answered while we close, with `Connection: close`.
    return503OnClosing: false,
    skipMiddie: true,
    multipart: false,
    clientErrorHandler: answerMalformed,
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
    options.arrived(request);
    reply.headers(headers).header('x-request-id', request.id);
    // Node.js would refuse this by itself, but without a body.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new Problem(400, 'The Host header is missing.', { connection: 'close' });
    }
    const admitted = options.beforeBody(request, reply);
    if (admitted) admitted.then(() => done(), done);
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
    options.answered(request, reply);
    done();
  });
  boundServer(instance.server, options.maxConnections);
  return adapter;
};

const boundServer = (server: Server, maxConnections: number): void => {
  server.maxConnections = maxConnections;
  // A client that keeps to the advertised time never writes to a connection that is just being closed.
  server.keepAliveTimeoutBuffer = KEEP_ALIVE_SLACK_MS;
  server.on('checkExpectation', (request, response) => {
    const body = JSON.stringify(errorShape(request.url ?? '/', 'This expectation cannot be met.'));
    response.writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    response.end(body);
  });
};
