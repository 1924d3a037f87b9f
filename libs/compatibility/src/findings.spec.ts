import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { jsonSchemaOf } from './json-schema.js';
import type { ReleaseContract } from './release-contract.js';
import {
  BEFORE,
  consumes,
  findingTexts,
  grown,
  handles,
  nothing,
  publishes,
  release,
  sends,
  text,
} from './testing/example-releases.js';

describe('releases are compatible when', () => {
  it.each<[string, ReleaseContract, ReleaseContract]>([
    ['an event gets an optional field', publishes('2', grown), consumes('1', BEFORE)],
    ['an event gets a field that is always present', publishes('2', BEFORE.required()), consumes('1', BEFORE)],
    ['an event loses an enum value', publishes('2', BEFORE.extend({ kind: z.enum(['a']) })), consumes('1', BEFORE)],
    ['a consumer reads an optional field that older events lack', consumes('2', grown), publishes('1', BEFORE)],
    ['a consumer no longer reads a field', consumes('2', BEFORE.omit({ id: true })), publishes('1', BEFORE)],
    ['events in the log get an optional field', publishes('2', grown), publishes('1', BEFORE)],
    ['a request accepts a new optional field', handles('2', grown, nothing), sends('1', BEFORE, nothing)],
    [
      'a request accepts a new enum value',
      handles('2', BEFORE.extend({ kind: text }), nothing),
      sends('1', BEFORE, nothing),
    ],
    ['a client sends a new optional field', sends('2', grown, nothing), handles('1', BEFORE, nothing)],
    ['a reply gets a field', handles('2', nothing, grown.required()), sends('1', nothing, BEFORE)],
    [
      'a request is refused for a new reason, which clients handle by its status',
      handles('2', nothing, nothing, { refusals: { closed: 409 } }),
      sends('1', nothing, nothing),
    ],
    [
      'a handler gets more time',
      handles('2', nothing, nothing, { deadlineMs: 60_000 }),
      sends('1', nothing, nothing, { deadlineMs: 5_000 }),
    ],
    [
      'a request gets another caller',
      handles('2', nothing, nothing, { callers: ['bakery', 'shop'] }),
      sends('1', nothing, nothing),
    ],
    [
      'a consumer gets another type of event',
      release('bakery', '2', { consumers: { orders: ['mill.a.v1', 'mill.b.v1'] } }),
      release('bakery', '1', { consumers: { orders: ['mill.a.v1'] } }),
    ],
    [
      'a service gets another consumer',
      release('bakery', '2', { consumers: { orders: ['mill.a.v1'], stock: ['mill.a.v1'] } }),
      release('bakery', '1', { consumers: { orders: ['mill.a.v1'] } }),
    ],
  ])('%s', (_, next, released) => expect(findingTexts(next, released)).toEqual([]));
});

