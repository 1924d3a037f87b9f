import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import type { Decider } from './decider.js';
import { foldsEveryFixture, specificationOf } from './testing/index.js';
import { type Upcasters, upcast } from './upcasting.js';

interface Deposited {
  readonly type: 'account.deposited.v2';
  readonly data: { readonly amount: number };
}
interface Balance {
  readonly balance: number;
}

const account: Decider<Balance, number, Deposited> = {
  initial: { balance: 0 },
  decide: amount => {
    if (amount <= 0) throw Object.assign(new Error('an amount is positive'), { code: 'amount_invalid' });
    return [{ type: 'account.deposited.v2', data: { amount } }];
  },
  evolve: ({ balance }, { data }) => ({ balance: balance + data.amount }),
};

const upcasters: Upcasters = {
  'account.paid-in.v1': data => ({
    type: 'account.deposited.v1',
    data: { amount: (data as { cents: number }).cents / 100 },
  }),
  'account.deposited.v1': data => ({ type: 'account.deposited.v2', data }),
};

foldsEveryFixture(fileURLToPath(new URL('./testing/account-fixtures', import.meta.url)), account, upcasters);

it('applies upcasters until the event has its current form, and keeps its other fields', () =>
  expect(upcast({ type: 'account.paid-in.v1', data: { cents: 100 }, version: 7 } as never, upcasters)).toEqual({
    type: 'account.deposited.v2',
    data: { amount: 1 },
    version: 7,
  }));

it('changes only the data when the type stays', () =>
  expect(upcast({ type: 'a', data: { old: 1 } }, { a: () => ({ type: 'a', data: { neu: 1 } }) }).data).toEqual({
    neu: 1,
  }));

it('distinguishes events from refusals in a specification', () => {
  const given = specificationOf(account);
  given()
    .when(1)
    .yields({ type: 'account.deposited.v2', data: { amount: 1 } });
  given().when(0).refuses('amount_invalid', 'positive');
  expect(() => given().when(1).refuses('amount_invalid')).toThrow();
  expect(() => given().when(1).yields()).toThrow();
});
