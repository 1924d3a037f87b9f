import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { GENERATED, GeneratedService } from './testing/generated-service.js';

jest.setTimeout(600_000);
let made: GeneratedService;
beforeAll(async () => {
  made = await GeneratedService.make();
});
afterAll(() => made?.remove());

it('A generated service is in every list of services, formatted, and keeps the rules of the architecture', async () => {
  await made.run('node_modules/.bin/biome', 'ci', '--error-on-warnings', `apps/${GENERATED}`, 'libs/contracts', 'k8s');
  await made.jest('unit', 'libs/contracts', 'spec');
  await made.jest('unit', 'tools/checks', 'service-lists', 'owners', 'nats-users', 'configuration', 'alerts');
  // A violation elsewhere is found by the check itself.
  const rules = ['--selectProjects', 'unit', '--roots', 'tools/checks', '--testPathPatterns', 'architecture'];
  const { output } = await made.attempt('node_modules/.bin/jest', ...rules);
  expect(output).toMatch(/Tests: .*passed/);
  expect(output).not.toContain(GENERATED);
  expect(made.read('.github/CODEOWNERS')).toContain(`/prisma/${GENERATED} @postern/reports`);
});

it('It is tested: an event of another service has its effect once, a request is answered, it is healthy and has metrics', async () =>
  expect(await made.jest('integration', `apps/${GENERATED}`, 'spec')).toMatch(/Tests:\s+3 passed/));

it('The local start and one server give it all settings that it requires', async () => {
  const settings = `
    import { environmentOf, SERVICES } from './tools/local-start/dist/services.js';
    import { Home } from './tools/local-start/dist/home.js';
    import { config } from './apps/${GENERATED}/dist/config.js';
    if (!SERVICES.includes('${GENERATED}')) throw new Error('not started');
    const wiring = { natsUrl: 'tls://localhost:4222', natsCaFile: '/ca', natsPasswords: { '${GENERATED}': 'p' },
      databaseUrl: () => 'postgres://localhost/x', httpPorts: { '${GENERATED}': 9999 } };
    console.log(config.read(environmentOf('${GENERATED}', wiring, new Home('./home'), {})).httpPort);
  `;
  expect(await made.run('--input-type=module', '--eval', settings)).toContain('9999');
  const { ports } = JSON.parse(made.read(`apps/${GENERATED}/service.json`)) as { ports: { health: number } };
  const oneServer = `
    import { healthPortOf } from './tools/one-server/dist/rendering/model.js';
    console.log(healthPortOf('${GENERATED}'));
  `;
  expect((await made.run('--input-type=module', '--eval', oneServer)).trim()).toBe(String(ports.health));
});

it('It starts with the others, and counts what happens in one of them', async () => {
  // The others run as they were built before. The followed service permits the new one to read its events.
  for (const service of [GENERATED, 'email-send']) await made.run('tools/setup/bundle.mjs', service);
  made.write(
    'story.mjs',
    `
    import { chmodSync, mkdtempSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    import { inboxPrefixOf, listUsageReportsCounts } from './libs/contracts/dist/index.js';
    import { connectNats, RequestClient } from './libs/messaging/dist/index.js';
    import { DashboardClient, startPostern } from './tools/local-start/dist/index.js';
    import { waitFor } from './libs/testing/dist/index.js';

    const home = mkdtempSync(join(tmpdir(), 'postern-story-'));
    chmodSync(home, 0o755);
    const postern = await startPostern({ home, port: 0, progress: step => console.log(step) });
    try {
      const { natsUrl: servers, natsCaFile: caFile, natsPasswords } = postern.wiring;
      const operator = { user: 'operator', inboxPrefix: inboxPrefixOf('operator'), password: natsPasswords.operator };
      const link = await connectNats({ servers, name: 'story', tls: { caFile }, ...operator });
      const owner = new DashboardClient(postern.baseUrl);
      await owner.login(postern.operator.email, postern.home.secrets().operatorPassword);
      const { id } = await owner.post('/email-services', { name: 'Shop' });
      await owner.delete('/email-services/' + id);
      const counts = async () => (await new RequestClient(link).request(listUsageReportsCounts, {})).counts;
      await waitFor(async () => (await counts())[0]?.events === 1, { describe: 'the event', timeoutMs: 30_000 });
      console.log(JSON.stringify(await counts()));
      const metrics = await fetch(postern.metricsUrls()['${GENERATED}'], {
        headers: { authorization: 'Bearer ' + postern.metricsToken },
      });
      console.log('metrics', metrics.status);
      await link.close();
    } finally {
      await postern.stop();
    }
    process.exit(0);
`,
  );
  const output = await made.run('story.mjs');
  expect(output).toContain('"type":"email-send.email-service-deleted.v1","events":1');
  expect(output).toContain('metrics 200');
});

it('It is released as the others are', async () => {
  made.commit('A service that counts events');
  const output = await made.run('tools/releases/release.mjs', GENERATED, '--tested', '--dry-run');
  expect(output).toContain(`Release ${GENERATED} 0.2.0`);
  expect(output).toContain(`libs/contracts/released/${GENERATED}@0.2.0.json`);
});

it('A name that is taken, or is none, is refused', async () => {
  await expect(made.generate('email-send', '--owner', 'reports')).rejects.toThrow('apps/email-send exists already');
  await expect(made.generate('Usage_Reports', '--owner', 'reports')).rejects.toThrow('is not in kebab case');
  await expect(made.generate('other-reports', '--owner', 'Team')).rejects.toThrow('is not a team in lower case');
  expect(made.read('nx.json')).not.toContain('other-reports');
});
