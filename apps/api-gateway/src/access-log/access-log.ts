import { type PlainFields, type ServiceLog, wideNetworkOf } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findCaller } from '../infrastructure/http/access/caller.js';
import { credentialHashOf } from '../infrastructure/http/access/credential-hash.js';
import { clientAddressOf } from '../infrastructure/http/server/client-address.js';
import { traceparentOf } from '../infrastructure/http/server/request-trace.js';
import { routeUrlOf } from '../infrastructure/http/server/route-url.js';

/** Long enough to distinguish the keys of an installation. */
const KEY_HASH_DIGITS = 16;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Writes one line for each request when its response is closed, even if the client disconnected before. */
export const logAccess =
  (log: Pick<ServiceLog, 'plain'>) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    const begun = performance.now();
    // The socket has no address once the client has disconnected.
    const client = wideNetworkOf(clientAddressOf(request));
    reply.raw.on('close', () => {
      const fields = fieldsOf(request, reply);
      fields['client'] = client;
      fields['ms'] = tenths(performance.now() - begun);
      log.plain(fields, 'Request completed');
    });
  };

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

type Fields = Record<string, PlainFields[string]>;

/** Excludes URLs, which contain tokens and addresses, and the full address of a client. */
const fieldsOf = (request: FastifyRequest, reply: FastifyReply): Fields => {
  const traceparent = traceparentOf(request);
  const fields: Fields = {
    correlationId: request.id,
    method: request.method,
    route: routeUrlOf(request),
  };
  if (reply.raw.headersSent) fields['status'] = reply.raw.statusCode;
  if (!reply.raw.writableFinished) fields['aborted'] = true;
  const bytes = reply.getHeader('content-length');
  if (bytes !== undefined) fields['bytes'] = Number(bytes);
  if (traceparent !== undefined) fields['traceId'] = traceparent.split('-', 2)[1];
  return addIdentity(fields, request);
};

const addIdentity = (fields: Fields, request: FastifyRequest): Fields => {
  const caller = findCaller(request);
  if (caller) {
    fields['userId'] = caller.userId;
    fields['workspaceId'] = caller.workspaceId;
    if (caller.platformKey) fields['keyId'] = caller.platformKey.id;
  }
  const apiKey = request.headers['api-key'];
  if (typeof apiKey === 'string' && apiKey !== '') {
    fields['keyHash'] = credentialHashOf(request.raw, apiKey).slice(0, KEY_HASH_DIGITS);
  }
  const { service_id: emailService, web_service_id: webService } = (request.params ?? {}) as Record<string, string>;
  const serviceId = emailService ?? webService;
  if (serviceId !== undefined && UUID.test(serviceId)) fields['serviceId'] = serviceId;
  return fields;
};