describe('a violation is reported with service, event or request, field and advice:', () => {
  const keepPublishing = 'Keep publishing mill.flour-ground.v1 unchanged, and publish the new shape as a new version.';
  const keepReading = 'Accept what the older version writes, or read a new version of the event.';
  const keepAccepting =
    'Accept what older clients send: keep the field, its type and its limits, and make new fields optional.';
  const keepCode =
    'Programs compare the code: keep it declared with its status, and add a new code for another reason.';
  const keepReplying = 'Keep the reply unchanged and add new fields, which older clients ignore, or add a new request.';

  it.each<[string, ReleaseContract, ReleaseContract, string]>([
    [
      'a field of an event is removed, or renamed',
      publishes('2', BEFORE.omit({ id: true }).extend({ identifier: text })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes nothing, bakery@1 requires string. ${keepPublishing}`,
    ],
    [
      'a field of an event becomes optional',
      publishes('2', BEFORE.partial({ id: true })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes string, not always, bakery@1 always requires string. ${keepPublishing}`,
    ],
    [
      'a field of an event changes its type',
      publishes('2', BEFORE.extend({ id: z.int() })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes integer, bakery@1 reads string. ${keepPublishing}`,
    ],
    [
      'a field of an event may be null',
      publishes('2', BEFORE.extend({ id: text.nullable() })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes null, bakery@1 reads string. ${keepPublishing}`,
    ],
    [
      'a limit of an event becomes wider',
      publishes('2', BEFORE.extend({ id: text.max(20) })),
      consumes('1', BEFORE.extend({ id: text.max(10) })),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes maxLength 20, bakery@1 accepts maxLength 10. ${keepPublishing}`,
    ],
    [
      'a limit of an event becomes narrower than events in the log',
      publishes('2', BEFORE.extend({ id: text.max(5) })),
      publishes('1', BEFORE.extend({ id: text.max(10) })),
      `breaks: event mill.flour-ground.v1, field id: mill@1 writes to the shared log maxLength 10, the new mill accepts maxLength 5. ${keepReading}`,
    ],
    [
      'a field of an event no longer has its format',
      publishes('2', BEFORE.extend({ id: text })),
      consumes('1', BEFORE.extend({ id: z.string().regex(/^\d+$/) })),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes no pattern, bakery@1 accepts pattern ^\\d+$. ${keepPublishing}`,
    ],
    [
      'an event gets an enum value that older consumers do not know',
      publishes('2', BEFORE.extend({ kind: z.enum(['a', 'b', 'c']) })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field kind: the new mill publishes "c", bakery@1 reads "a" or "b". ${keepPublishing}`,
    ],
    [
      'an event gets a field and its consumer is strict',
      publishes('2', grown),
      consumes('1', z.strictObject(BEFORE.shape)),
      `breaks: event mill.flour-ground.v1, field more: the new mill publishes string, bakery@1 accepts no other fields. ${keepPublishing}`,
    ],
    [
      'an event is removed',
      release('mill', '2', {}),
      consumes('1', BEFORE),
      'breaks: the new mill no longer publishes mill.flour-ground.v1, which bakery@1 consumes. Publish it until bakery@1 is retired.',
    ],
    [
      'the envelope of events loses a field',
      { ...publishes('2', BEFORE), envelope: jsonSchemaOf(nothing, 'output') },
      { ...consumes('1', BEFORE), envelope: jsonSchemaOf(z.object({ id: text }), 'output') },
      'breaks: event the envelope of events, field id: the new mill publishes nothing, bakery@1 requires string. ' +
        'Keep publishing the envelope of events unchanged, and publish the new shape as a new version.',
    ],
    [
      'a consumer requires a field that older events may not have',
      consumes('2', BEFORE.required()),
      publishes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field note: mill@1 publishes string, not always, the new bakery always requires string. ${keepReading}`,
    ],
    [
      'a service cannot read its own old events',
      publishes('2', BEFORE.extend({ more: text })),
      publishes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field more: mill@1 writes to the shared log nothing, the new mill requires string. ${keepReading}`,
    ],
    [
      'a service cannot read an event type in its log',
      release('mill', '2', {}),
      publishes('1', BEFORE),
      'breaks: the new mill no longer reads mill.flour-ground.v1, which mill@1 has written to the shared log. Keep reading it: events stay in the log permanently.',
    ],
    [
      'a request is no longer handled',
      release('mill', '2', {}),
      sends('1', BEFORE, nothing),
      'breaks: the new mill no longer handles mill.grind, which bakery@1 sends. Handle it until bakery@1 is retired.',
    ],
    [
      'a field of a request is made required',
      handles('2', BEFORE.required(), nothing),
      sends('1', BEFORE, nothing),
      `breaks: request mill.grind, field note: bakery@1 sends string, not always, the new mill always requires string. ${keepAccepting}`,
    ],
    [
      'a request loses an enum value',
      handles('2', BEFORE.extend({ kind: z.enum(['a']) }), nothing),
      sends('1', BEFORE, nothing),
      `breaks: request mill.grind, field kind: bakery@1 sends "b", the new mill reads "a". ${keepAccepting}`,
    ],
    [
      'a request accepts only shorter strings',
      handles('2', BEFORE.extend({ id: text.max(5) }), nothing),
      sends('1', BEFORE, nothing),
      `breaks: request mill.grind, field id: bakery@1 sends no maxLength, the new mill accepts maxLength 5. ${keepAccepting}`,
    ],
    [
      'a strict request loses a field',
      handles('2', z.strictObject(BEFORE.omit({ note: true }).shape), nothing),
      sends('1', BEFORE, nothing),
      `breaks: request mill.grind, field note: bakery@1 sends string, the new mill accepts no other fields. ${keepAccepting}`,
    ],
    [
      'a field of a reply is removed',
      handles('2', nothing, BEFORE.omit({ id: true })),
      sends('1', nothing, BEFORE),
      `breaks: reply to mill.grind, field id: the new mill replies with nothing, bakery@1 requires string. ${keepReplying}`,
    ],
    [
      'a reply gets a field and its client is strict',
      handles('2', nothing, grown),
      sends('1', nothing, z.strictObject(BEFORE.shape)),
      `breaks: reply to mill.grind, field more: the new mill replies with string, bakery@1 accepts no other fields. ${keepReplying}`,
    ],
    [
      'a client stops sending what older handlers require',
      sends('2', BEFORE.partial({ id: true }), nothing),
      handles('1', BEFORE, nothing),
      'breaks: request mill.grind, field id: the new bakery sends string, not always, mill@1 always requires string. ' +
        'Send what mill@1 accepts, or add a new request.',
    ],
    [
      'a client requires what older handlers do not send',
      sends('2', nothing, BEFORE.extend({ more: text })),
      handles('1', nothing, BEFORE),
      'breaks: reply to mill.grind, field more: mill@1 replies with nothing, the new bakery requires string. ' +
        'Make what mill@1 does not send optional.',
    ],
    [
      'a request loses a refusal, or renames it',
      handles('2', nothing, nothing, { refusals: { shut: 409 } }),
      sends('1', nothing, nothing, { refusals: { closed: 409 } }),
      `breaks: refusal of mill.grind: the new mill refuses no longer with closed, bakery@1 knows it. ${keepCode}`,
    ],
    [
      'a refusal changes its status',
      handles('2', nothing, nothing, { refusals: { closed: 410 } }),
      sends('1', nothing, nothing, { refusals: { closed: 409 } }),
      `breaks: refusal of mill.grind: the new mill refuses closed as 410, bakery@1 knows it as 409. ${keepCode}`,
    ],
    [
      'the default of a field changes',
      handles('2', z.object({ size: z.int().default(2) }), nothing),
      sends('1', z.object({ size: z.int().default(1) }), nothing),
      'breaks: request mill.grind, field size: bakery@1 sends nothing for the default 1, the new mill uses the default 2. ' +
        keepAccepting,
    ],
    [
      'a request gets a condition that only code checks',
      handles('2', BEFORE.extend({ id: text.refine(value => value !== '') }), nothing),
      sends('1', BEFORE, nothing),
      `breaks: request mill.grind, field id: bakery@1 sends what its schema allows, the new mill reads only what its code allows as well. ${keepAccepting}`,
    ],
    [
      'a sender may no longer send a request',
      handles('2', nothing, nothing, { callers: ['shop'] }),
      sends('1', nothing, nothing),
      `breaks: request mill.grind: bakery@1 sends it, the new mill accepts it only from shop. Keep the caller until bakery@1 is retired.`,
    ],
    [
      'a client waits for a shorter time than a handler may take',
      sends('2', nothing, nothing, { deadlineMs: 1 }),
      handles('1', nothing, nothing, { deadlineMs: 10_000 }),
      'breaks: request mill.grind: the new bakery waits 1 ms, mill@1 may take 10000 ms. Keep the deadline until mill@1 is retired.',
    ],
    [
      'a consumer is renamed',
      release('bakery', '2', { consumers: { requests: ['mill.a.v1'] } }),
      release('bakery', '1', { consumers: { orders: ['mill.a.v1'] } }),
      'breaks: consumer orders: the new bakery reads its events as requests, which has no position yet and handles every ' +
        'event from the first one again. Keep the name orders.',
    ],
  ])('%s', (_, next, released, text) => expect(findingTexts(next, released)).toEqual([text]));
});
