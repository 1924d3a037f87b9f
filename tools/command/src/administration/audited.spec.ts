import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AuditRecord, Refusal } from '@postern/contracts';
import { currentContext, ServiceUnavailable } from '@postern/messaging';
import { UsageError } from '../errors.js';
import { recorded } from './audited.js';
import type { Operator } from './operator.js';

let entries: AuditRecord[];
let printed: string[];
let fails: boolean;
beforeEach(() => {
  [entries, printed, fails] = [[], [], false];
});

const operator = {
  print: (line: string) => printed.push(line),
  requests: {
    request: async (_contract: unknown, entry: AuditRecord) => {
      if (fails) throw new Error('no responders');
      entries.push(entry);
    },
  },
} as unknown as Operator;

const discard = { action: 'event.discarded', idFrom: ([, id]: readonly string[]) => id };
const run = (work: Parameters<typeof recorded>[2], rest = ['email-send', 'event-1'], unaudited = false) =>
  recorded(operator, { audited: discard, rest, unaudited }, work);

const outcomes = () => entries.map(({ outcome, code }) => [outcome, code]);

describe('A command that changes data', () => {
  it('is recorded before it starts, and again with its outcome', async () => {
    const before: number[] = [];
    await run(async () => {
      before.push(entries.length);
      expect(currentContext()?.correlationId).toBe(entries[0]?.request_id);
      return true;
    });
    expect([before, outcomes()]).toEqual([
      [1],
      [
        ['attempted', null],
        ['succeeded', null],
      ],
    ]);
    expect(entries[1]).toMatchObject({
      entry_id: entries[0]?.entry_id,
      actor: { type: 'operator', id: null },
      action: 'event.discarded',
      resource: { type: 'event', id: 'event-1' },
    });
  });

  it('is recorded with the id of the created resource, and never with an address', async () => {
    const create = async ({ affects }: Operator) => {
      affects?.('user-1');
      return true;
    };
    await run(create, ['users', 'ada@example.com']);
    expect(entries.map(({ resource }) => resource.id)).toEqual([null, 'user-1']);
  });

  it.each([
    [new Refusal('event_not_set_aside', 'No.'), 'refused', 'event_not_set_aside'],
    [new UsageError('No.'), 'refused', 'invalid_input'],
    [new ServiceUnavailable('a', 'timeout', true), 'attempted', 'service_unavailable'],
    [new ServiceUnavailable('a', 'no_responders', false), 'failed', 'service_unavailable'],
    [new Error('No.'), 'failed', 'command_failed'],
  ])('that ends with %s is recorded with that outcome', async (error, outcome, code) => {
    await expect(run(() => Promise.reject(error))).rejects.toBe(error);
    expect(outcomes()[1]).toEqual([outcome, code]);
  });

  it('does not start if it cannot be recorded, unless an option allows it', async () => {
    fails = true;
    let started = 0;
    const start = async () => ++started > 0;
    await expect(run(start)).rejects.toThrow('was not run');
    expect(started).toBe(0);
    await expect(run(start, undefined, true)).resolves.toBe(true);
    expect(printed.join('\n')).toContain('It runs unrecorded.');
  });
});
