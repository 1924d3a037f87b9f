import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@postern/testing';
import { Gate, isOpen, withGates } from '../crash/gate.js';
import { ownPlatform } from '../stories.js';
import type { Deployment, Service } from './platform-world.js';
import { webApp } from './repository.js';

const platform = await ownPlatform(
  await withGates({
    environment: {
      'platform-management': {
        POSTERN_PLATFORM_RELEASE_DEADLINE_MS: '12000',
        POSTERN_PLATFORM_UNANSWERING_MS: '1500',
        POSTERN_PLATFORM_RECONCILE_MS: '500',
      },
    },
  }),
);

const otherPort = await freePort();

/** A server with this body before `answer`; `listen` is the argument of its listen call. */
const server = (body: string, listen = 'process.env.PORT') => `
  import { createServer } from 'node:http';
  ${body}
  const server = createServer((request, response) => answer(request, response));
  server.listen(${listen});
`;

describe('a new release that does not respond', () => {
  const outcomes = new Map<string, { readonly service: Service; readonly deployment: Deployment }>();

  const bad = {
    'never listens': 'setInterval(() => {}, 1000);',
    'listens on another port': server(
      'const answer = (_, response) => { response.statusCode = 500; response.end(); };',
      `${otherPort}`,
    ),
    'exits on a request': server("const answer = () => { console.error('out of luck'); process.exit(7); };"),
    'answers with an error': server('const answer = (_, response) => { response.statusCode = 500; response.end(); };'),
  };

  beforeAll(async () => {
    await Promise.all(
      Object.entries(bad).map(async ([name, code]) => {
        const settings = /port|never/.test(name) ? {} : { health_check_path: '/' };
        const service = await platform.service(webApp('good'), settings);
        await service.deploy();
        service.repository.commit({ 'server.js': code });
        const { id } = await service.requestDeployment();
        outcomes.set(name, { service, deployment: await service.outcomeOf(id) });
      }),
    );
  }, 120_000);

  it.each([
    ['never listens', /1 of 1 instances did not pass the health check: connection refused$/],
    [
      'listens on another port',
      new RegExp(
        `listens on port ${otherPort}, not on PORT \\d+.*\\. Make it listen on the port in the environment variable PORT, or set the port of the web service to ${otherPort}\\.$`,
      ),
    ],
    ['exits on a request', /exited with code 7\nout of luck/],
    ['answers with an error', /GET \/ answered 500 to the Host \S+$/],
  ])('because it %s fails with that reason', (name, message) => {
    expect(outcomes.get(name)?.deployment).toMatchObject({ status: 'failed', error: expect.stringMatching(message) });
  });

  it.each(Object.keys(bad))('because it %s leaves the previous one serving', async name => {
    const service = outcomes.get(name)?.service as Service;
    expect(await service.get()).toBe('200 good');
    expect(await service.read()).toMatchObject({ status: 'running' });
  });
});

describe('a failed deployment', () => {
  it('causes a mail to the owners of the workspace once an hour, without the output of the service', async () => {
    const { world } = platform;
    const { email } = world.operatorLogin;
    const broken = (name: string) =>
      platform.service(webApp('one'), { name, build_command: 'echo token=hunter2 && exit 7' });
    const failureOf = async (service: Service): Promise<Deployment> => {
      const deployment = await service.outcomeOf((await service.requestDeployment()).id);
      expect(deployment.status).toBe('failed');
      return deployment;
    };
    const service = await broken('mailed once');
    const { id, error } = await failureOf(service);
    const isAboutIt = ({ subject }: { subject: string }) => subject === 'Deployment failed: mailed once';
    const { raw } = await world.mailTo(email, isAboutIt);
    const text = raw.slice(raw.indexOf('\r\n\r\n')).replace(/=\r\n/g, '').replaceAll('=3D', '=');
    // The mail adds spaces, so that nothing in the reason becomes a link.
    const letters = (words = '') => words.replace(/[^\p{L}]+/gu, '');
    expect(letters(text)).toContain(`Reason${letters(error?.split('\n')[0])}`);
    expect(text).toContain(`/dashboard/web-services/${service.id}/deployments/${id}`);
    expect(text).not.toContain('hunter2');

    await failureOf(service);
    // Mails are sent in the order of the events: this mail proves that none was sent about the second failure.
    await failureOf(await broken('mailed last'));
    await world.mailTo(email, ({ subject }) => subject === 'Deployment failed: mailed last');
    const mails = await world.mailsTo(email);
    expect(mails.filter(isAboutIt)).toHaveLength(1);
  }, 90_000);
});

