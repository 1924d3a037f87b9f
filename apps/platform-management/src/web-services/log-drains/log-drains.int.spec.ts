import { describe, expect, it } from '@jest/globals';
import { type Runtime, RuntimeUnavailable } from '@postern/runtime';
import { startHttpReceiver } from '@postern/testing';
import { OWNER } from '../../testing/fake-neighbours.js';
import { owners, useLogDrains } from '../../testing/log-drains-fixture.js';
import { RemoveLogDrain } from './remove-log-drain.js';

const given = useLogDrains();
const { of, create, list, stateOf, write, deliver, linesIn, untilReceived, until, tryNow } = given;

describe('a log drain', () => {
  it('sends the lines from its creation on, in order, with the deployment that is live', async () => {
    const { id, deploymentId } = await given.fixture.runningService(given.replica);
    write(id, 'before');
    const drain = await create(id);
    expect(drain).toMatchObject({ kind: 'https', state: 'active', lines_waiting: 0, lines_lost: 0, last_error: null });
    const earlier = given.fixture.machine.lines.length;
    const numbers = Array.from({ length: 1_200 }, (_, index) => `line ${index}`);
    write(id, ...numbers);
    deliver();
    await untilReceived(...numbers);
    expect(earlier).toBeGreaterThan(0);
    expect(given.receiver.requests.length).toBe(3);
    expect(new Set(linesIn().map(line => line.id)).size).toBe(1_200);
    expect(linesIn().at(-1)?.deployment_id).toBe(deploymentId);
    // How many lines wait is unknown until the last batch is recorded.
    const state = await until('the delivery', async () => {
      const now = await stateOf(drain);
      return now.last_delivered_at === null || now.lines_waiting === null ? undefined : now;
    });
    expect(state).toMatchObject({ state: 'active', lines_waiting: 0 });
    write(id, 'later');
    await untilReceived(...numbers, 'later');
  });

  it('never returns its secrets, and stores them encrypted', async () => {
    const id = await given.fixture.createService(given.replica);
    const drain = await create(id, { url: `${given.receiver.url}/in?key=k-secret`, token: 't-secret' });
    expect(drain).toMatchObject({ url: `${given.receiver.url}/in?key=********`, header_names: ['Authorization'] });
    const { rows } = await given.fixture.pool.query(
      'SELECT d::text AS drain, s::text AS sealed FROM log_drains d JOIN sealed_values s USING (id)',
    );
    expect(JSON.stringify([rows, await list(id)])).not.toMatch(/[kt]-secret/);
    write(id, 'one');
    deliver();
    await untilReceived('one');
    expect(given.receiver.requests[0]).toMatchObject({
      url: '/in?key=k-secret',
      headers: { authorization: 'Bearer t-secret' },
    });
  });

  it('repeats a batch that was not accepted, says why, and loses no line', async () => {
    const id = await given.fixture.createService(given.replica);
    const drain = await create(id);
    given.receiver.answerNext({ status: 500, body: 'out of disk' }, { behaviour: 'drop' });
    write(id, 'one', 'two');
    deliver();
    const failing = await until('the failure', async () => {
      const now = await stateOf(drain);
      return now.state === 'failing' ? now : undefined;
    });
    expect(failing).toMatchObject({
      last_error: 'HTTP 500 Internal Server Error: out of disk',
      failing_since: expect.any(String),
      next_attempt_at: expect.any(String),
      lines_waiting: 2,
    });
    write(id, 'three');
    await until('the second attempt', async () => {
      await tryNow(drain.id);
      return given.receiver.requests.length >= 2 ? true : undefined;
    });
    await until('the success', async () => {
      await tryNow(drain.id);
      return (await stateOf(drain)).state === 'active' ? true : undefined;
    });
    const accepted = linesIn(given.receiver.requests.slice(2)).map(({ message }) => message);
    expect(accepted).toEqual(['one', 'two', 'three']);
    expect(new Set(linesIn().map(line => line.id)).size).toBe(3);
    expect(await stateOf(drain)).toMatchObject({
      last_error: null,
      failing_since: null,
      next_attempt_at: null,
      lines_lost: 0,
    });
  });

  it('continues where the last replica stopped', async () => {
    const id = await given.fixture.createService(given.replica);
    await create(id);
    write(id, 'one');
    const stopFirst = deliver();
    await untilReceived('one');
    await stopFirst();
    write(id, 'two');
    deliver();
    await untilReceived('one', 'two');
  });

  it('counts the lines that were deleted before they could be sent', async () => {
    const id = await given.fixture.createService(given.replica);
    const before = given.fixture.machine.lines.filter(({ webServiceId }) => webServiceId === id).length;
    const drain = await create(id);
    write(id, ...Array.from({ length: 10 }, (_, index) => `line ${index}`));
    given.fixture.machine.deletedLines = before + 7;
    deliver();
    await untilReceived('line 7', 'line 8', 'line 9');
    await until('the count', async () => ((await stateOf(drain)).lines_lost === 7 ? true : undefined));
  });

  it('sends smaller batches to a receiver that refuses large ones', async () => {
    const id = await given.fixture.createService(given.replica);
    const drain = await create(id);
    given.receiver.answerWith(({ body }) => ({ status: body.toString().trimEnd().split('\n').length > 3 ? 413 : 200 }));
    const numbers = Array.from({ length: 10 }, (_, index) => `line ${index}`);
    write(id, ...numbers);
    deliver();
    const acceptedLines = () =>
      linesIn(given.receiver.requests.filter(({ body }) => body.toString().trimEnd().split('\n').length <= 3));
    await until('all lines', async () => {
      await tryNow(drain.id);
      return acceptedLines().length >= 10 ? true : undefined;
    });
    expect(acceptedLines().map(({ message }) => message)).toEqual(numbers);
  });

  it('does not delay others while its receiver never answers', async () => {
    const [slow, quick] = [
      await given.fixture.createService(given.replica),
      await given.fixture.createService(given.replica),
    ];
    const hanging = await startHttpReceiver();
    hanging.answerWith({ behaviour: 'hang' });
    const stuck = await create(slow, { url: hanging.url });
    await create(slow);
    await create(quick);
    write(slow, 'slow');
    write(quick, 'quick');
    const stopAll = deliver();
    await until('the lines of the others', async () => (linesIn().length === 2 ? true : undefined));
    await until('the time limit', async () => ((await stateOf(stuck)).state === 'failing' ? true : undefined));
    expect(await stateOf(stuck)).toMatchObject({ last_error: 'no complete answer within 0.5 s' });
    await stopAll();
    await hanging.stop();
  });

  it('waits without a failure while the runtime does not respond', async () => {
    const id = await given.fixture.createService(given.replica);
    const drain = await create(id);
    let reads = 0;
    const unavailable = {
      logPage: async () => {
        reads += 1;
        throw new RuntimeUnavailable();
      },
    } as unknown as Runtime;
    write(id, 'one');
    const stopFirst = deliver(unavailable);
    await until('two reads', async () => (reads >= 2 ? true : undefined));
    await stopFirst();
    expect(await stateOf(drain)).toMatchObject({ state: 'active', last_error: null });
    deliver();
    await untilReceived('one');
  });

  it('is one of at most five of a web service, and is deleted with its secrets', async () => {
    const id = await given.fixture.createService(given.replica);
    const all = await Promise.all(Array.from({ length: 5 }, () => create(id)));
    await expect(create(id)).rejects.toMatchObject({ code: 'too_many_log_drains' });
    const request = { ...of(id), drain_id: all[0]!.id } as never;
    expect(await new RemoveLogDrain(owners, given.drains).execute(request)).toEqual({ id: all[0]!.id, deleted: true });
    await expect(new RemoveLogDrain(owners, given.drains).execute(request)).rejects.toMatchObject({
      code: 'log_drain_not_found',
    });
    const { rowCount } = await given.fixture.pool.query('SELECT FROM sealed_values WHERE id = $1', [all[0]!.id]);
    expect(rowCount).toBe(0);
    expect(await list(id)).toHaveLength(4);
  });

  it('ends with its web service', async () => {
    const id = await given.fixture.createService(given.replica);
    await create(id);
    await given.replica.commands.remove.execute({ ...of(id), actor_id: OWNER } as never);
    write(id, 'after the deletion');
    deliver();
    await until('no drain', async () => ((await given.drains.due()).length === 0 ? true : undefined));
    expect(given.receiver.requests).toEqual([]);
    await expect(create(id)).rejects.toMatchObject({ code: 'web_service_not_found' });
  });
});
