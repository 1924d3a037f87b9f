import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  canDeploy,
  type Exchange,
  findingsOf,
  groupedTexts,
  type HttpOperation,
  type ReleaseContract,
} from '@postern/compatibility';
import { contractsOfCheckout } from './checkout.js';
import {
  addField,
  type Edit,
  field,
  present,
  removeField,
  renamed,
  renameField,
  set,
  unset,
  without,
  withoutValue,
  withValue,
} from './testing/schema-edits.js';

const ROOT = join(import.meta.dirname, '../../..');
const DELIVERED = 'delivery-tracking.email-delivered.v1';
const DELIVERED_V2 = 'delivery-tracking.email-delivered.v2';
const BOUNCED = 'delivery-tracking.email-bounced.v1';
const CREATE = 'webhook-dispatch.create-webhook';
const LIST = 'webhook-dispatch.list-webhooks';
const ROUTE = 'POST /dashboard/api/email-services/{service_id}/webhooks';

type Change = (contract: ReleaseContract) => ReleaseContract;

/** The contracts of the checkout, as if each were released. */
let released: readonly ReleaseContract[];
beforeAll(async () => {
  released = (await contractsOfCheckout(ROOT)).map(contract => ({ ...contract, version: '1.0.0' }));
});

const unit = (service: string): ReleaseContract => released.find(one => one.service === service) as ReleaseContract;
const next = (service: string, change: Change): ReleaseContract => ({ ...change(unit(service)), version: '1.1.0' });
const verdictsOf = (service: string, change: Change) => [
  ...new Set(findingsOf(next(service, change), released).map(({ verdict }) => verdict)),
];

/** What delivery-tracking publishes: an event and its consumers, and its own log. */
const event =
  (type: string, edit: Edit): Change =>
  contract => ({ ...contract, publishes: { ...contract.publishes, [type]: edit(present(contract.publishes, type)) } });
const handled =
  (name: string, change: (exchange: Exchange) => Exchange): Change =>
  contract => ({ ...contract, answers: { ...contract.answers, [name]: change(present(contract.answers, name)) } });
const request = (name: string, edit: Edit): Change =>
  handled(name, exchange => ({ ...exchange, request: edit(exchange.request) }));
const reply = (name: string, edit: Edit): Change =>
  handled(name, exchange => ({ ...exchange, reply: edit(exchange.reply) }));
const refusals = (name: string, change: (codes: Exchange['refusals']) => Exchange['refusals']): Change =>
  handled(name, exchange => ({ ...exchange, refusals: change(exchange.refusals) }));
const route =
  (change: (operation: HttpOperation) => HttpOperation): Change =>
  contract => ({ ...contract, http: { ...contract.http, [ROUTE]: change(present(contract.http, ROUTE)) } });
const movedTo =
  (to: string): Change =>
  contract => ({ ...contract, http: renamed(contract.http, ROUTE, to) });
const consumed =
  (change: (types: ReleaseContract['consumes']) => ReleaseContract['consumes']): Change =>
  contract => ({ ...contract, consumes: change(contract.consumes) });

const [none, breaks, condition] = [[], ['breaks'], ['condition']] as const;

type Row = readonly [change: string, service: string, verdict: readonly string[], change: Change];

