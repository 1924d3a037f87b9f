import type { Server } from 'node:http';
import type { FastifyServerOptions } from 'fastify';

type Strategies = NonNullable<NonNullable<FastifyServerOptions<Server>['routerOptions']>['constraints']>;
type Strategy = Strategies[string];
type Handler = NonNullable<ReturnType<ReturnType<Strategy['storage']>['get']>>;

const ARCHIVE = /^application\/(?:x-)?gzip[ \t]*(?:;|$)/i;

const KIND = 'bodyKind';

/** For a route that takes an archive where another route with the same path takes JSON. */
export const ARCHIVE_BODY = { [KIND]: 'archive' };

/** Lets the router distinguish routes by the type of the body. */
export const BODY_KINDS: Strategies = {
  [KIND]: {
    name: KIND,
    storage: () => {
      const handlers = new Map<string, Handler>();
      return {
        get: kind => handlers.get(kind) ?? null,
        set: (kind, handler) => void handlers.set(kind, handler),
      };
    },
    deriveConstraint: ({ headers }) => (ARCHIVE.test(headers['content-type'] ?? '') ? 'archive' : undefined) as string,
    mustMatchWhenDerived: false,
  },
};
