import { type INestApplicationContext, SetMetadata } from '@nestjs/common';
import { MetadataScanner, Reflector } from '@nestjs/core';
import { LeaseLost, withLeadership } from '@postern/event-sourcing/postgres';
import type { Host } from './host.js';
import { type Class, type Marked, markedProviders, refuseMarkedControllers } from './marked-providers.js';

/** What a repeated method receives at each run. */
export interface TaskRun {
  /** By the clock of PostgreSQL in a service with a database, so that no replica deletes or counts at another time. */
  readonly now: Date;
  /** Aborted when the service shuts down or leadership is lost; the method must end soon after. */
  readonly signal: AbortSignal;
}

export interface EveryOptions {
  /**
   * Runs the method in one replica at a time: `withLeadership` of a lock with the name of the task. A method may run until its signal
   * aborts; another replica leads from then on.
   */
  readonly onOneReplica?: boolean;
}

/** Time between two runs, also as a function of the configuration of the service. */
type Interval<Config> = number | ((config: Config) => number);

interface RepeatedMethod extends EveryOptions {
  readonly intervalMs: Interval<never>;
  readonly task: string;
}

const EVERY = 'postern.every';

/**
 * Runs a method of a provider repeatedly: after all `onApplicationBootstrap` hooks, and `intervalMs` after each end.
 * In contrast to `@Interval` of @nestjs/schedule, runs never overlap, receive a signal, and end before the shutdown.
 * @param task names the work in logs; no two methods of a service have the same name.
 */
export const Every =
  <Config = unknown>(intervalMs: Interval<Config>, task: string, options: EveryOptions = {}) =>
  <Method extends (run: TaskRun) => Promise<unknown>>(
    target: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    SetMetadata<string, RepeatedMethod>(EVERY, { ...options, intervalMs, task })(target, method, descriptor);
  };

type RepeatingHost = Pick<Host, 'tasks' | 'config' | 'database' | 'clock' | 'log'>;

/**
 * Starts all methods with the decorator `Every`.
 * @throws if two have the same name, one needs a database that the service does not have, or a provider is not a singleton.
 */
export const startTasks = (app: INestApplicationContext, host: RepeatingHost): void => {
  const tasks: Marked = { isMarked: type => repeatedMethodsOf(type).length > 0, does: 'runs tasks' };
  refuseMarkedControllers(app, tasks);
  const owners = new Map<string, string>();
  const starts = markedProviders(app, tasks).flatMap(({ instance: provider }) =>
    repeatedMethodsOf(provider.constructor as Class).map(({ name, ...repeated }) => {
      const owner = `${provider.constructor.name}.${name}`;
      const other = owners.get(repeated.task);
      if (other) throw new Error(`Two tasks are named "${repeated.task}": ${other} and ${owner}`);
      owners.set(repeated.task, owner);
      return starter(repeated, run => Reflect.apply(Reflect.get(provider, name), provider, [run]), host);
    }),
  );
  for (const start of starts) start();
};

const scanner = new MetadataScanner();
const reflector = new Reflector();

const repeatedMethodsOf = ({ prototype }: Class): readonly (RepeatedMethod & { readonly name: string })[] =>
  scanner.getAllMethodNames(prototype).flatMap(name => {
    const repeated = reflector.get<RepeatedMethod | undefined>(EVERY, Reflect.get(prototype, name));
    return repeated ? [{ ...repeated, name }] : [];
  });

const starter = (
  { intervalMs, task, onOneReplica = false }: RepeatedMethod,
  method: (run: TaskRun) => Promise<unknown>,
  { tasks, config, database, clock, log }: RepeatingHost,
): (() => void) => {
  const waitMs = typeof intervalMs === 'number' ? intervalMs : intervalMs(config as never);
  const run = async (signal: AbortSignal): Promise<void> => {
    // The clock guard says so; another replica does the work.
    if (clock?.isWrong) return;
    await method({ now: clock?.now() ?? new Date(), signal });
  };
  if (!onOneReplica) return () => tasks.every(waitMs, task, run);
  if (!database) throw new Error(`The task "${task}" runs on one replica, which requires a database`);
  const lead = async (lost: AbortSignal): Promise<void> => {
    const warn = () => {
      if (lost.reason instanceof LeaseLost)
        log.warn({ err: lost.reason, task }, 'Lost the leadership of a task; another replica continues');
    };
    lost.addEventListener('abort', warn, { once: true });
    await run(lost);
  };
  return () =>
    tasks.every(waitMs, task, async signal => {
      if (!clock?.isWrong) await withLeadership(database.pool, task, signal, lead);
    });
};