const EVENTS: readonly Row[] = [
  ['a field is removed', 'delivery-tracking', breaks, event(DELIVERED, removeField('to'))],
  ['a field is renamed', 'delivery-tracking', breaks, event(DELIVERED, renameField('to', 'recipient'))],
  [
    'a field may be null',
    'delivery-tracking',
    breaks,
    event(DELIVERED, field('to', set({ type: ['string', 'null'] }))),
  ],
  ['a field has another type', 'delivery-tracking', breaks, event(DELIVERED, field('to', set({ type: 'integer' })))],
  ['an enum value is added', 'delivery-tracking', breaks, event(BOUNCED, field('data.bounce_type', withValue('late')))],
  [
    'an enum value is removed, which the log contains',
    ...(['delivery-tracking', breaks, event(BOUNCED, field('data.bounce_type', withoutValue('soft')))] as const),
  ],
  ['a field is required, which the log lacks', 'delivery-tracking', breaks, event(DELIVERED, addField('color', true))],
  ['an optional field is added', 'delivery-tracking', none, event(DELIVERED, addField('color', false))],
  [
    'a limit is narrower than the log',
    ...(['delivery-tracking', breaks, event(DELIVERED, field('recipient_index', set({ maximum: 9 })))] as const),
  ],
  [
    'a limit is wider',
    ...(['delivery-tracking', breaks, event(DELIVERED, field('recipient_index', set({ maximum: 99 })))] as const),
  ],
  ['a pattern is dropped', 'delivery-tracking', breaks, event(DELIVERED, field('timestamp', unset('pattern')))],
  ['its meaning changes, and not its shape', 'delivery-tracking', none, contract => contract],
  [
    'an event is removed',
    'delivery-tracking',
    breaks,
    one => ({ ...one, publishes: without(one.publishes, DELIVERED) }),
  ],
  [
    'a new version is published beside the old one',
    ...(['delivery-tracking', none] as const),
    one => ({ ...one, publishes: { ...one.publishes, [DELIVERED_V2]: present(one.publishes, DELIVERED) } }),
  ],
  [
    'a consumer replaces the event by a version that is not published yet',
    ...(['webhook-dispatch', condition, consumed(types => renamed(types, DELIVERED, DELIVERED_V2))] as const),
  ],
  ['a consumer no longer reads an event', 'webhook-dispatch', none, consumed(types => without(types, DELIVERED))],
  [
    'a consumer has another name, so that it starts with the first event',
    ...(['webhook-dispatch', breaks] as const),
    one => ({ ...one, consumers: renamed(one.consumers, 'deliveries', 'outcomes') }),
  ],
];

const REQUESTS: readonly Row[] = [
  ['a field is required', 'webhook-dispatch', breaks, request(CREATE, addField('color', true))],
  ['a limit is narrower', 'webhook-dispatch', breaks, request(CREATE, field('url', set({ maxLength: 100 })))],
  ['a limit is wider', 'webhook-dispatch', none, request(CREATE, field('url', set({ maxLength: 4096 })))],
  ['an optional field is added', 'webhook-dispatch', none, request(CREATE, addField('color', false))],
  ['code accepts less than the schema', 'webhook-dispatch', breaks, request(CREATE, field('url', set({ refined: 1 })))],
  [
    'it is renamed',
    'webhook-dispatch',
    breaks,
    one => ({ ...one, answers: renamed(one.answers, CREATE, `${CREATE}s`) }),
  ],
  [
    'an enum value is removed',
    ...(['webhook-dispatch', breaks] as const),
    request(
      CREATE,
      field('events', events => ({ ...events, items: withoutValue('opened')(events.items ?? {}) })),
    ),
  ],
  [
    'an enum value is added',
    ...(['webhook-dispatch', none] as const),
    request(
      CREATE,
      field('events', events => ({ ...events, items: withValue('parked')(events.items ?? {}) })),
    ),
  ],
  [
    'a field of the reply is removed',
    ...(['webhook-dispatch', breaks] as const),
    reply(LIST, list => ({ ...list, items: removeField('url')(list.items ?? {}) })),
  ],
  [
    'the reply has another enum value',
    ...(['webhook-dispatch', breaks] as const),
    reply(LIST, list => ({
      ...list,
      items: field('events', events => ({ ...events, items: withValue('parked')(events.items ?? {}) }))(
        list.items ?? {},
      ),
    })),
  ],
  [
    'a refusal is renamed',
    ...(['webhook-dispatch', breaks, refusals(CREATE, codes => renamed(codes, 'quota_reached', 'limit_met'))] as const),
  ],
  ['a refusal is removed', 'webhook-dispatch', breaks, refusals(CREATE, codes => without(codes, 'quota_reached'))],
  [
    'a refusal has another status',
    ...(['webhook-dispatch', breaks, refusals(CREATE, codes => ({ ...codes, quota_reached: 410 }))] as const),
  ],
  ['a refusal is added', 'webhook-dispatch', none, refusals(CREATE, codes => ({ ...codes, host_refused: 409 }))],
  [
    'its caller may no longer send it',
    ...(['webhook-dispatch', breaks, handled(CREATE, one => ({ ...one, callers: ['operator'] }))] as const),
  ],
  [
    'its caller waits too briefly',
    ...(['api-gateway', breaks] as const),
    one => ({ ...one, asks: { ...one.asks, [CREATE]: { ...present(one.asks, CREATE), deadlineMs: 1 } } }),
  ],
  [
    'a default changes',
    ...(['email-send', breaks, request('email-send.list-erasures', field('limit', set({ default: 5 })))] as const),
  ],
  [
    'it is sent before it is handled',
    ...(['api-gateway', condition] as const),
    one => ({ ...one, asks: { ...one.asks, 'webhook-dispatch.pause-webhook': present(one.asks, CREATE) } }),
  ],
];

