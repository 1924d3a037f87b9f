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

  /** The answers to so many requests: `200`, a 429 with its `Retry-After`, or `closed`. */
  const answers = (count: number, client = CLIENT) =>
    Array.from({ length: count }, () => {
      if (budgets.isBlocked(client)) return 'closed';
      try {
        budgets.spend('client', client);
        return '200';
      } catch (error) {
        return `429 after ${(error as Problem).headers?.['retry-after']}`;
      }
    });
  const counted = (found: readonly string[]) =>
    Object.entries(Object.groupBy(found, answer => answer)).map(([answer, { length } = []]) => [answer, length]);

  it('allows two seconds of it at once, then as many answers with 429, and then none', () => {
    expect(counted(answers(50))).toEqual([
      ['200', 20],
      ['429 after 1', 20],
      ['closed', 10],
    ]);
  });

  it('grows steadily, so that a client that continues never has more than its rate', () => {
    answers(50);
    for (let tenths = 1; tenths <= 30; tenths++) {
      now += 100;
      expect(counted(answers(10))).toEqual([
        ['200', 1],
        ['429 after 1', 1],
        ['closed', 8],
      ]);
    }
  });

  it('is full again after two seconds', () => {
    answers(50);
    now += 2_000;
    expect(counted(answers(20))).toEqual([['200', 20]]);
    now += 60_000;
    expect(counted(answers(50))[0]).toEqual(['200', 20]);
  });

  it('gets back what a valid credential has spent, and not more', () => {
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

  it('is its own', () => {
    answers(50);
    expect(counted(answers(20, '192.0.2.2'))).toEqual([['200', 20]]);
    budgets.spend('client-hooks', CLIENT);
  });

  it('says after how many seconds a slow one allows a request', () => {
    budgets = new ClientBudgets(1, () => now);
    answers(2);
    now += 100;
    expect(answers(1)).toEqual(['429 after 1']);
  });
});
