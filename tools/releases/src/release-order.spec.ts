import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { canDeploy, type Exchange, type JsonSchema, nameOf, type ReleaseContract } from '@postern/compatibility';
import { contractsOfCheckout, RELEASED, releasedContracts } from './checkout.js';
import { breaksOf, conditionsOf } from './contracts.js';

const ROOT = join(import.meta.dirname, '../../..');
const UNITS = Object.keys(RELEASED);

let head: ReadonlyMap<string, ReleaseContract>;
beforeAll(async () => {
  head = new Map((await contractsOfCheckout(ROOT)).map(contract => [contract.service, contract]));
});

/** What the release of each unit is refused for, if they are released one after another. */
const refusalsOf = (
  order: readonly string[],
  contracts: ReadonlyMap<string, ReleaseContract>,
  before: readonly ReleaseContract[],
): readonly string[] => {
  const released = [...before];
  return order.flatMap(unit => {
    const contract = { ...(contracts.get(unit) as ReleaseContract), version: '99.0.0' };
    const refusals = breaksOf(contract, released);
    if (refusals.length === 0) released.push(contract);
    return refusals;
  });
};

describe('from the head of the branch', () => {
  it('every unit can be released, in the order of their names and in the opposite order', () => {
    const released = releasedContracts(ROOT);
    expect(refusalsOf(UNITS, head, released)).toEqual([]);
    expect(refusalsOf(UNITS.toReversed(), head, released)).toEqual([]);
  });

  it.each(UNITS)('%s can be released alone', unit =>
    expect(refusalsOf([unit], head, releasedContracts(ROOT))).toEqual([]),
  );
});

/** The schema with another optional field, if it has named fields. */
const withField = (schema: JsonSchema): JsonSchema =>
  schema.properties && typeof schema.additionalProperties !== 'object'
    ? { ...schema, properties: { ...schema.properties, note: { type: 'string' } } }
    : schema;
const withFields = (exchange: Exchange, refusals: Record<string, number>): Exchange => ({
  ...exchange,
  request: withField(exchange.request),
  reply: withField(exchange.reply),
  refusals: { ...exchange.refusals, ...refusals },
});
const mapped = <Value>(record: Readonly<Record<string, Value>>, change: (value: Value) => Value) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
const NEW: Exchange = {
  ...{ request: { type: 'object' }, reply: { type: 'null' }, refusals: { not_now: 409 } },
  deadlineMs: 5_000,
};

/**
 * One feature in every unit at once: each request gets a field and a refusal, each event a field, each service a request that
 * all others send, and an event that all others consume.
 */
const grown = (contract: ReleaseContract): ReleaseContract => {
  const others = [...head.values()].filter(
    ({ service, answers }) => service !== contract.service && Object.keys(answers).length > 0,
  );
  const handles = Object.keys(contract.answers).length > 0;
  const changed = (exchange: Exchange) => withFields(exchange, { host_refused: 409 });
  const event = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
  return {
    ...contract,
    version: '0.9.0',
    publishes: {
      ...mapped(contract.publishes, withField),
      ...(handles ? { [`${contract.service}.pondered.v2`]: event } : {}),
    },
    answers: {
      ...mapped(contract.answers, changed),
      ...(handles ? { [`${contract.service}.ponder`]: NEW } : {}),
    },
    asks: {
      ...mapped(contract.asks, changed),
      ...Object.fromEntries(others.map(({ service }) => [`${service}.ponder`, NEW])),
    },
    consumes: {
      ...contract.consumes,
      ...Object.fromEntries(others.map(({ service }) => [`${service}.pondered.v2`, event])),
    },
  };
};

describe('after an additive change of all units at once', () => {
  const changed = () => new Map([...head].map(([unit, contract]) => [unit, grown(contract)]));
  const baseline = () => [...head.values()];

  it.each(UNITS)('%s can be released alone', unit => expect(refusalsOf([unit], changed(), baseline())).toEqual([]));

  it('each can be released before and after each other', () => {
    expect(refusalsOf(UNITS, changed(), baseline())).toEqual([]);
    expect(refusalsOf(UNITS.toReversed(), changed(), baseline())).toEqual([]);
  });

  it('a release states what it needs from newer releases of others', () =>
    expect(conditionsOf(changed().get('api-gateway') as ReleaseContract, baseline())).toContainEqual(
      expect.stringMatching(/sends webhook-dispatch\.ponder, which webhook-dispatch@\S+ does not handle/),
    ));

  it('all are deployed in one step, and one alone waits for those that it needs', () => {
    const services = [...changed().values()].filter(({ answers }) => Object.keys(answers).length > 0);
    const all = canDeploy(services, { running: baseline() });
    expect([all.problems, all.allowed]).toEqual([[], true]);
    const [gateway] = [changed().get('api-gateway') as ReleaseContract];
    const alone = canDeploy([gateway], { running: baseline(), published: services });
    expect(alone.allowed).toBe(false);
    expect(alone.problems.join('\n')).toContain('webhook-dispatch@0.9.0 is the first release with it');
  });
});

it('every unit has its own name', () => expect(new Set([...head.values()].map(nameOf)).size).toBe(UNITS.length));
