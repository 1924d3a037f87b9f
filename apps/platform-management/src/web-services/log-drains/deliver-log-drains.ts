import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Backoff } from '@postern/messaging';
import { type LogPage, Runtime, RuntimeUnavailable } from '@postern/runtime';
import { ChangeNotices, Every, ServiceLog, type TaskRun } from '@postern/service-host';
import { WorkspaceTasks } from '../../infrastructure/workspace-tasks.js';
import { DrainSender, type SendResult } from './drain-sender.js';
import { withDeployments } from './drained-line.js';
import { type DueDrain, LogDrains, type OpenedDrain } from './log-drains.js';

/** Drains that are served at the same time: in all, and of one workspace. */
const AT_ONCE = { inAll: 64, ofWorkspace: 4 };
const POLL_MS = 1_000;
/** The most of one batch. */
const MAX_LINES = 500;
const MAX_BYTES = 256 * 1024;
/** Batches after which other drains of the workspace have their turn. */
const BATCHES_OF_TURN = 16;
/** A drain with a backlog reads the log at this rate, which a log cannot grow at. */
const BYTES_PER_SECOND = 4 * 1024 * 1024;
/** Reads of a log without new lines. */
const QUIET_MS: readonly [number, ...number[]] = [1_000, 2_000, 3_000, 5_000];
/** Attempts after failed ones. */
const RETRY_DELAYS_MS: readonly [number, ...number[]] = [1_000, 5_000, 15_000, 60_000, 300_000];
const LONGEST_RETRY_MS = 300_000;

/**
 * Sends new log lines to their drains, in the leading replica. Each drain is served by one turn at a time, in the order of its
 * log. The position moves after the receiver has accepted a batch, so a crash repeats a batch and loses none.
 */
@Injectable()
export class DeliverLogDrains {
  readonly #tasks = new WorkspaceTasks(AT_ONCE);
  /** When logs without new lines are read again. */
  readonly #quiet = new Map<string, { readonly reads: number; readonly untilMs: number }>();
  /** Batch sizes of receivers that refused larger ones. */
  readonly #maxLines = new Map<string, number>();

  constructor(
    private readonly drains: LogDrains,
    private readonly runtime: Runtime,
    private readonly sender: DrainSender,
    private readonly log: ServiceLog,
    private readonly changes: ChangeNotices,
  ) {}

  /** Runs until leadership is lost; resolves when the batches in progress are recorded. */
  @Every(1_000, 'deliver log drains', { onOneReplica: true })
  async run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    while (!signal.aborted) {
      this.#start(await this.drains.due(), signal);
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
    await this.#tasks.allDone();
    this.#quiet.clear();
  }

  #start(due: readonly DueDrain[], signal: AbortSignal): void {
    const ids = new Set(due.map(({ id }) => id));
    for (const id of this.#quiet.keys()) if (!ids.has(id)) this.#quiet.delete(id);
    for (const { id, workspaceId } of due) {
      if ((this.#quiet.get(id)?.untilMs ?? 0) > performance.now()) continue;
      this.#tasks.start(id, workspaceId, () =>
        this.#turn(id, signal).catch(err =>
          this.log.error({ err, logDrain: id }, 'A log drain could not be served; it will be retried'),
        ),
      );
    }
  }

  async #turn(id: string, signal: AbortSignal): Promise<void> {
    let waiting: number | null = null;
    for (let batch = 0; batch < BATCHES_OF_TURN && !signal.aborted; batch += 1) {
      const drain = await this.drains.open(id);
      if (!drain) return;
      const isCounted = batch === 0 && (drain.failures > 0 || (drain.linesWaiting ?? 0) > 0);
      const page = await this.#read(drain, isCounted);
      if (!page) return this.#rest(id);
      waiting = waitingAfter(page, waiting);
      if (!(await this.#deliver(drain, page, waiting)) || !page.hasMore) return;
      const bytes = page.lines.reduce((sum, { message }) => sum + message.length, 0);
      await pause((bytes / BYTES_PER_SECOND) * 1_000, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The next lines, after what was lost is recorded. Undefined if there is nothing to do now. */
  async #read(drain: OpenedDrain, isCounted: boolean): Promise<LogPage | undefined> {
    const query = {
      after: drain.cursor,
      tail: 1,
      maxLines: this.#maxLines.get(drain.id) ?? MAX_LINES,
      maxBytes: MAX_BYTES,
    };
    try {
      const page = await this.runtime.logPage(drain.webServiceId, { ...query, counted: isCounted });
      if (page.lines.length === 0) return page.next === drain.cursor ? undefined : page;
      if (!page.isIncomplete) return page;
      const counted = isCounted ? page : await this.runtime.logPage(drain.webServiceId, { ...query, counted: true });
      if (counted.counts) {
        const firstLeft = counted.counts.before - counted.lines.length;
        await this.drains.recordLoss(drain, Math.max(0, firstLeft - drain.linesBefore), firstLeft);
      }
      return counted;
    } catch (error) {
      // The lines are stored where the runtime is; nothing is lost while it does not respond.
      if (error instanceof RuntimeUnavailable) return undefined;
      throw error;
    }
  }

  /** @returns whether the batch was accepted and recorded. */
  async #deliver(drain: OpenedDrain, page: LogPage, waiting: number | null): Promise<boolean> {
    this.#quiet.delete(drain.id);
    const { webServiceId, name, kind, target } = drain;
    const lines = withDeployments(page.lines, await this.drains.deploymentsOf(webServiceId));
    const service = { webServiceId, name };
    const result: SendResult =
      lines.length > 0 ? await this.sender.send(kind, target, lines, service) : { durationMs: 0 };
    const { error } = result;
    if ((error !== undefined) !== drain.failures > 0) this.changes.add([`web-services/${webServiceId}`]);
    if (error === undefined)
      return this.drains.recordDelivery(drain, { next: page.next, lines: lines.length, waiting });
    if (result.isTooLarge) this.#maxLines.set(drain.id, Math.max(1, Math.floor(lines.length / 2)));
    const delayMs = Math.max(Backoff.delayAt(drain.failures, RETRY_DELAYS_MS), result.retryAfterMs ?? 0);
    const retryInMs = Math.min(delayMs, LONGEST_RETRY_MS);
    await this.drains.recordFailure(drain, { error, retryInMs, waiting: (waiting ?? 0) + lines.length });
    return false;
  }

  #rest(id: string): void {
    const reads = this.#quiet.get(id)?.reads ?? 0;
    this.#quiet.set(id, { reads: reads + 1, untilMs: performance.now() + Backoff.delayAt(reads, QUIET_MS) });
  }
}

/** The lines after the page: counted, or fewer by the page than after the one before; null if that is not known. */
const waitingAfter = ({ counts, hasMore, lines }: LogPage, before: number | null): number | null => {
  if (!hasMore) return 0;
  if (counts) return counts.after;
  return before === null ? null : Math.max(0, before - lines.length);
};
