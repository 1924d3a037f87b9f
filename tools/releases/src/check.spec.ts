import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { findingsBetween, findingsOf } from './check.js';
import { contractOfCheckout, importedContracts, RELEASED, releasedContracts, sourcesOf } from './checkout.js';
import { jsonSchemaOf } from './json-schema.js';
import { contractsNamed, type Exchange, type ReleaseContract, requestName } from './release-contract.js';

const ROOT = join(import.meta.dirname, '../../..');

describe('every service of this checkout', () => {
  const released = releasedContracts(ROOT);

  it.each(Object.keys(RELEASED))('%s keeps what it and the others rely on, whatever release of them runs', service =>
    expect(
      findingsOf(contractOfCheckout(ROOT, service), released)
        .filter(({ verdict }) => verdict === 'breaks')
        .map(({ text }) => text),
    ).toEqual([]),
  );

  it.each(Object.keys(RELEASED))('%s has a handler for every request under its name', service => {
    const handled = sourcesOf(ROOT, service).flatMap(source => [
      ...[...source.matchAll(/@HandlesRequest\((\w+)\)/g)].flatMap(([, name = '']) => contractsNamed(name)),
      ...(/operationsController\(/.test(source) ? contractsNamed('OPERATIONS') : []),
    ]);
    const names = handled.flatMap(contract => ('request' in contract ? [requestName(contract)] : []));
    expect(new Set(names.filter(name => name.startsWith(`${service}.`)))).toEqual(
      new Set(Object.keys(contractOfCheckout(ROOT, service).answers)),
    );
  });

  it('asks and consumes what its code imports, and not what only its types name', () =>
    expect(
      importedContracts(`
        import { type EmailRecord, emailAccepted, getEmail as ask } from '@postern/contracts';
        import type { listEmails } from '@postern/contracts';
        import { other } from '@postern/messaging';`),
    ).toEqual(['emailAccepted', 'getEmail']));
});

const text = z.string();
const BEFORE = z.object({ id: text, note: text.optional(), kind: z.enum(['a', 'b']) });

const release = (service: string, version: string, says: Partial<ReleaseContract>): ReleaseContract => ({
  ...{ service, version, envelope: {}, publishes: {}, consumes: {}, answers: {}, asks: {} },
  ...says,
});

const event = (data: z.ZodType) => ({ 'mill.flour-ground.v1': jsonSchemaOf(data, 'output') });
const exchange = (request: z.ZodType, reply: z.ZodType, refusals: readonly string[] = []) => ({
  'mill.grind': {
    request: jsonSchemaOf(request, 'input'),
    reply: jsonSchemaOf(reply, 'output'),
    refusals,
  } satisfies Exchange,
});

const publishes = (version: string, data: z.ZodType) => release('mill', version, { publishes: event(data) });
const consumes = (version: string, data: z.ZodType) => release('bakery', version, { consumes: event(data) });
const answers = (version: string, ...of: Parameters<typeof exchange>) =>
  release('mill', version, { answers: exchange(...of) });
const asks = (version: string, ...of: Parameters<typeof exchange>) =>
  release('bakery', version, { asks: exchange(...of) });

const told = (next: ReleaseContract, released: ReleaseContract) =>
  findingsBetween(next, released).map(({ verdict, text }) => `${verdict}: ${text}`);

const nothing = z.object({});
const grown = BEFORE.extend({ more: text.optional() });

describe('it holds when', () => {
  it.each<[string, ReleaseContract, ReleaseContract]>([
    ['an event gets an optional field', publishes('2', grown), consumes('1', BEFORE)],
    ['an event gets a field that is always there', publishes('2', BEFORE.required()), consumes('1', BEFORE)],
    ['an event has fewer kinds', publishes('2', BEFORE.extend({ kind: z.enum(['a']) })), consumes('1', BEFORE)],
    ['a consumer reads an optional field that older events lack', consumes('2', grown), publishes('1', BEFORE)],
    ['a consumer no longer reads a field', consumes('2', BEFORE.omit({ id: true })), publishes('1', BEFORE)],
    ['a consumer waits for an event that nobody publishes yet', consumes('2', BEFORE), release('mill', '1', {})],
    ['an optional field comes to the events in the log', publishes('2', grown), publishes('1', BEFORE)],
    ['a request takes an optional field more', answers('2', grown, nothing), asks('1', BEFORE, nothing)],
    ['a request takes a kind more', answers('2', BEFORE.extend({ kind: text }), nothing), asks('1', BEFORE, nothing)],
    ['an asker sends an optional field more', asks('2', grown, nothing), answers('1', BEFORE, nothing)],
    ['a reply has a field more', answers('2', nothing, grown.required()), asks('1', nothing, BEFORE)],
    ['a refusal is never given any more', answers('2', nothing, nothing), asks('1', nothing, nothing, ['closed'])],
  ])('%s', (_, next, released) => expect(told(next, released)).toEqual([]));
});

describe('a planted violation is told with service, event or request, field and remedy:', () => {
  const event2 = 'Publish mill.flour-ground.v1 as it was, and the new shape as a new version beside it.';
  const readOld = 'Read it as it was written: take what the older one writes, or read a new version of the event.';
  const takeOld =
    'Take what older askers send: keep the field, its type and its limits, and let what is new be optional.';
  const answerOld =
    'Answer as before, with what is new in new fields that older askers ignore; or answer a new request beside it.';

  it.each<[string, ReleaseContract, ReleaseContract, string]>([
    [
      'a field of an event is removed, or renamed',
      publishes('2', BEFORE.omit({ id: true }).extend({ identifier: text })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes nothing, bakery@1 needs string. ${event2}`,
    ],
    [
      'a field of an event becomes optional',
      publishes('2', BEFORE.partial({ id: true })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes string, not always, bakery@1 always needs string. ${event2}`,
    ],
    [
      'a field of an event changes its type',
      publishes('2', BEFORE.extend({ id: z.int() })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field id: the new mill publishes integer, bakery@1 reads string. ${event2}`,
    ],
    [
      'an event gets a kind that older consumers never heard of',
      publishes('2', BEFORE.extend({ kind: z.enum(['a', 'b', 'c']) })),
      consumes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field kind: the new mill publishes "c", bakery@1 reads "a" or "b". ${event2}`,
    ],
    [
      'an event gets a field where its consumer is strict',
      publishes('2', grown),
      consumes('1', z.strictObject(BEFORE.shape)),
      `breaks: event mill.flour-ground.v1, field more: the new mill publishes string, bakery@1 takes no other fields. ${event2}`,
    ],
    [
      'an event is withdrawn',
      release('mill', '2', {}),
      consumes('1', BEFORE),
      'breaks: the new mill no longer publishes mill.flour-ground.v1, which bakery@1 consumes. Publish it until bakery@1 is retired.',
    ],
    [
      'the envelope of events loses a field',
      { ...publishes('2', BEFORE), envelope: jsonSchemaOf(nothing, 'output') },
      { ...consumes('1', BEFORE), envelope: jsonSchemaOf(z.object({ id: text }), 'output') },
      'breaks: event the envelope of events, field id: the new mill publishes nothing, bakery@1 needs string. ' +
        'Publish the envelope of events as it was, and the new shape as a new version beside it.',
    ],
    [
      'a consumer needs what older events may lack',
      consumes('2', BEFORE.required()),
      publishes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field note: mill@1 publishes string, not always, the new bakery always needs string. ${readOld}`,
    ],
    [
      'a service cannot read its own old events any more',
      publishes('2', BEFORE.extend({ more: text })),
      publishes('1', BEFORE),
      `breaks: event mill.flour-ground.v1, field more: mill@1 writes to their log nothing, the new mill needs string. ${readOld}`,
    ],
    [
      'a service forgets an event that is in its log',
      release('mill', '2', {}),
      publishes('1', BEFORE),
      'breaks: the new mill no longer knows mill.flour-ground.v1, which mill@1 has written to their log. Keep it readable: what is in the log stays there.',
    ],
    [
      'a request is no longer answered',
      release('mill', '2', {}),
      asks('1', BEFORE, nothing),
      'breaks: the new mill no longer answers mill.grind, which bakery@1 asks. Answer it until bakery@1 is retired.',
    ],
    [
      'a field of a request is made required',
      answers('2', BEFORE.required(), nothing),
      asks('1', BEFORE, nothing),
      `breaks: request mill.grind, field note: bakery@1 sends string, not always, the new mill always needs string. ${takeOld}`,
    ],
    [
      'a request takes a kind less',
      answers('2', BEFORE.extend({ kind: z.enum(['a']) }), nothing),
      asks('1', BEFORE, nothing),
      `breaks: request mill.grind, field kind: bakery@1 sends "b", the new mill reads "a". ${takeOld}`,
    ],
    [
      'a request takes only shorter texts',
      answers('2', BEFORE.extend({ id: text.max(5) }), nothing),
      asks('1', BEFORE, nothing),
      `breaks: request mill.grind, field id: bakery@1 sends no maxLength, the new mill takes maxLength 5. ${takeOld}`,
    ],
    [
      'a strict request forgets a field',
      answers('2', z.strictObject(BEFORE.omit({ note: true }).shape), nothing),
      asks('1', BEFORE, nothing),
      `breaks: request mill.grind, field note: bakery@1 sends string, the new mill takes no other fields. ${takeOld}`,
    ],
    [
      'a field of a reply is removed',
      answers('2', nothing, BEFORE.omit({ id: true })),
      asks('1', nothing, BEFORE),
      `breaks: reply to mill.grind, field id: the new mill answers with nothing, bakery@1 needs string. ${answerOld}`,
    ],
    [
      'a reply gets a field where its asker is strict',
      answers('2', nothing, grown),
      asks('1', nothing, z.strictObject(BEFORE.shape)),
      `breaks: reply to mill.grind, field more: the new mill answers with string, bakery@1 takes no other fields. ${answerOld}`,
    ],
    [
      'an asker stops sending what older answerers need',
      asks('2', BEFORE.partial({ id: true }), nothing),
      answers('1', BEFORE, nothing),
      'breaks: request mill.grind, field id: the new bakery sends string, not always, mill@1 always needs string. ' +
        'Send what mill@1 takes, or ask a new request that it answers beside this one.',
    ],
    [
      'an asker needs what older answerers do not reply',
      asks('2', nothing, BEFORE.extend({ more: text })),
      answers('1', nothing, BEFORE),
      'breaks: reply to mill.grind, field more: mill@1 answers with nothing, the new bakery needs string. ' +
        'Do without what mill@1 does not answer: let it be optional.',
    ],
    [
      'an asker forgets a refusal',
      asks('2', nothing, nothing),
      answers('1', nothing, nothing, ['closed']),
      'breaks: refusal of mill.grind: mill@1 may refuse with closed, the new bakery knows no such code. ' +
        'Go on knowing the code until mill@1 is retired.',
    ],
  ])('%s', (_, next, released, words) => expect(told(next, released)).toEqual([words]));
});

describe('what is new waits for the other service to be released first:', () => {
  it.each<[string, ReleaseContract, ReleaseContract, string]>([
    ['a new request', asks('2', BEFORE, nothing), release('mill', '1', {}), 'mill.grind'],
    [
      'a new field for a strict request',
      asks('2', grown, nothing),
      answers('1', z.strictObject(BEFORE.shape), nothing),
      'more',
    ],
    [
      'a new value',
      asks('2', BEFORE.extend({ kind: z.enum(['a', 'b', 'c']) }), nothing),
      answers('1', BEFORE, nothing),
      'kind',
    ],
  ])('%s', (_, next, released, what) =>
    expect(told(next, released)).toEqual([
      expect.stringMatching(
        `^waits: .* Release mill first, with ${what}, and retire mill@1 where nobody runs it any more.$`,
      ),
    ]),
  );

  it('a new refusal', () =>
    expect(told(answers('2', nothing, nothing, ['closed']), asks('1', nothing, nothing))).toEqual([
      'waits: refusal of mill.grind: the new mill may refuse with closed, bakery@1 knows no such code. ' +
        'Release bakery first, with closed, and retire bakery@1 where nobody runs it any more.',
    ]));
});
