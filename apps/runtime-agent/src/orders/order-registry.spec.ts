import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { RuntimeOrder } from '@postern/contracts';
import { type OrderEnd, OrderRegistry } from './order-registry.js';

const database = {
  database_id: randomUUID(),
  database_kind: 'relational' as const,
  host: '127.0.0.1',
  port: 5432,
  username: 'ada',
  password: 'secret',
  limits: { cpu_millicores: 100, memory_bytes: 1, storage_bytes: 1, connections: 1 },
  attached_to: [],
  attachment_users: [],
  allowed_cidrs: [],
};

const restore = (): RuntimeOrder => ({
  kind: 'restore_database',
  ...database,
  restore_id: randomUUID(),
  backup_id: randomUUID(),
  backup_digest: 'a',
});

/** Fake execution: records the orders that have started, and runs each until the test ends it. */
class Execution {
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];
  readonly registry = new OrderRegistry(
    ({ kind }, signal) =>
      new Promise<void>((resolve, reject) => {
        this.begun.push(kind);
        this.#ends.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    () => undefined,
  );

  start(order: RuntimeOrder): string {
    const id = randomUUID();
    this.registry.start(id, 'client', order);
    return id;
  }

  endFirst(): void {
    this.#ends.shift()?.();
  }

  async stateOf(orderId: string): Promise<OrderEnd['state'] | 'running' | 'unknown'> {
    return (await this.registry.wait(orderId, 20)).state;
  }
}

it.each<RuntimeOrder>([
  { kind: 'ensure_database', ...database },
  { kind: 'enforce_database_storage', database_id: database.database_id },
])('the order $kind waits until a restore of the database has ended', async later => {
  const execution = new Execution();
  const restored = execution.start(restore());
  const following = execution.start(later);
  expect(await execution.stateOf(restored)).toBe('running');
  expect(execution.begun).toEqual(['restore_database']);
  execution.endFirst();
  expect(await execution.stateOf(restored)).toBe('done');
  expect(await execution.stateOf(following)).toBe('running');
  expect(execution.begun).toEqual(['restore_database', later.kind]);
});

it.each<RuntimeOrder>([restore(), { kind: 'remove_database', database_id: database.database_id }])(
  'the order $kind ends a restore of the database that is in progress',
  async later => {
    const execution = new Execution();
    const restored = execution.start(restore());
    expect(await execution.stateOf(restored)).toBe('running');
    const following = execution.start(later);
    expect(await execution.stateOf(restored)).toBe('cancelled');
    expect(await execution.stateOf(following)).toBe('running');
  },
);
