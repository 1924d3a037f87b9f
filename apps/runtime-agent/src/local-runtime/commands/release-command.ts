import { type LogWriter, RollFailed, type ServicePlan } from '@postern/runtime';
import type { Commands } from './commands.js';

/** The instance name in the log lines of a release command. */
const RELEASE = 'release';

interface ReleaseParts {
  readonly commands: Commands;
  readonly logs: { writer(webServiceId: string, instance: string, secrets: readonly string[]): LogWriter };
}

/** Runs the release command of a roll, and ends that of an older one. @throws RollFailed when it fails. */
export const runReleaseCommand = async (
  plan: ServicePlan,
  { commands, logs }: ReleaseParts,
  signal: AbortSignal,
): Promise<void> => {
  const {
    webServiceId,
    rollId,
    releaseCommand: command,
    artefact,
    environment,
    files,
    secrets,
    instance,
    deadlineMs,
  } = plan;
  await commands.end(webServiceId, 'stopped because another release started', { releasesExcept: rollId });
  if (command === undefined) return;
  if (!(await commands.isKnown(webServiceId, rollId))) {
    const output = logs.writer(webServiceId, RELEASE, secrets);
    output.write('build', `$ ${command}\n`);
    await output.close();
  }
  const order = { runId: rollId, webServiceId, instance: RELEASE, artefact, command, environment, files, secrets };
  const { exitCode, reason } = await commands.run({ ...order, deadlineMs, size: instance, isRelease: true }, signal);
  if (exitCode !== 0) throw new RollFailed(`the release command ${reason}`);
};
