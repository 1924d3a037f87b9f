import { expect, it } from '@jest/globals';
import { type Upcasters, upcast } from './upcasting.js';

const event = (type: string, data: object) => ({ id: 'event-1', version: 3, type, data });

it('leaves an event alone that today’s code knows', () => {
  const known = event('cart.opened.v3', { owner: 'ada' });
  expect(upcast(known, upcasters)).toBe(known);
});

it('follows the upcasters from release to release', () =>
  expect(upcast(event('cart.opened.v1', { user: 'ada' }), upcasters)).toEqual(
    event('cart.opened.v3', { owner: 'ada', currency: 'EUR' }),
  ));

it('keeps everything about the event but its form', () =>
  expect(upcast(event('cart.opened.v2', { owner: 'ada' }), upcasters)).toMatchObject({ id: 'event-1', version: 3 }));

it('applies an upcaster that keeps the type once', () =>
  expect(upcast(event('cart.noted.v1', { times: 1 }), upcasters)).toEqual(event('cart.noted.v1', { times: 2 })));

const upcasters: Upcasters = {
  'cart.opened.v1': data => ({ type: 'cart.opened.v2', data: { owner: (data as { user: string }).user } }),
  'cart.opened.v2': data => ({ type: 'cart.opened.v3', data: { ...data, currency: 'EUR' } }),
  'cart.noted.v1': data => ({ type: 'cart.noted.v1', data: { times: (data as { times: number }).times + 1 } }),
};
