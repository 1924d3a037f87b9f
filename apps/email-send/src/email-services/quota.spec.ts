import { describe, expect, it } from '@jest/globals';
import { quotaChangeAfter } from './quota.js';

const CEILING = 200_000;
const after = (quota: number, day: { messages: number; bounced?: number; complained?: number }) =>
  quotaChangeAfter({ bounced: 0, complained: 0, ...day }, quota, CEILING);

describe('the daily quota', () => {
  it('doubles after a clean day that used half of it', () =>
    expect(after(1_000, { messages: 500 })).toEqual({
      to: 2_000,
      reason: '500 of 1000 messages used, 0 % bounced (below 2 %), 0 % complained about (below 0.1 %)',
    }));

  it('stays after a day that used less than half of it', () => expect(after(1_000, { messages: 499 })).toBeUndefined());

  it.each([
    [19, 2_000],
    [20, undefined],
    [50, undefined],
    [51, 500],
  ])('with %i bounces in 1,000 messages becomes %p', (bounced, to) =>
    expect(after(1_000, { messages: 1_000, bounced })?.to).toBe(to),
  );

  it.each([
    [9, 20_000],
    [10, undefined],
    [30, undefined],
    [31, 5_000],
  ])('with %i complaints in 10,000 messages becomes %p', (complained, to) =>
    expect(after(10_000, { messages: 10_000, complained })?.to).toBe(to),
  );

  it('has the reason when it is halved', () =>
    expect(after(1_000, { messages: 100, bounced: 6, complained: 1 })?.reason).toBe(
      '6 % of the messages bounced (more than 5 %) and 1 % of the messages were complained about (more than 0.3 %)',
    ));

  it('halves on a bad day however little of it was used', () =>
    expect(after(1_000, { messages: 10, bounced: 1 })?.to).toBe(500));

  it('never falls below 200', () => {
    expect(after(300, { messages: 100, bounced: 100 })?.to).toBe(200);
    expect(after(200, { messages: 100, bounced: 100 })).toBeUndefined();
    expect(after(50, { messages: 100, bounced: 100 })).toBeUndefined();
  });

  it('never grows over the ceiling', () => {
    expect(after(150_000, { messages: 150_000 })?.to).toBe(CEILING);
    expect(after(CEILING, { messages: CEILING })).toBeUndefined();
    expect(quotaChangeAfter({ messages: 900, bounced: 0, complained: 0 }, 1_000, 600)).toBeUndefined();
  });

  it('does not change after a day without messages, regardless of its bounces and complaints', () =>
    expect(after(1_000, { messages: 0, bounced: 3 })).toBeUndefined());
});
