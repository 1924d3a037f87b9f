import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import { sharedPlatform } from '../stories.js';
import { EchoSocket, echoSocketApp } from './echo-socket.js';
import type { Deployment, Service } from './platform-world.js';
import { webApp } from './repository.js';
import { type SteadyAnswers, underSteadyRequests } from './steady-requests.js';

const platform = await sharedPlatform();

describe('a steady stream of requests', () => {
  const answered = (answers: SteadyAnswers, bodies: readonly string[]) =>
    expect({ failures: answers.failures, bodies: answers.bodies }).toEqual({ failures: [], bodies });

  let service: Service;
  let first: Deployment;

  beforeAll(async () => {
    service = await platform.service(webApp('one'), { min_instances: 2, max_instances: 2 });
    first = await service.deploy();
  }, 60_000);

  it('loses nothing while the service is restarted, deployed and rolled back', async () => {
    const count = { requests: 0 };
    const during = async (bodies: readonly string[], action: () => Promise<unknown>) => {
      const answers = await underSteadyRequests(await service.url(), action);
      answered(answers, bodies);
      count.requests += answers.count;
    };
    await during(['one'], async () => {
      await service.caller.post(`${service.path}/restart`);
      await service.untilStatus('running');
    });
    service.repository.commit(webApp('two'));
    await during(['one', 'two'], () => service.deploy());
    await during(['two', 'one'], async () => {
      const { body } = await service.caller.post(`${service.path}/deployments/${first.id}/rollback`);
      expect(await service.outcomeOf(String(body['id']))).toMatchObject({ status: 'live' });
    });
    expect(count.requests).toBeGreaterThan(150);
  }, 60_000);

  it('loses nothing over a deployment that fails', async () => {
    service.repository.commit({ 'server.js': 'process.exit(9)' });
    const answers = await underSteadyRequests(await service.url(), async () => {
      const { id } = await service.requestDeployment();
      expect(await service.outcomeOf(id)).toMatchObject({ status: 'failed' });
    });
    answered(answers, ['one']);
  }, 60_000);

  it('loses nothing when one of two instances dies', async () => {
    const answers = await underSteadyRequests(await service.url(), async () => {
      // Not a GET, which would be asked of the other instance as well.
      expect((await fetch(`${await service.url()}/crash`, { method: 'POST' })).status).toBe(502);
      await service.line(({ message }) => /exited with code 3/.test(message));
    });
    answered(answers, ['one']);
  }, 60_000);
});

describe('a WebSocket', () => {
  it('stays open over a roll with the instance that it was opened to, and new ones reach the new release', async () => {
    const service = await platform.service({ ...webApp('one'), 'server.js': echoSocketApp('one') });
    await service.deploy();
    const old = await EchoSocket.connect(await service.url());
    expect(await old.ask('hello')).toBe('one: hello');
    service.repository.commit({ 'server.js': echoSocketApp('two') });
    const { id } = await service.requestDeployment();
    await eventually(async () => expect(await service.ask()).toBe('200 two'), { timeoutMs: 30_000 });

    expect(await old.ask('still there?')).toBe('one: still there?');
    const young = await EchoSocket.connect(await service.url());
    expect(await young.ask('hello')).toBe('two: hello');

    old.close();
    expect(await service.outcomeOf(id)).toMatchObject({ status: 'live' });
    expect(await young.ask('still there?')).toBe('two: still there?');
    young.close();
  }, 60_000);
});
