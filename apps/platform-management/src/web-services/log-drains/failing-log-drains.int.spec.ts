import { describe, expect, it } from '@jest/globals';
import type { changeLogDrain, RequestOf } from '@postern/contracts';
import type { Database } from '@postern/service-host';
import { owners, useLogDrains } from '../../testing/log-drains-fixture.js';
import { ChangeLogDrain } from './change-log-drain.js';
import { DisableFailingLogDrains } from './disable-failing-log-drains.js';
import { TestLogDrain } from './test-log-drain.js';

const given = useLogDrains();
const { of, create, stateOf, write, deliver, linesIn, untilReceived } = given;

describe('a log drain that fails', () => {
  const mails: unknown[] = [];
  const supervise = () =>
    new DisableFailingLogDrains(
      { pool: given.fixture.pool } as Database,
      {
        request: async (_: unknown, request: unknown) => void mails.push(request),
      } as never,
    ).run();
  const failFor = (id: string, interval: string) =>
    given.fixture.pool.query(
      `UPDATE log_drains SET failures = 9, failing_since = now() - $2::interval, last_error = 'HTTP 500' WHERE id = $1`,
      [id, interval],
    );

  it('is mailed about once after an hour, disabled after three days, and continues when it is enabled again', async () => {
    const id = await given.fixture.createService(given.replica);
    const drain = await create(id);
    write(id, 'one');
    await failFor(drain.id, '50 minutes');
    await supervise();
    expect(mails).toEqual([]);
    await failFor(drain.id, '2 hours');
    await supervise();
    await supervise();
    expect(mails).toMatchObject([{ state: 'failing', log_drain_id: drain.id, error: 'HTTP 500' }]);
    await failFor(drain.id, '73 hours');
    await supervise();
    await supervise();
    expect(mails).toMatchObject([{ state: 'failing' }, { state: 'disabled' }]);
    expect(await stateOf(drain)).toMatchObject({ state: 'disabled', last_error: 'HTTP 500' });
    deliver();
    await new ChangeLogDrain(owners, given.drains).execute({
      ...of(id),
      drain_id: drain.id,
      enabled: true,
    } as RequestOf<typeof changeLogDrain>);
    await untilReceived('one');
    expect(await stateOf(drain)).toMatchObject({ state: 'active' });
  });

  it('is not mailed about when its owner has disabled it', async () => {
    mails.length = 0;
    const id = await given.fixture.createService(given.replica);
    const drain = await create(id);
    await failFor(drain.id, '2 hours');
    const request = { ...of(id), drain_id: drain.id, enabled: false } as never;
    expect(await new ChangeLogDrain(owners, given.drains).execute(request)).toMatchObject({ state: 'disabled' });
    await supervise();
    expect(mails).toEqual([]);
  });
});

describe('the test of a log drain', () => {
  const test = (drain: { id: string; web_service_id: string }) =>
    new TestLogDrain(owners, given.drains, given.sender).execute({
      ...of(drain.web_service_id),
      drain_id: drain.id,
    } as never);

  it('sends one line, and returns the answer without changing the state', async () => {
    const drain = await create(await given.fixture.createService(given.replica));
    expect(await test(drain)).toEqual({ accepted: true, error: null, duration_ms: expect.any(Number) });
    expect(linesIn().map(({ message }) => message)).toEqual(['Test line of a log drain']);
    given.receiver.answerNext({ status: 403 });
    expect(await test(drain)).toMatchObject({ accepted: false, error: 'HTTP 403 Forbidden' });
    expect(await stateOf(drain)).toMatchObject({ state: 'active', last_error: null, last_delivered_at: null });
  });
});
