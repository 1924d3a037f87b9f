import { setInterval } from 'node:timers';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { changeNotice, changesOf } from '@postern/contracts';
import { NatsLink } from '@postern/messaging';
import { Metrics } from '@postern/service-host';
import type { Caller } from '../infrastructure/http/access/caller.js';
import { ERROR_CODE } from '../infrastructure/http/errors/error-code.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import type { ChangeStream } from './change-stream.js';
import { WorkspaceTopics } from './workspace-topics.js';

/** Maximum number of concurrent streams, in each gateway: a stream is a visible tab. */
export const STREAMS_PER_USER = 20;
export const STREAMS_PER_WORKSPACE = 200;
/** How often the resources of a workspace are listed again, besides after a change in it. */
const LIST_MS = 60_000;

interface OpenStream {
  readonly caller: Caller;
  readonly stream: ChangeStream;
}

interface WorkspaceStreams {
  readonly open: Set<OpenStream>;
  topics: ReadonlySet<string>;
}

/** The open change streams of this gateway: passes on the notices about the resources of each workspace. */
@Injectable()
export class ChangeStreams implements OnModuleInit, OnModuleDestroy {
  readonly #workspaces = new Map<string, WorkspaceStreams>();
  readonly #count;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe = (): void => {};

  constructor(
    private readonly link: NatsLink,
    private readonly topics: WorkspaceTopics,
    metrics: Metrics,
  ) {
    // A counter, because each cell of a gateway has its own streams.
    this.#count = metrics.meter('@postern/api-gateway').createUpDownCounter('postern.dashboard.streams', {
      unit: '{stream}',
      description: 'Open change streams of the dashboard',
    });
    this.#count.add(0);
  }

  onModuleInit(): void {
    const subscription = this.link.subscribe(changesOf('*'), message => {
      const notice = changeNotice.safeParse(message.json());
      if (notice.success) this.#announce(notice.data.topics);
    });
    this.#unsubscribe = () => subscription.unsubscribe();
    this.#timer = setInterval(() => this.#listAll(), LIST_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
    if (!this.link.closed) this.#unsubscribe();
    for (const { open } of this.#workspaces.values()) for (const { stream } of open) stream.end();
  }

  /** @throws 429 if the user or the workspace has too many streams. */
  requireRoom({ userId, workspaceId }: Caller): void {
    const open = [...(this.#workspaces.get(workspaceId)?.open ?? [])];
    const ofUser = open.filter(({ caller }) => caller.userId === userId).length;
    if (ofUser < STREAMS_PER_USER && open.length < STREAMS_PER_WORKSPACE) return;
    throw new Problem(429, 'Too many tabs of the dashboard are open. Close one first.', {
      [ERROR_CODE]: 'too_many_streams',
      'retry-after': '10',
    });
  }

  /** Passes notices to the stream until it ends. */
  add(caller: Caller, stream: ChangeStream): void {
    const { workspaceId } = caller;
    const workspace = this.#workspaces.get(workspaceId) ?? { open: new Set(), topics: new Set<string>() };
    const opened = { caller, stream };
    workspace.open.add(opened);
    this.#count.add(1);
    this.#workspaces.set(workspaceId, workspace);
    stream.onEnd(() => {
      if (workspace.open.delete(opened)) this.#count.add(-1);
      if (workspace.open.size === 0) this.#workspaces.delete(workspaceId);
    });
    void this.#list(workspaceId);
  }

  #announce(topics: readonly string[]): void {
    for (const [workspaceId, workspace] of this.#workspaces) {
      const own = `workspaces/${workspaceId}`;
      const changed = topics.filter(topic => topic === own || workspace.topics.has(topic));
      if (changed.length === 0) continue;
      for (const { stream } of workspace.open) stream.changed(changed);
      // A resource may have been created.
      if (changed.includes(own)) void this.#list(workspaceId);
    }
  }

  #listAll(): void {
    for (const workspaceId of this.#workspaces.keys()) void this.#list(workspaceId);
  }

  async #list(workspaceId: string): Promise<void> {
    const workspace = this.#workspaces.get(workspaceId);
    const [first] = workspace?.open ?? [];
    if (workspace && first) workspace.topics = await this.topics.of(first.caller);
  }
}
