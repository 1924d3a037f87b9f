import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type ConnectionLimits, intercept, rangesOf } from '@postern/service-host/connections';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../admission/admission.js';
import type { BodyReader } from '../admission/body-reader.js';
import { declaredAdmission } from '../admission/route-admission.js';
import { codeOfStatus, ERROR_CODE } from '../errors/error-code.js';
import { errorShape } from '../errors/error-shape.js';
import { acceptQueued } from './accept-queued.js';
import { BODY_KINDS } from './body-kinds.js';
import { type CellRoute, routingFailureOf } from './cell-route.js';
import { respondMalformed } from './malformed-request.js';
import { requestIdOf } from './request-id.js';
import { baseHeaders } from './response-headers.js';
import type { RouteTable } from './route-table.js';
import { routeUrlOf } from './route-url.js';
import { isUpgrade, routeUpgrades } from './websocket-upgrades.js';

const KEEP_ALIVE_SLACK_MS = 10_000;

export interface FastifyServerOptions {
  readonly routes: RouteTable;
  readonly secure: boolean;
  readonly trustedProxies: readonly string[];
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly admission: Admission;
  readonly bodies: BodyReader;
  /** Absent for a server that gets the requests of another one. */
  readonly connections?: ConnectionLimits | undefined;
  /** Passes requests to the servers of other cells; absent if there is one. */
  readonly route?: CellRoute | undefined;
  /** Whether the process is stopping: then every response closes its connection. */
  readonly isStopping: () => boolean;
  /** Called for every request once its headers are read. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Called for every request once its response is sent. */
  readonly onResponse: (request: FastifyRequest, reply: FastifyReply) => void;
}

/** Fastify for the public API: errors in Postern's format, and limits against slow clients and large requests. */
export const fastifyServer = (options: FastifyServerOptions): FastifyAdapter => {
  const headers = baseHeaders(options.secure);
  const adapter = new FastifyAdapter({
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: requestIdOf,
    requestTimeout: options.requestTimeoutMs,
    // Longer than the keep-alive of load balancers. A client that does not read its response is disconnected.
    keepAliveTimeout: 65_000,
    connectionTimeout: 120_000,
    http: {
      headersTimeout: options.headersTimeoutMs,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16 * 1024,
      // Smaller than one read, so that no second one happens until a body is requested.
      highWaterMark: 16 * 1024,
      requireHostHeader: false,
      shouldUpgradeCallback: isUpgrade,
    },
    routerOptions: { maxParamLength: 16 * 1024, constraints: BODY_KINDS },
    // During shutdown, requests on open connections are still answered, with `Connection: close`.
    return503OnClosing: false,
    skipMiddie: true,
    multipart: false,
    clientErrorHandler: respondMalformed,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      void reply
        .code(error.statusCode ?? 400)
        .headers({ ...headers, 'x-request-id': request.id, [ERROR_CODE]: codeOfStatus(error.statusCode ?? 400) })
        .send(errorShape(request.raw.url ?? '/', 'The URL is not valid.'));
    },
  });
  const instance = adapter.getInstance();
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    options.bodies.read(request, payload),
  );
  instance.addHook('onRoute', route => {
    if (!declaredAdmission(route.config)) throw new Error(`${route.method} ${route.url} declares no admission`);
    options.routes.add(route.method, route.url);
  });
  instance.addHook('onRequest', (request, reply, done) => {
    options.onRequest(request, reply);
    passMalformedType(request.raw);
    reply.headers(headers).header('x-request-id', request.id);
    const failure = options.route && routingFailureOf(request.raw);
    if (failure) throw failure;
    const isRouted = !request.is404 && !options.routes.isOfAnother(routeUrlOf(request), request.url);
    const admitted = options.admission.admit(request, reply, isRouted);
    if (admitted) {
      admitted.then(() => options.bodies.assertDeclaredLength(request, reply)).then(() => done(), done);
      return;
    }
    options.bodies.assertDeclaredLength(request, reply);
    done();
  });
  instance.addHook('onSend', (request, reply, payload, done) => {
    options.bodies.discardUnread(request, reply);
    options.admission.answered(request, reply.statusCode);
    if (options.isStopping()) reply.header('connection', 'close');
    done(null, payload);
  });
  instance.addHook('onResponse', (request, reply, done) => {
    options.onResponse(request, reply);
    done();
  });
  instance.addHook('preClose', () => acceptQueued(instance.server));
  // A client that respects the advertised timeout never writes to a connection that is being closed.
  instance.server.keepAliveTimeoutBuffer = KEEP_ALIVE_SLACK_MS;
  routeUpgrades(instance.server);
  answerExpectations(instance.server, options.bodies);
  if (options.route) {
    const { route } = options;
    intercept<[IncomingMessage, ServerResponse]>(instance.server, 'request', ([request, response], pass) =>
      route(request, response, pass),
    );
  }
  options.connections?.apply(instance.server, rangesOf(options.trustedProxies));
  return adapter;
};

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;|$)/;

/** Fastify answers a malformed content type before authentication; as an unknown one, it is refused with the expected type. */
const passMalformedType = ({ headers }: IncomingMessage): void => {
  const type = headers['content-type'];
  if (type === undefined || type === 'application/json' || MEDIA_TYPE.test(type)) return;
  headers['content-type'] = 'application/octet-stream';
};

const answerExpectations = (server: Server, bodies: BodyReader): void => {
  server.on('checkContinue', (request, response) => {
    bodies.expectContinue(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    const body = JSON.stringify(errorShape(request.url ?? '/', 'The Expect header is not supported.'));
    response.writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      [ERROR_CODE]: codeOfStatus(417),
      connection: 'close',
    });
    response.end(body);
  });
};
