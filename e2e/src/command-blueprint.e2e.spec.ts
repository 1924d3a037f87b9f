import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { CommandRunner } from './command/command-runner.js';
import { sharedPlatform } from './stories.js';

const platform = await sharedPlatform();
const runner = new CommandRunner({
  POSTERN_URL: platform.world.postern.baseUrl,
  POSTERN_PLATFORM_KEY: platform.writer.key,
});
afterAll(() => runner.stop());

const project = `Blueprint ${Date.now()}`;
const web = `web-${Date.now()}`;
const file = (port: number) => `
project: ${project}
services:
  ${web}:
    repository: https://git.example.com/shop.git
    port: ${port}
    start_command: node server.js
    drain_seconds: 40
    env:
      LEVEL: info
      TOKEN: { secret: true }
workers:
  mailer: { service: ${web}, count: 1 }
cron:
  nightly: { service: ${web}, schedule: 0 3 * * *, time_zone: Europe/Berlin, command: npm run nightly }
domains:
  ${web}.example.com: { service: ${web} }
`;
const write = (text: string) => writeFile(join(runner.folder, 'postern.yaml'), text);
const plan = async () => (await runner.run(['up', '--plan', '--json'])).json<{ steps: { what: string }[] }>().steps;

describe('postern up', () => {
  it('changes nothing without --yes, then creates the project, and plans nothing afterwards', async () => {
    await write(file(3000));
    const planned = await runner.run(['up']);
    expect([planned.code, planned.err]).toEqual([2, expect.stringContaining(`+ create  project ${project}`)]);
    expect(planned.err).toContain('add --yes to apply this plan');
    const applied = await runner.run(['up', '--yes']);
    expect([applied.code, applied.out]).toEqual([0, expect.stringContaining(`postern env set TOKEN --secret`)]);
    expect(applied.out).toContain(`Deploy it: postern deploy ${web}`);
    expect((await runner.run(['env', 'set', 'TOKEN', '--secret', '--service', web], 'hidden\n')).code).toBe(0);
    expect(await plan()).toEqual([]);
  }, 180_000);

  it('plans nothing for what postern export has written, which contains no secret', async () => {
    const exported = await runner.run(['export', '--project', project, '--file', 'exported.yaml']);
    expect(exported.code).toBe(0);
    const text = await readFile(join(runner.folder, 'exported.yaml'), 'utf8');
    expect(text).not.toContain('hidden');
    await write(text);
    expect(await plan()).toEqual([]);
    const again = await runner.run(['export', '--project', project, '--file', 'exported.yaml']);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('exists already')]);
  }, 180_000);

  it('changes what differs, and deletes only with --prune', async () => {
    await write(file(4000));
    expect(await plan()).toMatchObject([{ action: 'change', what: `service ${web}`, changes: ['port: 3000 → 4000'] }]);
    expect((await runner.run(['up', '--yes'])).code).toBe(0);
    await write(`project: ${project}\n`);
    expect(await plan()).toEqual([]);
    expect((await runner.run(['up', '--yes', '--prune'])).code).toBe(0);
    expect((await runner.run(['service', 'show', web])).code).toBe(2);
  }, 180_000);

  it('names each invalid field of a file', async () => {
    await write('project: A\nservices: { web: { repository: x, prot: 1 } }\n');
    const { code, err } = await runner.run(['up', '--plan']);
    expect([code, err]).toEqual([2, expect.stringContaining('services.web: unknown field prot. Remove it')]);
  });

  it('is described by a JSON schema that editors can fetch', async () => {
    const schema = await (await fetch(`${platform.world.postern.baseUrl}/docs/postern.schema.json`)).json();
    expect(schema).toMatchObject({ $schema: expect.stringContaining('2020-12'), required: ['project'] });
  });
});
