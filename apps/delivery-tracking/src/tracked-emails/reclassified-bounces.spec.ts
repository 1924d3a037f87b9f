import { describe, expect, it } from '@jest/globals';
import { after, publicEvents, SENT } from '../testing/decided-signals.js';
import { at, notified } from '../testing/example-signals.js';
import type { Signal } from './signal.js';

describe('A bounce that is reclassified', () => {
  const classification = { name: 'reputation', rule: 'words.reputation', rules_version: 2, advice: 'Ask.' };
  const again = (bounceType: 'hard' | 'soft'): Signal => ({
    kind: 'reclassified',
    index: 0,
    bounceType,
    classification,
    at: at(90),
  });

  it('is published again if its type changes', () => {
    const events = after(...SENT, notified('failed')).events(again('soft'));
    expect(events[0]).toMatchObject({ data: { old_type: 'hard', new_type: 'soft', classification } });
    expect(publicEvents(events)).toMatchObject([
      { to: 'ada@x.test', classification, data: { bounce_type: 'soft', reason: '550 5.1.1 no such user' } },
    ]);
  });

  it('is not published again if only its rule changes, and nothing happens twice', () => {
    expect(after(...SENT, notified('failed')).when(again('hard'))).toEqual(['bounce-reclassified']);
    expect(after(...SENT, notified('failed'), again('hard')).when(again('hard'))).toEqual([]);
    expect(after(...SENT, notified('failed'), again('soft')).when(again('soft'))).toEqual([]);
  });

  it('leaves a bounce soft that is about a forwarded address', () => {
    const [event, ...others] = after(...SENT, notified('failed', { addresses: ['ada@elsewhere.test'] })).events(
      again('hard'),
    );
    expect(event?.data).toMatchObject({ old_type: 'soft', new_type: 'soft' });
    expect(others).toEqual([]);
  });

  it('does not exist without a bounce', () => expect(after(...SENT).when(again('hard'))).toEqual([]));
});
