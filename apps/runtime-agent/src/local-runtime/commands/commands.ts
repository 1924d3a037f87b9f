import type { Log } from '@postern/messaging';
import { OrderInterrupted, type RunEnd, type RunOrder } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import type { CommandStore } from './command-store.js';

/** A command of a user, or the release command of a roll, whose output belongs to the log of the deployment. */
export interface CommandOrder extends RunOrder {
  readonly isRelease: boolean;
}

export interface CommandHost {
  /** @param cancel the command ends when it aborts. */
  start(order: CommandOrder, cancel: AbortController): Promise<Instance>;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly log: Log;
}

interface ActiveCommand {
  readonly webServiceId: string;
  readonly id: string;
  readonly isRelease: boolean;
  /** Aborts with the reason that is recorded as the end of the command. */
  readonly cancel: AbortController;
  readonly leave: AbortController;
  instance: Instance | undefined;
  ended: Promise<RunEnd>;
}

const INTERRUPTED = 'was interrupted before its result was known, and is not run again';

/**
 * Runs each command at most once, even if the callers or this process end. A command outlives a restart of the platform
 * like an instance, and its end is stored on disk.
 */
export class Commands {
  readonly #active = new Map<string, ActiveCommand>();

  constructor(
    private readonly store: CommandStore,
    private readonly host: CommandHost,
  ) {}

  get instances(): readonly Instance[] {
    return [...this.#active.values()].flatMap(({ instance }) => instance ?? []);
  }

  /** Adopts commands of an earlier platform process. */
  adopt(instances: readonly Instance[]): void {
    for (const instance of instances) {
      const { webServiceId, command } = instance.record;
      if (!command) continue;
      const active = this.#activate({ webServiceId, id: command.id, isRelease: command.stream === 'build' });
      active.instance = instance;
      active.ended = this.#settle(active, async () => {
        const record = await this.store.read(webServiceId, command.id);
        // The terminal of an earlier process is closed.
        if (record && !record.end && !command.hasTerminal) return this.#follow(active, instance, record.deadline);
        await instance.end(0);
        return record?.end ?? { exitCode: null, reason: INTERRUPTED };
      });
    }
  }

  /**
   * Starts the command, or waits for it if it was started before. Returns how it ended. When the signal aborts, the
   * command is ended, unless the reason is `OrderInterrupted`.
   */
  async run(order: CommandOrder, signal: AbortSignal): Promise<RunEnd> {
    signal.throwIfAborted();
    const { webServiceId, runId: id, isRelease } = order;
    let active = this.#active.get(id);
    if (!active) {
      const started = this.#activate({ webServiceId, id, isRelease });
      started.ended = this.#settle(started, () => this.#perform(order, started));
      active = started;
    }
    const end = await Promise.race([active.ended, abortOf(signal)]);
    if (end) return end;
    if (!(signal.reason instanceof OrderInterrupted)) {
      active.cancel.abort('was cancelled');
      await active.ended.catch(() => {});
    }
    throw signal.reason;
  }

  /** Whether a command was started before, or is being started. */
  async isKnown(webServiceId: string, id: string): Promise<boolean> {
    return this.#active.has(id) || (await this.store.read(webServiceId, id)) !== undefined;
  }

  /** Ends all commands of a web service, or the release commands of all rolls but one. */
  async end(webServiceId: string, reason: string, which: 'all' | { readonly releasesExcept: string }): Promise<void> {
    const ending = [...this.#active.values()].filter(
      active =>
        active.webServiceId === webServiceId &&
        (which === 'all' || (active.isRelease && active.id !== which.releasesExcept)),
    );
    for (const { cancel } of ending) cancel.abort(reason);
    await Promise.allSettled(ending.map(({ ended }) => ended));
  }

  /** Ends the commands of a web service and deletes their records. */
  async remove(webServiceId: string): Promise<void> {
    await this.end(webServiceId, 'stopped because the web service was deleted', 'all');
    await this.store.removeOf(webServiceId);
  }

  /** Leaves the commands running for the next platform process. */
  async detach(): Promise<void> {
    const active = [...this.#active.values()];
    for (const { leave } of active) leave.abort();
    await Promise.allSettled(active.map(({ ended }) => ended));
  }

  sweep(): Promise<void> {
    return this.store.sweep(Date.now());
  }

  #activate(about: Pick<ActiveCommand, 'webServiceId' | 'id' | 'isRelease'>): ActiveCommand {
    const { promise: never } = Promise.withResolvers<RunEnd>();
    const active: ActiveCommand = {
      ...about,
      cancel: new AbortController(),
      leave: new AbortController(),
      instance: undefined,
      ended: never,
    };
    this.#active.set(about.id, active);
    return active;
  }

  #settle(active: ActiveCommand, work: () => Promise<RunEnd>): Promise<RunEnd> {
    const ended = work().finally(() => this.#active.delete(active.id));
    ended.catch(err => {
      if (!active.leave.signal.aborted) this.host.log.error({ err, command: active.id }, 'A command could not be run');
    });
    return ended;
  }

  async #perform(order: CommandOrder, active: ActiveCommand): Promise<RunEnd> {
    const { webServiceId, runId: id, deadlineMs } = order;
    const known = await this.store.read(webServiceId, id);
    if (known?.end) return known.end;
    const deadline = known?.deadline ?? Date.now() + deadlineMs;
    const finish = (reason: string) => this.#finish(active, deadline, { exitCode: null, reason });
    if (known) return finish(INTERRUPTED);
    await this.store.write(webServiceId, id, { deadline });
    if (active.cancel.signal.aborted) return finish(active.cancel.signal.reason);
    let instance: Instance;
    try {
      instance = await this.host.start(order, active.cancel);
    } catch (error) {
      return finish(`could not be started: ${(error as Error).message}`);
    }
    active.instance = instance;
    return this.#follow(active, instance, deadline);
  }

  async #follow(active: ActiveCommand, instance: Instance, deadline: number): Promise<RunEnd> {
    const { cancel, leave } = active;
    const late = AbortSignal.timeout(Math.max(0, Math.ceil(deadline - Date.now())));
    const ending = await Promise.race([instance.exited, abortOf(AbortSignal.any([cancel.signal, leave.signal, late]))]);
    if (ending === undefined && leave.signal.aborted) {
      await instance.detach();
      throw new OrderInterrupted('another process continues');
    }
    await instance.end(this.host.graceMs);
    if (ending === undefined) {
      const reason = cancel.signal.aborted ? String(cancel.signal.reason) : 'did not finish before its deadline';
      return this.#finish(active, deadline, { exitCode: null, reason });
    }
    const exitCode = instance.exitCode ?? null;
    const lastLines = active.isRelease ? instance.lastErrors : [];
    const reason = exitCode === 0 ? null : [ending, ...lastLines].join('\n');
    return this.#finish(active, deadline, { exitCode, reason });
  }

  async #finish(active: ActiveCommand, deadline: number, end: RunEnd): Promise<RunEnd> {
    await this.store.write(active.webServiceId, active.id, { deadline, end });
    return end;
  }
}

const abortOf = (signal: AbortSignal): Promise<undefined> =>
  new Promise(resolve => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
