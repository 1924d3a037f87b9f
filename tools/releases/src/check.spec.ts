import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { findingsBetween, findingsOf } from './check.js';
import { CLIENTS, contractOfCheckout, importedContracts, RELEASED, releasedContracts, sourcesOf } from './checkout.js';
import { jsonSchemaOf } from './json-schema.js';
import { contractsNamed, type Exchange, type ReleaseContract, requestName } from './release-contract.js';

const ROOT = join(import.meta.dirname, '../../..');

describe('every service of the checkout', () => {
  const released = releasedContracts(ROOT);

  it.each(Object.keys(RELEASED))('%s is compatible with every release', service =>
    expect(
      findingsOf(contractOfCheckout(ROOT, service), released)
        .filter(({ verdict }) => verdict === 'breaks')
        .map(({ text }) => text),
    ).toEqual([]),
  );

  it.each(Object.keys(RELEASED))('%s has a handler for every request of the service', service => {
    const handled = sourcesOf(ROOT, service).flatMap(source => [
      ...[...source.matchAll(/@Handles(?:Request)?\((\w+)\)/g)].flatMap(([, name = '']) => contractsNamed(name)),
      ...(/OperationsModule\.forService\(/.test(source) ? contractsNamed('OPERATIONS') : []),
      ...(/EventSourcingModule\.forService\(/.test(source) ? contractsNamed('EVENT_FEEDS') : []),
    ]);
    const names = handled.flatMap(contract => ('request' in contract ? [requestName(contract)] : []));
    expect(new Set(names.filter(name => name.startsWith(`${service}.`)))).toEqual(
      new Set(Object.keys(contractOfCheckout(ROOT, service).answers)),
    );
  });

  it.each(Object.keys(CLIENTS))('%s sends requests that exist', client =>
    expect(CLIENTS[client]?.filter(name => contractsNamed(name).length === 0)).toEqual([]),
  );

  it('the session requests of the command are those whose paths occur in its sources', () => {
    const pathsOf = (name: string) =>
      contractsNamed(name).flatMap(contract => ('http' in contract ? contract.http.map(({ path }) => path) : []));
    const known = new Set((CLIENTS['command'] ?? []).flatMap(pathsOf).map(path => path.replaceAll(/\{\w+\}/g, '{}')));
    const written = sourcesOf(ROOT, 'command').flatMap(source =>
      [...source.matchAll(/['`](\/(?:email-services|me)\b[^'`]*)['`]/g)].map(([, path = '']) =>
        path.replaceAll(/\$\{[^}]*\}/g, '{}'),
      ),
    );
    expect(written.length).toBeGreaterThan(4);
    expect(written.filter(path => !known.has(path))).toEqual([]);
  });

  it('sends and consumes what its code imports, without type imports', () =>
    expect(
      importedContracts(`
        import { type EmailRecord, emailAccepted, getEmail as get } from '@postern/contracts';
        import type { listEmails } from '@postern/contracts';
        import { other } from '@postern/messaging';`),
    ).toEqual(['emailAccepted', 'getEmail']));
});

it('every version plan is for a single release', () => {
  const folder = join(ROOT, '.nx/version-plans');
  const files = existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith('.md')) : [];
  const planned = files.map(file => {
    const [, front = ''] = readFileSync(join(folder, file), 'utf8').split(/^---$/m);
    return [file, ...front.trim().split('\n')].join(' ');
  });
  const one = new RegExp(`^\\S+ ['"]?(${Object.keys(RELEASED).join('|')})['"]?: \\w+$`);
  expect(planned.filter(plan => !one.test(plan))).toEqual([]);
});

const text = z.string();
const BEFORE = z.object({ id: text, note: text.optional(), kind: z.enum(['a', 'b']) });