const body = (edit: Edit): Change =>
  route(operation => ({ ...operation, request: field('body', edit)(operation.request) }));

const ROUTES: readonly Row[] = [
  ['has another path', 'api-gateway', breaks, movedTo(ROUTE.replace('webhooks', 'listeners'))],
  ['has another method', 'api-gateway', breaks, movedTo(ROUTE.replace('POST', 'PUT'))],
  ['is removed', 'api-gateway', breaks, one => ({ ...one, http: without(one.http, ROUTE) })],
  ['answers with another status', 'api-gateway', breaks, route(one => ({ ...one, replies: { '200': {} } }))],
  ['accepts other credentials', 'api-gateway', breaks, route(one => ({ ...one, access: ['platform-key owner'] }))],
  ['has its errors under other codes', 'api-gateway', breaks, route(one => ({ ...one, errors: [] }))],
  ['names a field of its body anew', 'api-gateway', breaks, body(renameField('url', 'address'))],
  ['accepts another field', 'api-gateway', none, body(addField('color', false))],
];

describe.each([
  ['an event', EVENTS],
  ['a request', REQUESTS],
  ['a route of the HTTP API', ROUTES],
])('if the checkout were released, and of %s', (_, rows) => {
  it.each(rows)('%s: %s is found %j', (_change, service, verdict, change) =>
    expect(verdictsOf(service, change)).toEqual(verdict),
  );
});

describe('A consumer that moves to the next version of an event', () => {
  const reader = () =>
    next(
      'webhook-dispatch',
      consumed(types => renamed(types, DELIVERED, DELIVERED_V2)),
    );
  const writer = () =>
    next('delivery-tracking', one => ({
      ...one,
      publishes: { ...one.publishes, [DELIVERED_V2]: present(one.publishes, DELIVERED) },
    }));

  it('is released, and its release names what must run first', () =>
    expect(groupedTexts(findingsOf(reader(), released))).toEqual([
      expect.stringMatching(
        /^the new webhook-dispatch consumes \S+v2, which delivery-tracking@1\.0\.0 does not publish/,
      ),
    ]));

  it('is not deployed before its producer publishes it, and is afterwards', () => {
    const before = canDeploy([reader()], { running: released, published: [writer()] });
    expect(before).toMatchObject({ allowed: false });
    expect(before.problems.join()).toContain('delivery-tracking@1.1.0 is the first release with it');
    const running = [...released.filter(({ service }) => service !== 'delivery-tracking'), writer()];
    expect(canDeploy([reader()], { running })).toMatchObject({ allowed: true, problems: [] });
  });

  it('is deployed with its producer in one step, the producer first', () =>
    expect(canDeploy([reader(), writer()], { running: released })).toMatchObject({
      allowed: true,
      order: ['delivery-tracking@1.1.0', 'webhook-dispatch@1.1.0'],
    }));
});
