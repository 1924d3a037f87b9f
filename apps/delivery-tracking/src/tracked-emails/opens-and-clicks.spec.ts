import { describe, expect, it } from '@jest/globals';
import { after, kind, publicEvents, SENT } from '../testing/decided-signals.js';
import { clicked, opened } from '../testing/example-signals.js';

describe('Opens and clicks', () => {
  it('are published with agent and address, at most one open per minute', () => {
    const [open] = publicEvents(after(...SENT).events(opened(100)));
    expect(open?.data).toEqual({ user_agent: expect.stringContaining('Firefox'), ip: '192.0.2.7' });
    expect(after(...SENT, opened(100)).when(opened(130))).toEqual([]);
    expect(after(...SENT, opened(100)).when(opened(160))).toEqual(['email-opened']);
    expect(after(...SENT, opened(100), opened(220)).when(opened(130))).toEqual([]);
  });

  it('are published up to 100 per recipient', () => {
    const many = Array.from({ length: 100 }, (_, minute) => opened(100 + minute * 60));
    expect(after(...SENT, ...many).refusal(opened(100_000))).toBe('too_many_openings');
  });

  it('by machines have a reason and do not suppress an open by a person in the same minute', () => {
    const proxy = opened(100, 'Mozilla/5.0');
    expect(publicEvents(after(...SENT).events(proxy))[0]?.data).toMatchObject({
      machine: true,
      machine_reason: expect.stringContaining('Apple'),
    });
    expect(after(...SENT, proxy).when(opened(110))).toEqual(['email-opened']);
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
