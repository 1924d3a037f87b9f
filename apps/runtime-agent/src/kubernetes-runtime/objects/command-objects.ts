import type { RunOrder } from '@postern/runtime';
import type { Manifest } from './kinds.js';
import { commandName, LABEL } from './names.js';
import { secretData } from './secret-data.js';
import { named, releasePodSpec, type ServiceObjectSettings } from './service-objects.js';

/** The time between SIGTERM and SIGKILL. */
const GRACE_SECONDS = 10;

/** A command as a program with its arguments. */
export interface CommandProcess extends Omit<RunOrder, 'command'> {
  readonly command: readonly string[];
}

const labelsOf = ({ runId, webServiceId }: CommandProcess) => ({
  [LABEL.command]: runId,
  [LABEL.commandOf]: webServiceId,
});

/** The variables of a command. */
export const commandSecret = (order: CommandProcess): Manifest => ({
  ...named('Secret', commandName(order.runId), labelsOf(order)),
  type: 'Opaque',
  data: secretData(order.environment, order.files),
});

/**
 * Runs a command at most once: a failed pod is not replaced. Its pods do not have the label of instances, so they get
 * no traffic.
 */
export const commandJob = (order: CommandProcess, settings: ServiceObjectSettings): Manifest => {
  const { runId, deadlineMs } = order;
  const job = named('Job', commandName(runId), labelsOf(order));
  const { containers, ...pod } = releasePodSpec({ ...order, secretName: commandName(runId), variables: {} }, settings);
  return {
    ...job,
    spec: {
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      activeDeadlineSeconds: Math.max(1, Math.ceil(deadlineMs / 1_000)),
      template: {
        metadata: { labels: job.metadata.labels },
        spec: {
          ...pod,
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: GRACE_SECONDS,
          containers: containers.map(container => ({
            ...container,
            terminationMessagePolicy: 'FallbackToLogsOnError',
          })),
        },
      },
    },
  };
};
