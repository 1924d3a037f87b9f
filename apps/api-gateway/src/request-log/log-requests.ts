import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_KEY_FORMAT } from '../infrastructure/http/access/api-key.js';
import { credentialHashOf } from '../infrastructure/http/access/credential-hash.js';
import { PLATFORM_KEY_FORM } from '../infrastructure/http/access/platform-key.js';
import { declaredAdmission } from '../infrastructure/http/admission/route-admission.js';
import { codeOfStatus, ERROR_CODE } from '../infrastructure/http/errors/error-code.js';
import { sentEmailOf } from '../infrastructure/http/server/sent-email.js';
import { ReceivedBody } from '../infrastructure/http/validation/received-body.js';
import { loggedBody } from './logged-body.js';
import type { LogOwner, RequestLog } from './request-log.js';

/** Larger bodies are not read again for the log. */
const MAX_READ_BYTES = 262_144;
const MAX_PATH = 300;
const MAX_MESSAGE = 1_000;

/** The sentence of an error response; a property of the request, because a WeakMap would cost more. */
const SENTENCE = Symbol('sentence of the error');

type Answered = FastifyRequest & { [SENTENCE]?: string };

/** Logs every request with a key, once its response is sent. */
export const logRequests = (server: FastifyInstance, log: RequestLog): void => {
  server.addHook('onClose', () => log.flush());
  server.addHook('onSend', (request: Answered, reply, payload, done) => {
    const sentence = reply.statusCode >= 400 && keyOf(request) ? sentenceIn(payload) : undefined;
    if (sentence !== undefined) request[SENTENCE] = sentence;
    done(null, payload);
  });
  server.addHook('onResponse', (request: Answered, reply, done) => {
    const key = isLogged(request, reply) ? keyOf(request) : undefined;
    if (key) log.add(key.owner, { ...entryOf(request, reply), key_hash: credentialHashOf(request.raw, key.secret) });
    done();
  });
};

const isLogged = (request: FastifyRequest, { statusCode }: FastifyReply): boolean =>
  statusCode >= 400 || !declaredAdmission(request.routeOptions.config)?.isPolled;

interface PresentedKey {
  readonly owner: LogOwner;
  readonly secret: string;
}

/** The well-formed key of a request to a route that needs one. */
const keyOf = (request: FastifyRequest): PresentedKey | undefined => {
  const access = request.is404 ? undefined : declaredAdmission(request.routeOptions.config)?.access;
  if (access === 'api-key') {
    const secret = request.headers['api-key'];
    return typeof secret === 'string' && API_KEY_FORMAT.test(secret) ? { owner: 'email', secret } : undefined;
  }
  if (access !== 'platform-key') return undefined;
  const secret = PLATFORM_KEY_FORM.exec(request.headers.authorization ?? '')?.[1];
  return secret === undefined ? undefined : { owner: 'platform', secret };
};

const entryOf = (request: Answered, reply: FastifyReply) => {
  const { statusCode: status } = reply;
  const isError = status >= 400;
  return {
    request_id: request.id,
    at: new Date(Date.now() - Math.round(reply.elapsedTime)).toISOString(),
    method: request.method,
    path: (request.url.split(/[?#]/, 1)[0] ?? '').slice(0, MAX_PATH),
    status,
    code: isError ? String(reply.getHeader(ERROR_CODE) ?? codeOfStatus(status)) : null,
    message: request[SENTENCE] ?? null,
    duration_ms: Math.round(reply.elapsedTime),
    email_id: sentEmailOf(request) ?? null,
    // The dashboard shows a sent message itself.
    body: sentEmailOf(request) === undefined ? bodyOf(request) : null,
  };
};

const sentenceIn = (payload: unknown): string | undefined => {
  if (typeof payload !== 'string') return undefined;
  try {
    const { error, detail } = JSON.parse(payload) as { error?: unknown; detail?: unknown };
    const sentence = error ?? (typeof detail === 'object' && detail !== null ? JSON.stringify(detail) : detail);
    return typeof sentence === 'string' ? sentence.slice(0, MAX_MESSAGE).toWellFormed() : undefined;
  } catch {
    return undefined;
  }
};

const bodyOf = ({ body }: FastifyRequest): string | null => {
  if (!(body instanceof ReceivedBody) || body.bytes.length === 0 || body.bytes.length > MAX_READ_BYTES) return null;
  try {
    return loggedBody(JSON.parse(body.bytes.toString('utf8'))) ?? null;
  } catch {
    return null;
  }
};
