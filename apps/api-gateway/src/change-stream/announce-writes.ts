import type { ChangeNotices } from '@postern/service-host';
import type { FastifyInstance } from 'fastify';
import { findCaller } from '../infrastructure/http/access/caller.js';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Tells the tabs of a workspace, in every gateway, that a call has changed something in it. */
export const announceWrites = (server: FastifyInstance, changes: Pick<ChangeNotices, 'add'>): void => {
  server.addHook('onResponse', (request, reply, done) => {
    const workspaceId = findCaller(request)?.workspaceId;
    if (workspaceId !== undefined && !READS.has(request.method) && reply.statusCode < 400)
      changes.add([`workspaces/${workspaceId}`]);
    done();
  });
};
