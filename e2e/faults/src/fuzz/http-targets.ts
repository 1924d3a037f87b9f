import type { SeededRandom } from '../run/random.js';
import { contractCalls } from './contract-requests.js';
import type { Attacker } from './fuzz-world.js';
import { httpProblemOf, request, statusOf } from './http-messages.js';
import { mutate } from './mutate.js';
import { exchange } from './socket.js';
import { type FuzzTarget, shortened } from './target.js';

const SILENT_MS = 400;

const ofContracts = (attacker: Attacker): readonly string[] =>
  contractCalls(attacker).map(({ method, path, headers, body }) => request(method, path, headers, body));

/** Requests with values that the contract examples lack, and requests to routes without a contract. */
const requestsOf = (attacker: Attacker): readonly string[] => {
  const { sessionToken, platformKey, apiKey, projectId, serviceId, webServiceId, deployHookPath } = attacker;
  const session = { Authorization: `Bearer ${sessionToken}` };
  const platform = { Authorization: `Bearer ${platformKey}` };
  const service = `/dashboard/api/email-services/${serviceId}`;
  const email = {
    from: 'shop@fuzz.test',
    to: ['attacker@fuzz.test'],
    subject: 'Fuzz',
    text: 'Fuzz',
    headers: { 'X-A': 'b' },
  };
  return [
    request('GET', '/openapi.json', {}),
    request('GET', '/dashboard/', {}),
    request('POST', '/dashboard/api/session', {}, { email: 'nobody@fuzz.test', password: 'wrong password' }),
    request('POST', '/emails', { 'Api-Key': apiKey, 'Idempotency-Key': 'fuzz' }, email),
    request('GET', `/emails/${serviceId}`, { 'Api-Key': apiKey }),
    request('GET', `${service}/emails?search=fuzz&limit=5&from=2026-01-01T00:00:00Z`, session),
    request('GET', `${service}/stats?from=2026-01-01&to=2026-01-02`, session),
    request('DELETE', `${service}/suppressions/somebody%40fuzz.test`, session),
    request('PATCH', service, session, { name: 'fuzz', open_tracking: true }),
    request('POST', `${service}/domains`, session, { domain: 'fuzz.example.com' }),
    request('POST', `${service}/webhooks`, session, { url: 'https://hooks.example.com/', events: ['clicked'] }),
    request('GET', '/api/v1/projects', platform),
    request('PUT', `/api/v1/projects/${projectId}/secrets/bulk`, platform, {
      secrets: [{ key: 'A', value: 'b', scope: 'production', is_secret: true }],
    }),
    request('GET', '/api/v1/databases?limit=5&offset=0', platform),
    request('GET', '/tls/ask?domain=shop.example.com', {}),
    request('GET', `/dashboard/api/web-services/${webServiceId}/logs/stream?tail=5`, {
      ...session,
      'Last-Event-ID': '2026-03-01T10:00:00.000Z/1',
    }),
    request('POST', `/dashboard/api/web-services/${webServiceId}/domains`, session, { domain: 'shop.example.com' }),
    request('PUT', `/dashboard/api/web-services/${webServiceId}/git-token`, session, { username: 'x', token: 'y' }),
    request('PUT', `/dashboard/api/web-services/${webServiceId}/registry-credentials`, session, {
      username: 'x',
      password: 'y',
    }),
    request('PATCH', `/dashboard/api/web-services/${webServiceId}`, session, { image: 'ghcr.io/ada/shop:1' }),
    request('POST', `/api/v1/web-services/${webServiceId}/runs`, platform, { command: 'node migrate.js' }),
    request('POST', deployHookPath, {}),
    request('POST', deployHookPath, { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': 'sha256=00' }, { ref: 'x' }),
  ];
};

/** Requests to every part of the gateway, mutated anywhere: request line, headers, body. */
export const httpTarget = (port: number, attacker: Attacker): FuzzTarget => {
  const requests = requestsOf(attacker);
  const ofRoutes = ofContracts(attacker);
  return {
    name: 'HTTP',
    attack: async random => {
      const sent = mutate(random.pick(random.chance(0.5) ? requests : ofRoutes), random);
      return httpProblemOf(sent, await exchange(port, [sent], SILENT_MS));
    },
  };
};

const GIT_URLS = [
  'https://git.example.com/shop/storefront.git',
  'ssh://git@git.example.com:22/shop/storefront.git',
  'git@git.example.com:shop/storefront.git',
  'file:///srv/repository',
  'http://127.0.0.1:1/x.git',
];

/** Web services with a mutated repository URL; some are deployed, so that Git parses the URL. */
export const gitUrlTarget = (port: number, { platformKey, projectId }: Attacker): FuzzTarget => {
  const headers = { Authorization: `Bearer ${platformKey}` };
  let deployments = 0;
  return {
    name: 'Git URLs',
    attack: async random => {
      const url = mutate(random.pick(GIT_URLS), random);
      const body = { name: 'fuzz', project_id: projectId, git_repository_url: url.slice(0, 3_000), port: 3000 };
      const sent = request('POST', '/api/v1/web-services', headers, body);
      const answer = await exchange(port, [Buffer.from(sent, 'utf8').toString('latin1')], SILENT_MS);
      const id = /"id":"([0-9a-f-]{36})"/.exec(answer)?.[1];
      if (statusOf(answer) !== 201 || id === undefined || ++deployments > 10) return httpProblemOf(sent, answer);
      const deployment = request('POST', `/api/v1/web-services/${id}/deployments`, headers, {});
      return httpProblemOf(`${url} ${deployment}`, await exchange(port, [deployment], 5_000));
    },
  };
};

/** Mutated tracking tokens: a link must only redirect to the signed target. */
export const trackingTarget = (port: number, { linkPath }: Attacker): FuzzTarget => ({
  name: 'tracking tokens',
  attack: async (random: SeededRandom) => {
    const path = random.chance(0.3) ? linkPath.replace('/c/', '/o/') : linkPath;
    const token = mutate(path.slice(3), random);
    const sent = request('GET', path.slice(0, 3) + (random.chance(0.5) ? encodeURIComponent(token) : token), {});
    const answer = await exchange(port, [sent], SILENT_MS);
    const target = /^location: (.*)$/im.exec(answer)?.[1]?.trim();
    if (target !== undefined && target !== 'https://example.com/')
      return `a redirect to ${target} for ${shortened(sent)}`;
    return httpProblemOf(sent, answer);
  },
});
