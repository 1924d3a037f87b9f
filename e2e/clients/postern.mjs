import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, toolEnvironment } from '../../tools/setup/prepare.mjs';

/** Starts Postern. @returns what the program printed when Postern was ready, and the process. */
export const startPostern = async () => {
  const program = join(ROOT, 'e2e/dist/shared-postern-main.js');
  const child = spawn('node', [program], { stdio: ['pipe', 'pipe', 'inherit'], env: toolEnvironment() });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...JSON.parse(line) };
};

/** @returns the base URL and new keys of a running Postern, as environment variables. */
export const keysIn = async ({ baseUrl, operator }) => {
  const post = async (path, body, headers = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    return (await fetch(`${baseUrl}/dashboard/api${path}`, { ...init, body: JSON.stringify(body) })).json();
  };
  const session = { authorization: `Bearer ${(await post('/session', operator)).token}` };
  const { id } = await post('/email-services', { name: 'clients' }, session);
  const { key: email } = await post(`/email-services/${id}/api-keys`, { name: 'clients' }, session);
  const { key: platform } = await post('/platform-keys', { name: 'clients', scope: 'write' }, session);
  return { BASE_URL: baseUrl, EMAIL_KEY: email, PLATFORM_KEY: platform };
};
