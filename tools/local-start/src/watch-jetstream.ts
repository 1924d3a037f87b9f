import { setTimeout as pause } from 'node:timers/promises';
import type { NatsServer } from '@postern/testing';
import { freeBytesOf } from './disk.js';
import { type Credential, jetStreamAnswers } from './jetstream-probe.js';

/** With less free space, a restarted NATS could not store its next message and would stop responding again. */
const NEEDED_BYTES = 16 * 1024 ** 2;
const FAILURES_UNTIL_KILL = 3;
/** Each unsuccessful restart doubles the number of tolerated failures, up to this limit, for slow machines. */
const MAX_FAILURES = 24;
/** This many consecutive responses show that a restart was successful. */
const STEADY_ANSWERS = 5;

/** Settings of the watch. */
export interface JetStreamWatch {
  readonly credential?: Credential;
  /** Certificate authority of the server (PEM file). */
  readonly caFile?: string;
  /** JetStream's storage folder, whose disk is checked. */
  readonly storeDir: string;
  /** Receives one line for each action. */
  readonly log: (line: string) => void;
  /** Interval of the probe, and its timeout. */
  readonly everyMs?: number;
}

/**
 * Kills a NATS server whose JetStream has stopped responding, as nats-server 2.9 does after a full disk;
 * `restartOnExit` starts it again. While the disk is full, the server is not killed.
 * @returns a function that stops the watch.
 */
export const watchJetStream = (nats: NatsServer, watch: JetStreamWatch): (() => Promise<void>) => {
  const { storeDir, log, everyMs = 2_000 } = watch;
  const { credential, caFile } = watch;
  const probe = { url: nats.url, withinMs: everyMs, ...(credential ? { credential } : {}), ...(caFile ? { caFile } : {}) };
  const ended = new AbortController();
  let [failures, answers, tolerated, pid] = [0, 0, FAILURES_UNTIL_KILL, nats.pid];
  let waitsForSpace = false;

  const note = (answered: boolean): void => {
    failures = answered || nats.pid !== pid ? 0 : failures + 1;
    answers = answered ? answers + 1 : 0;
    pid = nats.pid;
    if (answered) waitsForSpace = false;
    if (answers < STEADY_ANSWERS || tolerated === FAILURES_UNTIL_KILL) return;
    tolerated = FAILURES_UNTIL_KILL;
    log('JetStream answers again');
  };

  const restart = async (): Promise<void> => {
    if (freeBytesOf(storeDir) < NEEDED_BYTES) {
      if (!waitsForSpace)
        log('JetStream does not respond, and the disk is full: NATS is restarted when there is space');
      waitsForSpace = true;
      return;
    }
    log(`JetStream has not answered ${failures} times: NATS is restarted`);
    [failures, tolerated, waitsForSpace] = [0, Math.min(MAX_FAILURES, tolerated * 2), false];
    await nats.kill();
  };

  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const next = pause(everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      // `restartOnExit` starts a server that is not running.
      if (nats.isRunning) {
        note(await jetStreamAnswers(probe));
        if (failures >= tolerated && nats.isRunning && !ended.signal.aborted) await restart();
      }
      await next;
    }
  };
  const running = run();
  return () => {
    ended.abort();
    return running;
  };
};
