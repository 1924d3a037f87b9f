import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServicePlan } from '@postern/runtime';
import { never, RuntimeDriver } from '@postern/runtime/testing';
import { LIMITS } from '../assemble-local-runtime.js';
import { LocalHarness } from '../testing/local-harness.js';

const MIB = 2 ** 20;

/** Changes its own folder with each visit, and answers with what is there. The platform probes another path. */
const WRITING = `
  import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  const written = path => {
    try { writeFileSync(path, Buffer.alloc(64 * ${MIB})); return 'written'; } catch (error) { return error.code; }
  };
  createServer(({ url }, response) => {
    if (url === '/fill') return response.end(written('large'));
    if (url !== '/visit') return response.end();
    const before = readFileSync('server.mjs', 'utf8').includes('// ' + 'changed');
    mkdirSync('uploads/of/today', { recursive: true });
    writeFileSync('public/page.html', 'changed');
    copyFileSync('public/page.html', 'public/new');
    writeFileSync('public/new', 'a copy has the mode of its source');
    writeFileSync('uploads/of/today/file' + readdirSync('uploads/of/today').length, 'x');
    appendFileSync('server.mjs', '// ' + 'changed');
    response.end(JSON.stringify({ before, uploads: readdirSync('uploads/of/today').length }));
  }).listen(process.env.PORT);
`;

(process.getuid?.() === 0 ? describe : describe.skip)('The working folder of an instance', () => {
  const driver = new RuntimeDriver();
  let home: string;
  let plan: ServicePlan;
  beforeAll(async () => {
    const harness = await LocalHarness.start({ instances: { ...LIMITS, diskBytes: 16 * MIB } });
    home = harness.home;
    await driver.start(() => Promise.resolve(harness));
    const webServiceId = randomUUID();
    const files = { 'server.mjs': WRITING, 'public/page.html': 'as built' };
    const artefact = await driver.build(await driver.orderOf(files, { webServiceId }));
    const releaseCommand = 'mkdir cache && echo warm > cache/state && cat cache/state';
    plan = await driver.running('', { webServiceId, artefact, releaseCommand });
  }, 120_000);
  afterAll(() => driver.stop());

  const visit = async (path = '/visit') => {
    const url = await driver.runtime.urlOf(plan.webServiceId, plan.name);
    return (await driver.harness.request(new URL(path, url).href)).body;
  };

  it('is writable, also its existing files and folders, and is as built after a restart', async () => {
    expect(await visit()).toBe('{"before":false,"uploads":1}');
    expect(await visit()).toBe('{"before":true,"uploads":2}');
    const artefact = join(home, 'artefacts', plan.artefact.reference, 'tree/server.mjs');
    expect(await readFile(artefact, 'utf8')).toBe(WRITING);
    const { releaseCommand: _, ...restart } = plan;
    await driver.runtime.roll({ ...restart, rollId: randomUUID() }, never);
    expect(await visit()).toBe('{"before":false,"uploads":1}');
  });

  it('holds as much as the other files of the instance', async () => {
    expect(await visit('/fill')).toBe('ENOSPC');
  });

  it('is writable for a release command', async () => {
    const lines = await driver.runtime.logs(plan.webServiceId, { tail: 100, since: undefined });
    expect(lines.map(({ message }) => message)).toContain('warm');
  });
});