describe('a service that stops responding', () => {
  it('is failed with the reason, and running again once it responds', async () => {
    const service = await platform.service(webApp('one'), { name: 'breaks' });
    const broken = Gate.create();
    service.repository.commit({
      'server.js': `
        if (${isOpen(broken)}) { console.error('it is broken'); process.exit(4); }
        ${webApp('one')['server.js']}`,
    });
    await service.deploy();
    broken.open();
    await service.get('/crash').catch(() => undefined);

    const { status_reason: reason } = await service.untilStatus('failed');
    expect(reason).toMatch(
      /^no instance has responded for 2 seconds: (restarted \d+ times in \d+ s: )?web-\w+ exited with code [34]/,
    );
    await service.line(({ stream, message }) => stream === 'platform' && /web-\w+ exited with code 4/.test(message));
    expect((await service.get()).slice(0, 3)).toBe('503');

    // Soon, because the delays between its restarts grow.
    broken.close();
    expect(await service.untilStatus('running')).toMatchObject({ status_reason: null });
    expect(await service.get()).toBe('200 one');
    const { world } = platform;
    await world.mailTo(world.operatorLogin.email, mail => mail.subject === 'Web service does not respond: breaks');
  }, 120_000);

  it('is restarted when it exceeds its memory limit, and its log has the reason', async () => {
    const service = await platform.service({
      ...webApp('one'),
      'server.js': server(`
        // Not its process ID, which is the same in every sandbox.
        const life = crypto.randomUUID();
        const held = [];
        const eat = () => {
          for (let n = 0; n < 32; n++) held.push(Buffer.alloc(2 ** 20, 1));
          setTimeout(eat, 20);
        };
        const answer = ({ url }, response) => { if (url === '/leak') eat(); response.end(life); };`),
    });
    await service.deploy();
    const before = await service.get();
    await service.get('/leak');

    await service.line(({ stream, message }) => stream === 'platform' && /used more than 512 MiB/.test(message));
    await eventually(
      async () => {
        const now = await service.get();
        expect([now.slice(0, 3), now === before]).toEqual(['200', false]);
      },
      { timeoutMs: 20_000 },
    );
  }, 60_000);
});

describe('a service that floods its log', () => {
  it('loses lines, which are counted, and affects no other service', async () => {
    const [flooding, other] = [
      await platform.service({
        ...webApp('one'),
        'server.js': server(`
          const lines = 'flood '.repeat(20).concat('\\n').repeat(500);
          const flood = () => process.stdout.write(lines, () => setImmediate(flood));
          const answer = ({ url }, response) => { if (url === '/flood') flood(); response.end('wet'); };`),
      }),
      await platform.service(webApp('other')),
    ];
    await flooding.deploy();
    await other.deploy();
    await flooding.get('/flood');
    await flooding.line(({ message }) => /^\d+ log lines were dropped/.test(message));

    const slowest = { answerMs: 0 };
    for (let count = 0; count < 20; count++) {
      const began = performance.now();
      expect(await other.get()).toBe('200 other');
      expect((await other.caller.get(other.path)).status).toBe(200);
      slowest.answerMs = Math.max(slowest.answerMs, performance.now() - began);
    }
    expect(slowest.answerMs).toBeLessThan(1_000);
    expect(await flooding.get()).toBe('200 wet');
    await other.get('/say?words=dry');
    await other.line(({ message }) => message === 'dry');
    await flooding.caller.post(`${flooding.path}/stop`);
    await flooding.untilStatus('stopped');
  }, 60_000);
});
