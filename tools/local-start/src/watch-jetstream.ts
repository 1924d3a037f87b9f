import { setTimeout as pause } from 'node:timers/promises';
import type { NatsServer } from '@postern/testing';
import { freeBytesOf } from './disk.js';
import { HeldConnection, type HeldConnectionOptions } from './held-connection.js';
import { activityMsOf } from './process-activity.js';

/** With less free space, a restarted NATS could not store its next message and would stop responding again. */
const NEEDED_BYTES = 16 * 1024 ** 2;
const FAILURES_UNTIL_KILL = 3;
/** Each unsuccessful restart doubles the number of tolerated failures, up to this limit, for slow machines. */
const MAX_FAILURES = 24;
/** This many consecutive responses show that a restart was successful. */
const STEADY_ANSWERS = 5;
/** A server that uses, or waits for, more than this share of a processor is busy; a hanging one uses less. */
const BUSY_SHARE = 0.25;

/** The server to watch. */
export type WatchedServer = Pick<NatsServer, 'pid' | 'url' | 'isRunning' | 'kill'>;

/** Settings of the watch. */
export interface JetStreamWatch extends Omit<HeldConnectionOptions, 'url'> {
  /** JetStream's storage folder, whose disk is checked. */
  readonly storeDir: string;
  /** Receives one line for each action. */
  readonly log: (line: string) => void;
  /** Interval of the probe, and its timeout. */
  readonly everyMs?: number;
}

/**
 * Kills a NATS server whose JetStream has stopped responding, as nats-server 2.9 does after a full disk; `restartOnExit` starts it
 * again. A server that is busy, for example with a flood of connections, is not killed: a restart would not help, and would give
 * the flood the port. While the disk is full, the server is not killed either.
 * @returns a function that stops the watch.
 */
export const watchJetStream = (nats: WatchedServer, watch: JetStreamWatch): (() => Promise<void>) => {
  const { storeDir, log, everyMs = 2_000, ...connection } = watch;
  const held = new HeldConnection({ url: nats.url, ...connection });
  const ended = new AbortController();
  let [failures, answers, tolerated, pid] = [0, 0, FAILURES_UNTIL_KILL, nats.pid];
  let activityMs = activityMsOf(pid);
  let state: 'answers' | 'busy' | 'disk full' = 'answers';

  const enter = (next: typeof state, line: string): void => {
    if (state !== next) log(line);
    state = next;
  };

  /** Since the last probe. */
  const isBusy = (): boolean => {
    const before = activityMs;
    activityMs = activityMsOf(nats.pid);
    if (nats.pid !== pid || before === undefined || activityMs === undefined) return false;
    return activityMs - before > everyMs * BUSY_SHARE;
  };

  const note = (answered: boolean): void => {
    const busy = isBusy();
    if (!answered && busy) enter('busy', 'JetStream does not answer in time, but NATS is busy: it is not restarted');
    failures = answered || busy || nats.pid !== pid ? 0 : failures + 1;
    answers = answered ? answers + 1 : 0;
    pid = nats.pid;
    if (answers < STEADY_ANSWERS) return;
    state = 'answers';
    if (tolerated === FAILURES_UNTIL_KILL) return;
    tolerated = FAILURES_UNTIL_KILL;
    log('JetStream answers again');
  };

  const restart = async (): Promise<void> => {
    if (freeBytesOf(storeDir) < NEEDED_BYTES) {
      enter('disk full', 'JetStream does not respond, and the disk is full: NATS is restarted when there is space');
      return;
    }
    log(`JetStream has not answered ${failures} times: NATS is restarted`);
    [failures, tolerated, state] = [0, Math.min(MAX_FAILURES, tolerated * 2), 'answers'];
    await nats.kill();
  };

  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const next = pause(everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      // `restartOnExit` starts a server that is not running.
      if (nats.isRunning) {
        note(await held.jetStreamAnswers(everyMs));
        if (failures >= tolerated && nats.isRunning && !ended.signal.aborted) await restart();
      }
      await next;
    }
  };
  const running = run();
  return async () => {
    ended.abort();
    await running;
    await held.close();
  };
};
