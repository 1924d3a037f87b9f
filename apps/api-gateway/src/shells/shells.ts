import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { openShell, type ReplyOf, type RequestOf } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../infrastructure/http/access/caller.js';
import { CHECK_KEY_MS, endOfPlatformKey } from '../infrastructure/http/access/platform-key-end.js';
import { attemptOf } from '../infrastructure/http/audit/audit-entry.js';
import { AuditRecorder } from '../infrastructure/http/audit/audit-recorder.js';
import { acceptUpgrade } from '../infrastructure/http/server/websocket-upgrades.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { endRun, SHELL_LIMITS, ShellSession } from './shell-session.js';

type Shell = ReplyOf<typeof openShell>;

/** The open shells of this gateway. */
@Injectable()
export class Shells implements OnModuleDestroy {
  readonly #stopping = new AbortController();
  readonly #sessions = new Set<Promise<void>>();

  constructor(
    private readonly services: ServiceClient,
    private readonly audit: AuditRecorder,
  ) {}

  open(
    caller: Caller,
    {
      webServiceId,
      ...order
    }: Pick<RequestOf<typeof openShell>, 'columns' | 'rows' | 'command'> & { readonly webServiceId: string },
  ): Promise<Shell> {
    const { userId: user_id, workspaceId: workspace_id, projectIds } = caller;
    const request = { user_id, workspace_id, web_service_id: webServiceId, ...order };
    const limited = projectIds === undefined ? request : { ...request, project_ids: [...projectIds] };
    return this.services.request(openShell, limited, caller);
  }

  /** Connects the client and the shell until one of them ends. Never rejects. */
  async serve(request: FastifyRequest, shell: Shell): Promise<void> {
    // A closed connection has no address any more.
    const attempt = attemptOf(request, { action: 'shell.closed' });
    const session = this.#serve(request, shell);
    this.#sessions.add(session);
    await session;
    this.#sessions.delete(session);
    const resource = { type: 'run', id: shell.run.id };
    await this.audit.complete({ ...attempt, resource, outcome: 'succeeded' }, callerOf(request));
  }

  async #serve(request: FastifyRequest, shell: Shell): Promise<void> {
    const { services } = this;
    const caller = callerOf(request);
    const socket = await acceptUpgrade(request.raw);
    if (!socket) return endRun(services, caller, shell);
    const isOver = () => endOfPlatformKey(services, request, { required: 'write', role: 'member' });
    const limits = { ...SHELL_LIMITS, checkMs: CHECK_KEY_MS };
    return new ShellSession({ socket, services, caller, shell, isOver, stopping: this.#stopping.signal, limits }).run();
  }

  /** Closes all shells, and waits until their runs are cancelled. */
  async onModuleDestroy(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#sessions);
  }
}
