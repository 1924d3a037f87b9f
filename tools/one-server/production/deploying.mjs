/** A web service on the installation, deployed as its owner would. */
import assert from 'node:assert/strict';
import { eventually, signedIn } from './sending.mjs';

const CONFIGURATION = `host: postern.example.com
apps: apps.example.com
mail:
  domain: mail.example.com
  send: direct
acme: ops@example.com
operator: owner@example.com
advanced:
  runtime-agent: { POSTERN_PLATFORM_ALLOW_FILE_REPOSITORIES: true, POSTERN_GIT_ALLOW_PRIVATE: true }
  platform-management: { POSTERN_PLATFORM_ALLOW_FILE_REPOSITORIES: true, POSTERN_PRIVATE_DOMAIN_SUFFIXES: example }
`;

const PROGRAM = `require('node:http').createServer((request, response) => response.end('hello ' + request.headers.host)).listen(process.env.PORT);`;

/** Creates a repository on the server, because it has no way to others. */
const repository = server =>
  server.exec(`mkdir -p /srv/hello && cd /srv/hello
cat > server.js <<'END'
${PROGRAM}
END
echo '{ "name": "hello", "version": "1.0.0", "scripts": { "start": "node server.js" } }' > package.json
[ -d .git ] || git init -q -b main
git add . && git -c user.name=check -c user.email=check@example.com commit -q --allow-empty -m hello
chmod -R a+rX /srv/hello`);

/** Deploys a web service, and waits until it is live. @returns its host name. */
export const deployed = async world => {
  const { server, state } = world;
  if (state.webService) return state.webService;
  await repository(server);
  await server.exec('cat > /etc/postern/config.yaml && postern config apply', { input: CONFIGURATION });
  const client = await signedIn(world);
  const { key } = await client.dashboard('POST', '/platform-keys', { name: 'check', scope: 'write' });
  const api = (method, path, body) =>
    client.expect(method, `/api/v1${path}`, { body, headers: { authorization: `Bearer ${key}` } });
  const project = await api('POST', '/projects', { name: 'Check' });
  const service = await api('POST', '/web-services', {
    name: 'hello',
    project_id: project.id,
    git_repository_url: 'file:///srv/hello',
    health_check_path: '/',
    port: 3000,
    min_instances: 1,
    max_instances: 1,
  });
  const { id } = await api('POST', `/web-services/${service.id}/deployments`, {});
  await eventually(world, 240_000, async () => {
    await world.pause(2_000);
    const deployment = await api('GET', `/web-services/${service.id}/deployments/${id}`);
    assert.equal(deployment.status, 'live', deployment.error ?? '');
  });
  const { url } = await api('GET', `/web-services/${service.id}`);
  state.webService = { host: new URL(url).hostname, id: service.id, client };
  return state.webService;
};
