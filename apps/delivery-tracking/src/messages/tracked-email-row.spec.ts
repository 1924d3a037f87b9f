import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fold } from '@postern/event-sourcing';
import { ratesOf } from '../statistics/email-rates.js';
import { countsOf, NO_COUNTS } from '../tracked-emails/email-counts.js';
import { trackedEmail } from '../tracked-emails/tracked-email.js';
import type { TrackedEmailEvent } from '../tracked-emails/tracked-email-events.js';
import { applyToRow, isWaiting, replyOf, type TrackedEmailRow } from '../tracked-emails/tracked-email-row.js';
import { timelineOf } from './email-timeline.js';

const FOLDER = join(import.meta.dirname, 'fixtures');

const fixture = (name: string): { events: TrackedEmailEvent[]; shown: object } =>
  JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));

const rowOf = (events: readonly TrackedEmailEvent[]): TrackedEmailRow =>
  structuredClone(events).reduce<TrackedEmailRow | undefined>(applyToRow, undefined)!;

/** These histories contain every version of every event that a release has written. */
describe('Stored histories', () => {
  it.each(readdirSync(FOLDER))('%s is read as before', name => {
    const { events, shown } = fixture(name);
    const row = rowOf(events);
    expect({ ...replyOf(row), counts: countsOf(row), timeline: timelineOf(events) }).toEqual(shown);
    expect(fold(trackedEmail, events).facts?.email_id).toBe(row.id);
  });

  it('contain every type of event of the service', () => {
    const kinds = readdirSync(FOLDER).flatMap(name => fixture(name).events.map(({ type }) => type));
    expect(new Set(kinds).size).toBe(13);
  });
});

describe('An email’s row', () => {
  it('waits until every copy is settled', () => {
    const { events } = fixture('everything-that-happens.v1.json');
    expect(isWaiting(rowOf(events.slice(0, 2)))).toBe(true);
    expect(isWaiting(rowOf(events))).toBe(false);
  });

  it('is the same if an earlier hand-over is reported last', () => {
    const { events } = fixture('everything-that-happens.v1.json');
    const handOver = events.findIndex(({ type }) => type.includes('hand-over-recorded'));
    const retry = events.findIndex(({ type }) => type.includes('copy-retried'));
    const swapped = events.with(handOver, events[retry]!).with(retry, events[handOver]!);
    expect(replyOf(rowOf(swapped)).recipients).toEqual(replyOf(rowOf(events)).recipients);
  });
});

describe('Rates', () => {
  it('are null, not zero, if nothing was sent', () => {
    expect(ratesOf(NO_COUNTS)).toEqual({
      delivered: null,
      bounced: null,
      complained: null,
      opened: null,
      clicked: null,
    });
  });

  it('are never above 1, even if an interrupted copy is delivered', () => {
    expect(ratesOf({ ...NO_COUNTS, sent: 1, delivered: 2 }).delivered).toBe(1);
  });
});