const release = (service: string, version: string, contract: Partial<ReleaseContract>): ReleaseContract => ({
  ...{ service, version, envelope: {}, publishes: {}, consumes: {}, answers: {}, asks: {} },
  ...contract,
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
const handles = (version: string, ...of: Parameters<typeof exchange>) =>
  release('mill', version, { answers: exchange(...of) });
const sends = (version: string, ...of: Parameters<typeof exchange>) =>
  release('bakery', version, { asks: exchange(...of) });

const findingTexts = (next: ReleaseContract, released: ReleaseContract) =>
  findingsBetween(next, released).map(({ verdict, text }) => `${verdict}: ${text}`);

const nothing = z.object({});
const grown = BEFORE.extend({ more: text.optional() });

describe('releases are compatible when', () => {
  it.each<[string, ReleaseContract, ReleaseContract]>([
    ['an event gets an optional field', publishes('2', grown), consumes('1', BEFORE)],
    ['an event gets a field that is always present', publishes('2', BEFORE.required()), consumes('1', BEFORE)],
    ['an event loses an enum value', publishes('2', BEFORE.extend({ kind: z.enum(['a']) })), consumes('1', BEFORE)],
    ['a consumer reads an optional field that older events lack', consumes('2', grown), publishes('1', BEFORE)],
    ['a consumer no longer reads a field', consumes('2', BEFORE.omit({ id: true })), publishes('1', BEFORE)],
    ['a consumer expects an event that is not published yet', consumes('2', BEFORE), release('mill', '1', {})],
    ['events in the log get an optional field', publishes('2', grown), publishes('1', BEFORE)],
    ['a request accepts a new optional field', handles('2', grown, nothing), sends('1', BEFORE, nothing)],
    [
      'a request accepts a new enum value',
      handles('2', BEFORE.extend({ kind: text }), nothing),
      sends('1', BEFORE, nothing),
    ],
    ['a client sends a new optional field', sends('2', grown, nothing), handles('1', BEFORE, nothing)],
    ['a reply gets a field', handles('2', nothing, grown.required()), sends('1', nothing, BEFORE)],
    ['a refusal is removed', handles('2', nothing, nothing), sends('1', nothing, nothing, ['closed'])],
  ])('%s', (_, next, released) => expect(findingTexts(next, released)).toEqual([]));
});

describe('a violation is reported with service, event or request, field and advice:', () => {
  const keepPublishing = 'Keep publishing mill.flour-ground.v1 unchanged, and publish the new shape as a new version.';
  const keepReading = 'Accept what the older version writes, or read a new version of the event.';
  const keepAccepting =
    'Accept what older clients send: keep the field, its type and its limits, and make new fields optional.';
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
      'a client does not know a refusal',
      sends('2', nothing, nothing),
      handles('1', nothing, nothing, ['closed']),
      'breaks: refusal of mill.grind: mill@1 can refuse with closed, the new bakery knows no such code. ' +
        'Keep handling the code until mill@1 is retired.',
    ],
  ])('%s', (_, next, released, text) => expect(findingTexts(next, released)).toEqual([text]));
});

describe('a new feature is pending until the other service is released:', () => {
  it.each<[string, ReleaseContract, ReleaseContract, string]>([
    ['a new request', sends('2', BEFORE, nothing), release('mill', '1', {}), 'mill.grind'],
    [
      'a new field for a strict request',
      sends('2', grown, nothing),
      handles('1', z.strictObject(BEFORE.shape), nothing),
      'more',
    ],
    [
      'a new value',
      sends('2', BEFORE.extend({ kind: z.enum(['a', 'b', 'c']) }), nothing),
      handles('1', BEFORE, nothing),
      'kind',
    ],
  ])('%s', (_, next, released, what) =>
    expect(findingTexts(next, released)).toEqual([
      expect.stringMatching(
        `^pending: .* Release mill with ${what} first, and retire mill@1 when nobody runs it any more.$`,
      ),
    ]),
  );

  it('a new refusal', () =>
    expect(findingTexts(handles('2', nothing, nothing, ['closed']), sends('1', nothing, nothing))).toEqual([
      'pending: refusal of mill.grind: the new mill can refuse with closed, bakery@1 knows no such code. ' +
        'Release bakery with closed first, and retire bakery@1 when nobody runs it any more.',
    ]));
});
