import { describe, expect, it } from '@jest/globals';
import { after, kind, publicEvents, SENT } from '../testing/decided-signals.js';
import { clicked, opened } from '../testing/example-signals.js';

describe('Opens and clicks', () => {
  it('are published with agent and address, each as an event of its own', () => {
    const [open] = publicEvents(after(...SENT).events(opened(100)));
    expect(open?.data).toEqual({ user_agent: expect.stringContaining('Firefox'), ip: '192.0.2.7' });
    expect(after(...SENT, opened(100)).when(opened(102))).toEqual(['email-opened']);
    expect(after(...SENT, clicked(100, 'https://example.com/a')).when(clicked(102, 'https://example.com/a'))).toEqual([
      'email-clicked',
    ]);
  });

  it('that repeat one fetch within two seconds count once, in any order', () => {
    expect(after(...SENT, opened(100)).when(opened(101.9))).toEqual([]);
    expect(after(...SENT, opened(100), opened(110)).when(opened(108.5))).toEqual([]);
    expect(after(...SENT, clicked(100, 'https://example.com/a')).when(clicked(101, 'https://example.com/a'))).toEqual(
      [],
    );
  });

  it('are published up to 100 per recipient', () => {
    const many = Array.from({ length: 100 }, (_, minute) => opened(100 + minute * 60));
    expect(after(...SENT, ...many).refusal(opened(100_000))).toBe('too_many_openings');
  });

  it('by machines have a reason and do not suppress an open by a person at the same time', () => {
    const proxy = opened(100, 'Mozilla/5.0');
    expect(publicEvents(after(...SENT).events(proxy))[0]?.data).toMatchObject({
      machine: true,
      machine_reason: expect.stringContaining('Apple'),
    });
    expect(after(...SENT, proxy).when(opened(101))).toEqual(['email-opened']);
  });

  it('on several links within one second come from a scanner, including the first', () => {
    const second = after(...SENT, clicked(100, 'https://example.com/a')).events(
      clicked(100.3, 'https://example.com/b'),
    );
    expect(second.map(kind)).toEqual(['clicks-recognised-as-machine', 'email-clicked']);
    expect(publicEvents(second)[0]?.data).toEqual({
      url: 'https://example.com/b',
      machine: true,
      machine_reason: 'several links followed within one second',
    });
  });

  it('on several links one after another come from a person', () => {
    const later = after(...SENT, clicked(100, 'https://example.com/a')).events(clicked(104, 'https://example.com/b'));
    expect(publicEvents(later)[0]?.data).toEqual({ url: 'https://example.com/b' });
  });
});
