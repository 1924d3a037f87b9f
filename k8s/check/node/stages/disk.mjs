import { setTimeout as pause } from 'node:timers/promises';
import { demand } from '../../../../docker/check/report.mjs';
import { deletesEverything } from '../runtime/deletion.mjs';
import { eventually, WebService } from '../runtime/platform.mjs';
import { prepareRuntime } from '../runtime/prepare.mjs';
import { addVolume } from '../volumes.mjs';

export const name = 'disk';
export const title = 'a web service is built by its Dockerfile, and keeps the files of its disk';

/** A web service that appends a line to its disk on each request. */
const SERVER = version => `
const { createServer } = require('node:http');
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const visits = process.env.DISK_PATH + '/visits';
createServer((request, response) => {
  if (request.url === '/visit') appendFileSync(visits, '${version} ');
  response.setHeader('connection', 'close').end(JSON.stringify({
    version: '${version}',
    built: readFileSync('built.txt', 'utf8'),
    visits: existsSync(visits) ? readFileSync(visits, 'utf8').trim() : '',
  }));
}).listen(process.env.PORT);
process.on('SIGTERM', () => process.exit());
`;

const BUILD = `require('node:fs').writeFileSync('built.txt', 'for ' + process.env.GREETING);`;

const files = (version, step = 'node build.cjs') => ({
  'build.cjs': BUILD,
  'server.cjs': SERVER(version),
  Dockerfile: `
FROM node:24-bookworm-slim
WORKDIR /srv
COPY *.cjs .
RUN --mount=type=secret,id=GREETING,env=GREETING ${step}
CMD ["node", "server.cjs"]
`,
});

const isBuiltByDockerfile = async service => {
  const { id } = await service.deploy();
  const { lines } = await service.request('GET', `/deployments/${id}/logs`);
  const details = lines.map(({ message }) => message).join('\n');
  demand('the log names the rule', details.includes('Dockerfile found: the image is built from it'), details);
  const { version, built } = await service.firstAnswer();
  demand('the image of its Dockerfile answers', version === 'one');
  demand('a step of the build had a variable as a secret', built === 'for everybody', built);
};

const failsWithReason = async (context, service) => {
  context.state.git.commit('disk', files('broken', 'sh -c "echo no such library >&2; exit 3"'));
  const { status, error } = await service.outcomeOf(await service.requestDeployment());
  demand(
    `a step that fails is named: ${error}`,
    status === 'failed' && /failed at step .*exit code 3: .*no such library/s.test(error),
  );
  demand('the release before still answers', (await service.get()).version === 'one');
};

/** Runs a change. @returns {Promise<number>} the most instances that the web service had at one time. */
const mostPodsDuring = async ({ cluster }, service, change) => {
  let isOver = false;
  let most = 0;
  const count = async () => {
    while (!isOver) {
      const selector = `postern.dev/web-service=${service.id}`;
      // A failed poll is ignored; the next one follows.
      const pods = await cluster.pods('postern-tenants', selector).catch(() => []);
      most = Math.max(most, pods.filter(({ status }) => ['Pending', 'Running'].includes(status.phase)).length);
      await pause(50);
    }
  };
  const counted = count();
  try {
    await change();
  } finally {
    isOver = true;
    await counted;
  }
  return most;
};

const keepsFiles = async (context, service) => {
  const { git, cluster } = { ...context.state, ...context };
  await service.get('/visit');
  git.commit('disk', files('two'));
  const most = await mostPodsDuring(context, service, () => service.deploy());
  demand('no two instances have the disk at one time', most === 1, `${most} pods`);
  const visits = async () => (await service.firstAnswer()).visits;
  demand('the next release has the files', (await visits()) === 'one');
  await service.get('/visit');
  await service.request('POST', '/stop', {});
  await service.untilStatus('stopped');
  await service.request('POST', '/start', {});
  await service.untilStatus('running');
  demand('they are there after a stop', (await visits()) === 'one two');
  const [{ metadata }] = await service.instances();
  await cluster.kubectl('delete', 'pod', metadata.name, '--namespace', 'postern-tenants', '--now');
  const kept = await eventually('another instance', visits);
  demand('and after the end of its pod', kept === 'one two', kept);
};

export const run = async context => {
  await prepareRuntime(context);
  await addVolume(context, 'disk', '64Mi');
  const url = context.state.git.commit('disk', files('one'));
  const service = await WebService.create(context, { name: 'Disk', git_repository_url: url });
  await service.request('PATCH', '', { disk: { size_mib: 64 } });
  await service.request('PUT', '/env/bulk', { variables: [{ key: 'GREETING', value: 'everybody' }] });
  await isBuiltByDockerfile(service);
  await failsWithReason(context, service);
  await keepsFiles(context, service);
  await deletesEverything(context, service);
};
