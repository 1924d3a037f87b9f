import { expect, it } from '@jest/globals';
import * as contracts from './index.js';
import { EVENT_CONSUMERS, EVENT_FEEDS, isEventConsumer } from './index.js';

it('The list of event consumers is complete', () =>
  expect(new Set(EVENT_CONSUMERS)).toEqual(new Set(Object.values<unknown>(contracts).filter(isEventConsumer))));

it.each(EVENT_FEEDS)('$subject permits its reader the types that its consumers declare, and no others', feed => {
  const [reader] = feed.callers;
  const declared = EVENT_CONSUMERS.filter(({ service }) => service === reader)
    .flatMap(({ contracts: taken }) => taken)
    .filter(({ service }) => service === feed.service)
    .map(({ type }) => type);
  const request = { consumer: 'any', after: null };
  expect(feed.callers).toHaveLength(1);
  expect(feed.request.safeParse({ ...request, types: declared }).success).toBe(true);
  expect(feed.request.safeParse({ ...request, types: [`${feed.service}.undeclared.v1`] }).success).toBe(false);
});
