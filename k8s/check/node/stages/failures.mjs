import { demand } from '../../../../docker/check/report.mjs';
import { deletesEverything } from '../runtime/deletion.mjs';
import { killNine, untilServing } from '../runtime/kill.mjs';
import { eventually, WebService } from '../runtime/platform.mjs';
import { prepareRuntime } from '../runtime/prepare.mjs';
import { broken, sample, unbuildable } from '../runtime/sample.mjs';

export const name = 'failures';
export const title = 'web services fail, and platform-management and runtime-agent are killed at each step';

const BOTH = ['runtime-agent', 'platform-management'];
const VICTIMS = [['runtime-agent'], ['platform-management'], BOTH];

const outcome = async service => service.outcomeOf(await service.requestDeployment());

const failsWithReason = async ({ state: { git } }, service) => {
  git.commit('failing', unbuildable());
  const failed = await outcome(service);
  demand(`a build that fails reports why: ${failed.error}`, failed.status === 'failed' && /code 4/.test(failed.error));
  git.commit('failing', broken());
  const dead = await outcome(service);
  demand(
    `a release that does not start reports why: ${dead.error}`,
    dead.status === 'failed' && /exited with code 3/.test(dead.error) && /the database is not there/.test(dead.error),
  );
  demand('the release before still answers', (await service.get()).version === 'one');
  git.commit('failing', sample('one'));
};

const crashes = async service => {
  const before = (await service.instances())[0];
  await service.get('/crash').catch(() => undefined);
  await service.logLine(/crash on request/);
  await service.logLine(/exited with code 7/);
  demand('an instance that crashes is started again, and the log has the reason', true);
  await eventually('an answer after a crash', () => service.get().catch(() => undefined));
  // The restart backoff grows; during it no instance responds.
  const failed = await eventually(
    'the state failed of a crash loop',
    async () => {
      await service.get('/crash').catch(() => undefined);
      const found = await service.read();
      return found.status === 'failed' ? found : undefined;
    },
    180_000,
  );
  demand(`a crash loop is reported: ${failed.status_reason}`, /exited with code 7/.test(failed.status_reason ?? ''));
  await service.untilStatus('running', 400_000);
  demand('and over when it answers again', (await service.instances())[0].metadata.uid === before.metadata.uid);
};

const runsOutOfMemory = async service => {
  await service.restart();
  await service.get('/eat');
  const { message } = await service.logLine(/exceeded its memory limit/);
  const [{ status }] = await service.instances();
  const code = status.containerStatuses[0].lastState.terminated?.exitCode;
  // Whether Kubernetes reports OOMKilled depends on which of two kernel events the container runtime reads first.
  demand(`an instance that the kernel ends is reported: ${message}`, code === 137, String(code));
  await eventually('an answer afterwards', () => service.get().catch(() => undefined));
  demand('and it answers again', true);
};

/** @throws if the deployment ends before its step is observed, because the kill would be too late. */
const reaches = async (service, deployment, status) => {
  const found = await service.deploymentIn(deployment, [status]);
  if (found.status !== status) throw new Error(`the deployment was ${found.status} before it was seen as ${status}`);
};

/** Starts an operation, kills processes at a given step, and expects the same result as without the kill. */
const STEPS = {
  'a build': async (service, kill) => {
    const deployment = await service.requestDeployment();
    await reaches(service, deployment, 'building');
    await kill();
    return (await service.outcomeOf(deployment)).status === 'live';
  },
  'a release': async (service, kill) => {
    const deployment = await service.requestDeployment();
    await reaches(service, deployment, 'releasing');
    await kill();
    return (await service.outcomeOf(deployment)).status === 'live';
  },
  'a restart': async (service, kill) => {
    const isOver = await service.requestRestart();
    await kill();
    return (await isOver()).status_reason === null;
  },
  'a stop': async (service, kill) => {
    await service.request('POST', '/stop', {});
    await kill();
    await service.untilStatus('stopped');
    return (await service.instances()).length === 0;
  },
  'a start': async (service, kill) => {
    await service.request('POST', '/start', {});
    await kill();
    return (await service.untilStatus('running')).status_reason === null;
  },
};

const survivesKills = async (context, service, victims) => {
  for (const [step, work] of Object.entries(STEPS)) {
    const isDone = await work(service, () => Promise.all(victims.map(victim => killNine(context, victim))));
    for (const victim of victims) await untilServing(context, victim);
    const details = JSON.stringify(await service.read());
    // The next step starts a stopped web service.
    const answers = step === 'a stop' || (await service.firstAnswer()).version === 'one';
    demand(`${step} ends as without a kill -9 of ${victims.join(' and ')}`, isDone && answers, details);
  }
};

const isDeletedDespiteKills = async (context, service) => {
  const kill = async () => {
    await Promise.all(BOTH.map(victim => killNine(context, victim)));
  };
  await deletesEverything(context, service, kill, `a deletion despite a kill -9 of ${BOTH.join(' and ')}`);
  for (const victim of BOTH) await untilServing(context, victim);
};

export const run = async context => {
  await prepareRuntime(context);
  const { git } = context.state;
  const settings = { name: 'Failing', git_repository_url: git.commit('failing', sample('one')) };
  const service = await WebService.create(context, { ...settings, health_check_path: '/' });
  await service.deploy();
  await failsWithReason(context, service);
  await runsOutOfMemory(service);
  await crashes(service);
  for (const victims of VICTIMS) await survivesKills(context, service, victims);
  await isDeletedDespiteKills(context, service);
};
