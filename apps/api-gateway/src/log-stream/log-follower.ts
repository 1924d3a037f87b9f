import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import { followLogs, followRun, logLineId } from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply } from 'fastify';
import type { GatewayConfig } from '../config.js';
import type { Caller } from '../infrastructure/http/access/caller.js';
import { ServiceClient } from '../infrastructure/service-client/ports.js';
import { type LogPage, LogSender } from './log-sender.js';
import { LogStreams } from './log-streams.js';
import { StreamWriter } from './stream-writer.js';

/** How long a stalled reader may still receive data that was already sent. */
const GRACE_MS = 15_000;
/** Limits of one request: a stream buffers a few times this size for a slow reader. */
const PAGE = { max_lines: 250, max_bytes: 32 * 1024 };

/** A reader of a log. */
export interface LogReader {
  readonly caller: Caller;
  readonly webServiceId: string;
  /** What is read: the log, from so many earlier lines on, or all output of one run. */
  readonly from: { readonly tail: number } | { readonly runId: string };
  /** The id of the line after which the reader continues. */
  readonly lastEventId: string | undefined;
  /** The reason why the reader may no longer read; called every `checkMs`. */
  readonly isOver: () => Promise<string | undefined>;
  readonly checkMs: number;
}

/** Sends the log of a web service as server-sent events, as long as the reader is authorized, connected and reading. */
@Injectable()
export class LogFollower {
  constructor(
    private readonly services: ServiceClient,
    private readonly streams: LogStreams,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  async follow(reader: LogReader, reply: FastifyReply): Promise<StreamableFile> {
    const budget = this.streams.begin(reader.caller.workspaceId);
    const disconnected = disconnectionOf(reply, () => budget.end());
    const after = logLineId.safeParse(reader.lastEventId).data;
    // Read before the response begins, so that a failure results in an error response.
    const first = await this.#read(reader, after);
    reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no');
    const writer = new StreamWriter(disconnected, this.config.logStreamStalledMs);
    const { isOver, checkMs } = reader;
    const read = (next: string) => this.#read(reader, next);
    const sender = new LogSender({ writer, budget, isOver, checkMs, read, closing: this.streams.signal, disconnected });
    void sender.send(first).finally(() => {
      const end = setTimeout(() => reply.raw.destroy(), GRACE_MS).unref();
      reply.raw.once('close', () => clearTimeout(end));
    });
    return new StreamableFile(writer.body, { type: 'text/event-stream; charset=utf-8' });
  }

  #read({ caller, webServiceId, from }: LogReader, after: string | undefined): Promise<LogPage> {
    const { userId: user_id, workspaceId: workspace_id, projectIds: project_ids } = caller;
    const request = {
      ...{ user_id, workspace_id, web_service_id: webServiceId, ...PAGE },
      ...(project_ids === undefined ? {} : { project_ids: [...project_ids] }),
      ...(after === undefined ? {} : { after }),
    };
    return 'runId' in from
      ? this.services.request(followRun, { ...request, run_id: from.runId }, caller)
      : this.services.request(followLogs, { ...request, ...from }, caller);
  }
}

/** A signal that is aborted when the connection ends, after which `onDisconnect` runs once. */
const disconnectionOf = ({ raw }: FastifyReply, onDisconnect: () => void): AbortSignal => {
  const controller = new AbortController();
  controller.signal.addEventListener('abort', onDisconnect, { once: true });
  raw.once('close', () => controller.abort());
  if (raw.destroyed) controller.abort();
  return controller.signal;
};
