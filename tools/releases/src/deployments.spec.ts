import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Exchange, ReleaseContract } from '@postern/compatibility';
import { canDeployCommand, recordDeployment } from './deployments.js';

const ANY: Exchange = { request: {}, reply: {}, refusals: {}, deadlineMs: 5_000 };
const release = (service: string, version: string, contract: Partial<ReleaseContract> = {}): ReleaseContract => ({
  ...{ service, version, envelope: {}, publishes: {}, consumes: {}, consumers: {}, answers: {}, asks: {} },
  ...{ http: {}, webhooks: {} },
  ...contract,
});

describe('contracts.mjs', () => {
  const root = mkdtempSync(join(tmpdir(), 'postern-deployments-'));
  const production = join(root, 'deployed/production.json');
  let printed: string[] = [];
  const run = (command: typeof canDeployCommand, line: string) => {
    printed = [];
    return { code: command(root, line.split(' ').filter(Boolean)), output: printed.join('\n') };
  };
  const canDeploy = (line: string) => run(canDeployCommand, line);
  const deployed = (line: string) => run(recordDeployment, line);

  beforeAll(() => {
    mkdirSync(join(root, 'libs/contracts/released'), { recursive: true });
    for (const one of [
      release('email-send', '0.2.0'),
      release('email-send', '0.3.0', { asks: { 'delivery-tracking.ponder': ANY } }),
      release('delivery-tracking', '0.2.0'),
      release('delivery-tracking', '0.3.0', { answers: { 'delivery-tracking.ponder': ANY } }),
    ])
      writeFileSync(join(root, `libs/contracts/released/${one.service}@${one.version}.json`), JSON.stringify(one));
  });
  beforeEach(() => {
    for (const method of ['log', 'error'] as const)
      jest.spyOn(console, method).mockImplementation((line: string) => void printed.push(line));
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('deployed writes the file of an environment, which can-deploy reads', () => {
    expect(deployed('email-send@0.2.0 delivery-tracking@0.2.0 --to production').code).toBe(0);
    expect(JSON.parse(readFileSync(production, 'utf8'))).toEqual({
      'delivery-tracking': ['0.2.0'],
      'email-send': ['0.2.0'],
    });
    const early = canDeploy('email-send@0.3.0 --to production');
    expect(early.code).toBe(1);
    expect(early.output).toContain('delivery-tracking@0.3.0 is the first release with it');
    expect(canDeploy('delivery-tracking@0.3.0 --to production').code).toBe(0);
    expect(deployed('delivery-tracking@0.3.0 --to production').code).toBe(0);
    expect(canDeploy('email-send@0.3.0 --to production').code).toBe(0);
  });

  it('can-deploy takes the path of a file, and several releases', () => {
    const file = join(root, 'staging.json');
    writeFileSync(file, '{"email-send":["0.2.0"],"delivery-tracking":["0.2.0","0.3.0"]}');
    expect(canDeploy(`email-send@0.3.0 --to ${file}`).code).toBe(1);
    const both = canDeploy(`email-send@0.3.0 delivery-tracking@0.3.0 --to ${file}`);
    expect(both.output).toContain('Deploy in this order: delivery-tracking@0.3.0, email-send@0.3.0');
    expect(both.code).toBe(0);
  });

  it.each([
    ['--to production', 'Name the releases: email-send@0.3.0'],
    ['email-send@0.3.0', 'Name the environment: --to production'],
    ['email-send --to production', 'email-send is not <service>@<version>'],
    ['email-send@0.2.0 email-send@0.3.0 --to production', 'email-send is named twice'],
    ['email-send@9.0.0 --to production', 'its releases are 0.2.0, 0.3.0'],
    ['runtime-agent@0.2.0 --to production', 'it has no release'],
    ['mill@0.2.0 --to production', 'unknown service: mill. The services are api-gateway'],
    ['email-send@0.3.0 --to ../production', '../production is not the name of an environment'],
    ['email-send@0.3.0 --to nowhere', 'nowhere.json cannot be read as JSON'],
    ['email-send@0.3.0 --into production', "Unknown option '--into'"],
  ])('can-deploy %s is refused with the way out', (line, message) => {
    const { code, output } = canDeploy(line);
    expect(output).toContain(message);
    expect(code).toBe(2);
  });

  it.each([
    ['[]', 'Expected: {"email-send": ["0.2.0"]}'],
    ['{"email-send":"0.2.0"}', 'Expected: {"email-send": ["0.2.0"]}'],
    ['{"email-send":["new"]}', 'is not a version'],
    ['{"email-send":["8.0.0"]}', 'There is no contract of email-send@8.0.0'],
    ['nothing', 'cannot be read as JSON'],
  ])('a file of an environment is %s', (content, message) => {
    const file = join(root, 'wrong.json');
    writeFileSync(file, content);
    const { code, output } = canDeploy(`email-send@0.3.0 --to ${file}`);
    expect(output).toContain(message);
    expect(code).toBe(2);
  });
});
