import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventsOf } from '@postern/contracts';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import type { NatsLink } from '@postern/messaging';
import type pg from 'pg';
import { z } from 'zod';
import { WakeUps } from './wake-ups.js';

const counted = eventsOf('email-send')('counted.v1', z.object({ n: z.int() }));
const renamed = eventsOf('email-send')('renamed.v1', z.object({ n: z.int() }));

let published: string[];
let store: PostgresEventStore;
let wakeUps: WakeUps;

beforeEach(() => {
  jest.useFakeTimers();
  published = [];
  store = new PostgresEventStore({} as pg.Pool);
  const link = { connected: true, nc: { publish: (subject: string) => published.push(subject) } };
  wakeUps = new WakeUps(link as unknown as NatsLink, store, [counted, renamed]);
  wakeUps.start();
});
afterEach(() => {
  wakeUps.stop();
  jest.useRealTimers();
});

describe('Commits wake the consumers in other services', () => {
  it('at once, with one message for each type that was appended', () => {
    store.announce([counted, counted]);
    expect(published).toEqual([counted.subject]);
  });

  it('with one more message for all commits of the next 50 ms', () => {
    for (let commit = 0; commit < 50; commit++) store.announce([counted]);
    jest.advanceTimersByTime(50);
    expect(published).toEqual([counted.subject, counted.subject]);
  });

  it('never for types that no other service reads', () => {
    store.announce([{ type: 'email-send.private.v1' }]);
    jest.advanceTimersByTime(50);
    expect(published).toEqual([]);
  });
});
