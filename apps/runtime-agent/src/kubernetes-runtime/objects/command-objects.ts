import type { RunOrder } from '@postern/runtime';
import type { Manifest } from './kinds.js';
import { commandName, LABEL } from './names.js';
import {
  literally,
  named,
  releasePodSpec,
  type ServiceObjectSettings,
  secretData,
  shellCommand,
} from './service-objects.js';

/** Between SIGTERM and SIGKILL. */
const GRACE_SECONDS = 10;

const labelsOf = ({ runId, webServiceId }: RunOrder) => ({
  [LABEL.command]: runId,
  [LABEL.commandOf]: webServiceId,
});

/** The variables of a command. */
export const commandSecret = (order: RunOrder): Manifest => ({
  ...named('Secret', commandName(order.runId), labelsOf(order)),
  type: 'Opaque',
  data: secretData(order.environment),
});

/**
 * Runs a command at most once: no pod replaces one that failed. Its pods do not have the label of instances, so they get
 * no traffic.
 */
export const commandJob = (order: RunOrder, settings: ServiceObjectSettings): Manifest => {
  const { runId, command, deadlineMs } = order;
  const job = named('Job', commandName(runId), labelsOf(order));
  const { containers, ...pod } = releasePodSpec(
    { ...order, command: shellCommand(literally(command)), secretName: commandName(runId), variables: {} },
    settings,
  );
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
