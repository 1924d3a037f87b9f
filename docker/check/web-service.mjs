import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demand } from './report.mjs';

const LIVE_WITHIN_MS = 120_000;
const SERVER = `require('node:http').createServer((_, answer) => answer.end('Hello from a container')).listen(process.env.PORT)`;

/** Deploys a web service in runtime-agent's container: fetches it with Git, builds it with npm, and sends it requests. */
export const webServiceRuns = async (client, repositories) => {
  makeRepository(join(repositories, 'hello'));
  const { key } = await client.dashboard('POST', '/platform-keys', { name: 'check', scope: 'write' });
  const platform = (method, path, body) =>
    client.json(method, `/api/v1${path}`, body, { authorization: `Bearer ${key}` });
  const project = await platform('POST', '/projects', { name: 'Check' });
  const { id } = await platform('POST', '/web-services', {
    name: 'hello',
    project_id: project.id,
    git_repository_url: 'file:///repositories/hello',
    port: 3000,
  });
  const deployment = await platform('POST', `/web-services/${id}/deployments`, {});
  const deadline = Date.now() + LIVE_WITHIN_MS;
  for (;;) {
    const { status, error } = await platform('GET', `/web-services/${id}/deployments/${deployment.id}`);
    if (status === 'live') break;
    if (status === 'failed' || Date.now() > deadline) throw new Error(`the deployment is ${status}: ${error}`);
    // A platform key is limited to 30 requests per minute.
    await new Promise(resolve => setTimeout(resolve, 3_000));
  }
  const { url } = await platform('GET', `/web-services/${id}`);
  const page = () => client.front.call('GET', '/', { host: new URL(url).hostname });
  const { text } = await page();
  demand(`a web service is built, run and reached at ${url}`, text === 'Hello from a container', text);
  return page;
};

const makeRepository = folder => {
  mkdirSync(folder, { recursive: true });
  const manifest = {
    name: 'hello',
    version: '1.0.0',
    scripts: { build: 'node --check server.cjs', start: 'node server.cjs' },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'server.cjs'), SERVER);
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Check', '-c', 'user.email=check@example.com', '-C', folder, ...args], {
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '--allow-empty', '-m', 'Say hello');
};
