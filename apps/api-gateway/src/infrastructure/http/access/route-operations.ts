import * as contracts from '@postern/contracts';
import { BASE_PATHS, isRequestContract, operationOf, type PlatformOperation } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { routeUrlOf } from '../server/route-url.js';

const BASE = BASE_PATHS['platform-key'];

type Operation = PlatformOperation | 'own-key';

const operations: readonly (readonly [method: string, url: string, operation: Operation])[] = [
  ['GET', `${BASE}/users/me/api-key`, 'own-key'],
  ['GET', `${BASE}/web-services/:web_service_id/logs/stream`, operationOf('LogsAndMetrics.stream', false)],
  ['GET', `${BASE}/web-services/:web_service_id/runs/:run_id/logs/stream`, operationOf('Runs.stream', false)],
  ['GET', `${BASE}/web-services/:web_service_id/shell`, operationOf('Runs.create', true)],
  ...Object.values<unknown>(contracts)
    .filter(isRequestContract)
    .flatMap(({ http }) => http.filter(({ access }) => [access].flat().includes('platform-key')))
    .map(
      ({ method, path, operation }) =>
        [method, `${BASE}${path.replace(/\{(\w+)\}/g, ':$1')}`, operationOf(operation, method !== 'GET')] as const,
    ),
];

/** By method and URL. */
const OPERATIONS: ReadonlyMap<string, ReadonlyMap<string, Operation>> = new Map(
  [...Map.groupBy(operations, ([method]) => method)].map(([method, ofMethod]) => [
    method,
    new Map(ofMethod.map(([, url, operation]) => [url, operation])),
  ]),
);

/** The operation that a call of the platform API requires; undefined for a route without a contract. */
export const operationOfRoute = (request: FastifyRequest): Operation | undefined =>
  OPERATIONS.get(request.method === 'HEAD' ? 'GET' : request.method)?.get(routeUrlOf(request));
