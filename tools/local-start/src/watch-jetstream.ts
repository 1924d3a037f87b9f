import { setTimeout as pause } from 'node:timers/promises';
import type { NatsServer } from '@postern/testing';
import { freeBytesOf } from './disk.js';
import { jetStreamAnswers } from './jetstream-probe.js';

/** A NATS that starts with less has nowhere to put its next message, and fails the same way again. */
const ROOM_BYTES = 16 * 1024 ** 2;
const FAILURES_UNTIL_KILL = 3;
/** Every kill that did not help doubles what is tolerated, up to this: a slow machine gets the time that it needs. */
const MOST_FAILURES = 24;
/** So many answers in a row show that a kill helped. */
const STEADY_ANSWERS = 5;

/** What is watched, and how. */
export interface JetStreamWatch {
  readonly token?: string;
  /** The folder on whose disk JetStream stores. */
  readonly storeDir: string;
  /** Takes one line for each thing that is done. */
  readonly say: (line: string) => void;
  /** How often JetStream is asked, which is also how long it may take to answer. */
  readonly everyMs?: number;
}

/**
 * Kills a NATS server whose JetStream has stopped answering, as nats-server 2.9 does for ever after a full disk; whoever
 * tends the server starts it again. While the disk has no room it is left alone.
 * @returns what ends the watch.
 */
export const watchJetStream = (nats: NatsServer, watch: JetStreamWatch): (() => Promise<void>) => {
  const { storeDir, say, everyMs = 2_000 } = watch;
  const probe = { url: nats.url, withinMs: everyMs, ...(watch.token === undefined ? {} : { token: watch.token }) };
  const ended = new AbortController();
  let [failures, answers, tolerated, pid] = [0, 0, FAILURES_UNTIL_KILL, nats.pid];
  let waitsForRoom = false;

  const note = (answered: boolean): void => {
    failures = answered || nats.pid !== pid ? 0 : failures + 1;
    answers = answered ? answers + 1 : 0;
    pid = nats.pid;
    if (answered) waitsForRoom = false;
    if (answers < STEADY_ANSWERS || tolerated === FAILURES_UNTIL_KILL) return;
    tolerated = FAILURES_UNTIL_KILL;
    say('JetStream answers again');
  };

  const restart = async (): Promise<void> => {
    if (freeBytesOf(storeDir) < ROOM_BYTES) {
      if (!waitsForRoom) say('JetStream does not answer, and the disk is full: NATS is restarted when there is room');
      waitsForRoom = true;
      return;
    }
    say(`JetStream has not answered ${failures} times: NATS is killed and started again`);
    [failures, tolerated, waitsForRoom] = [0, Math.min(MOST_FAILURES, tolerated * 2), false];
    await nats.kill();
  };

  const run = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const next = pause(everyMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      // A server that does not run is started again by whoever tends it.
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
