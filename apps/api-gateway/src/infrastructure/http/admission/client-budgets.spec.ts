import { beforeEach, describe, expect, it } from '@jest/globals';
import { Problem } from '../errors/problem.js';
import { ClientBudgets } from './client-budgets.js';

const CLIENT = '192.0.2.1';

describe('The budget of a client', () => {
  let now: number;
  let budgets: ClientBudgets;
  beforeEach(() => {
    now = 0;
    budgets = new ClientBudgets(10, () => now);
  });

  /** The response to a request: `200`, a 429 with its `Retry-After`, or `closed`. */
  const answer = (client = CLIENT) => {
    if (budgets.isBlocked(client)) {
      budgets.drop(client);
      return 'closed';
    }
    try {
      budgets.spend('client', client);
      return '200';
    } catch (error) {
      return `429 after ${(error as Problem).headers['retry-after']}`;
    }
  };
  const answers = (count: number, client = CLIENT) => Array.from({ length: count }, () => answer(client));
  const counted = (found: readonly string[]) =>
    Object.entries(Object.groupBy(found, one => one)).map(([one, { length } = []]) => [one, length]);

  it('allows a burst of two seconds, then a quarter as many 429 responses, and then none', () => {
    expect(counted(answers(50))).toEqual([
      ['200', 20],
      ['429 after 1', 5],
      ['closed', 25],
    ]);
  });

  it('serves no request of a client that continues after refusals', () => {
    answers(50);
    for (let tenths = 1; tenths <= 30; tenths++) {
      now += 100;
      expect(counted(answers(10))).toEqual([['closed', 10]]);
    }
  });

  it('sends 429 to a client that continues at its rate, for a quarter of the requests', () => {
    answers(26);
    const found = [];
    for (let tenths = 1; tenths <= 100; tenths++) {
      now += 100;
      found.push(...answers(1).map(one => one.slice(0, 3)));
    }
    expect(counted(found).sort()).toEqual([
      ['429', 25],
      ['clo', 75],
    ]);
  });

  it('allows a request after Retry-After, and is full two seconds later', () => {
    answers(25);
    now += 1_000;
    expect(answers(1)).toEqual(['200']);
    now += 2_000;
    expect(counted(answers(20))).toEqual([['200', 20]]);
    now += 60_000;
    expect(counted(answers(50))[0]).toEqual(['200', 20]);
  });

  it('is refunded for a valid credential, but not beyond its maximum', () => {
    answers(20);
    budgets.refund('client', CLIENT);
    expect(counted(answers(2))).toEqual([
      ['200', 1],
      ['429 after 1', 1],
    ]);
    now += 10_000;
    budgets.refund('client', CLIENT);
    expect(counted(answers(21))[0]).toEqual(['200', 20]);
  });

  it('allows a quarter of it for requests that get an error', () => {
    for (let n = 0; n < 5; n++) {
      expect(answer()).toBe('200');
      budgets.refuse('client', CLIENT);
    }
    expect(answer()).toBe('429 after 1');
    now += 400;
    expect(answer()).toBe('200');
  });

  it('has the same number of 429 responses for frequent requests', () => {
    const found = [];
    for (let n = 0; n < 300 && !budgets.isBlocked(CLIENT); n++) {
      try {
        budgets.spend('client-frequent', CLIENT);
        found.push('200');
      } catch {
        found.push('429');
      }
    }
    expect(counted(found)).toEqual([
      ['200', 200],
      ['429', 5],
    ]);
  });

  it('is spent by dropped requests, and is restored after ten seconds', () => {
    for (let n = 0; n < 1_000; n++) budgets.drop(CLIENT);
    now += 7_900;
    expect(answer()).toBe('closed');
    now += 2_300;
    expect(answer()).toBe('200');
  });

  it('is remembered while it is in debt', () => {
    for (let n = 0; n < 1_000; n++) budgets.drop(CLIENT);
    now += 9_000;
    answers(1, '192.0.2.2');
    now += 1_000;
    answers(1, '192.0.2.2');
    expect(counted(answers(21))[0]?.[0]).toMatch(/^429/);
  });

  it('is separate for each client and kind', () => {
    answers(50);
    expect(counted(answers(20, '192.0.2.2'))).toEqual([['200', 20]]);
    budgets.spend('client-hooks', CLIENT);
  });

  it('returns the number of seconds until a slow budget allows a request', () => {
    budgets = new ClientBudgets(1, () => now);
    answers(2);
    now += 100;
    expect(answers(1)).toEqual(['429 after 2']);
  });
});
