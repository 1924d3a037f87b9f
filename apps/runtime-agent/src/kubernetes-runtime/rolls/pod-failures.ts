import { setTimeout as pause } from 'node:timers/promises';
import { NO_START_IN_IMAGE } from '../../infrastructure/builders/dockerfile.js';
import { failureLinesOf } from '../../infrastructure/failure-lines.js';
import type { Cluster } from '../cluster.js';
import type { ClusterEvent, ContainerStatus, Deployment, Pod, Terminated } from '../objects/kinds.js';
import { CONTAINER } from '../objects/names.js';

/** Reasons that a retry cannot resolve. */
const PERMANENT_REASONS = new Set([
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'ErrImageNeverPull',
]);
const NO_IMAGE = new Set(['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName', 'ErrImageNeverPull']);
/** Message of a registry about a missing image; an image with a fixed digest will not appear later. */
const NOT_FOUND = /not found|manifest unknown|does not exist/i;
/** Error of containerd for an image of a Dockerfile without CMD and ENTRYPOINT. */
const NO_COMMAND = /no command specified/;
/** Number of crashes of one instance after which a roll fails before its deadline. */
const MAX_CRASHES = 4;
/** Lines of the log in which the cause is looked for. */
const READ_LINES = 100;
/** While a container is being replaced, its log is missing for a moment. */
const LOG_TRIES = 5;
const LOG_PAUSE_MS = 500;

/** A line of a log that begins with its time (RFC 3339), and its text. */
export const TIMED_LINE = /^(\d{4}-\d\d-\d\dT\S+) ?(.*)$/;

type Reading = Pick<Cluster, 'log' | 'list'>;

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Whether the pod is neither being deleted nor has ended. */
export const isStaying = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded';

export const webOf = ({ status }: Pod): ContainerStatus | undefined =>
  status?.containerStatuses?.find(({ name }) => name === CONTAINER);

/** Whether waiting longer is useless. */
export const hasFailedPermanently = (pod: Pod): boolean => {
  const web = webOf(pod);
  const { reason = '', message = '' } = web?.state?.waiting ?? {};
  const isNotFound = NO_IMAGE.has(reason) && NOT_FOUND.test(message);
  return isNotFound || PERMANENT_REASONS.has(reason) || restartsOf(pod) >= MAX_CRASHES;
};

/** How a container ended, as a predicate of the instance name. */
export const endReason = ({ exitCode, reason, message }: Terminated): string => {
  // There was no process and no output, so runc's message is the only explanation.
  if (reason === 'StartError' && message) return `cannot be started: ${message.replace(/^.*container process: /s, '')}`;
  if (reason === 'OOMKilled') return 'exceeded its memory limit';
  // Container engines do not always report that the memory limit was exceeded before the process has ended.
  if (exitCode === 137) return 'was killed (signal 9), for example because it exceeded its memory limit';
  // Shells and container engines report a signal as 128 plus its number.
  if (exitCode > 128 && exitCode < 160) return `was killed by signal ${exitCode - 128}`;
  return `exited with code ${exitCode}`;
};

export const instanceEndReason = (end: Terminated): string => `an instance ${endReason(end)}`;

/** Why an instance last ended, or why it is missing, by its status alone. */
export const lastFailureOf = (pod: Pod): string | undefined => {
  const { state, lastState } = webOf(pod) ?? {};
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended) return instanceEndReason(ended);
  const waiting = state?.waiting;
  return NO_IMAGE.has(waiting?.reason ?? '')
    ? `the image cannot be pulled: ${waiting?.message ?? waiting?.reason}`
    : undefined;
};

export const restartsOf = (pod: Pod): number => webOf(pod)?.restartCount ?? 0;

/** Why none of these instances is ready, as far as the cluster reports it. */
export const whyNotReady = async (
  cluster: Reading,
  deployment: Deployment | undefined,
  pods: readonly Pod[],
): Promise<string> => {
  const pod = pods.find(pod => lastFailureOf(pod)) ?? pods.find(pod => !isReady(pod));
  if (!pod) {
    const refused = deployment?.status?.conditions?.find(
      ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
    );
    return refused?.message ?? 'Kubernetes has started no instance';
  }
  const web = webOf(pod);
  const ended = web?.state?.terminated ?? web?.lastState?.terminated;
  if (ended) return `${instanceEndReason(ended)}${await lastLines(cluster, pod, web?.state?.running !== undefined)}`;
  const failure = lastFailureOf(pod);
  if (failure) return failure;
  const { reason = '', message = 'it cannot be started' } = web?.state?.waiting ?? {};
  if (PERMANENT_REASONS.has(reason)) return NO_COMMAND.test(message) ? NO_START_IN_IMAGE : message;
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return `no node has capacity for it: ${scheduled.message ?? scheduled.reason}`;
  return (await lastComplaint(cluster, pod)) ?? 'it does not respond';
};

/** Once the next container runs, the one that ended is the previous one. */
const lastLines = async (cluster: Reading, { metadata }: Pod, previous: boolean): Promise<string> => {
  const options = { container: CONTAINER, previous, tailLines: READ_LINES, timestamps: true };
  for (let tries = 1; ; tries += 1) {
    const log = (await cluster.log(metadata.name, options).catch(() => '')).trim();
    const lines = log.split('\n').flatMap(line => TIMED_LINE.exec(line)?.[2] ?? []);
    const text = failureLinesOf(lines.join('\n')).join('\n').trim();
    if (log === '' || lines.length > 0 || tries === LOG_TRIES) return text === '' ? '' : `: ${text}`;
    await pause(LOG_PAUSE_MS);
  }
};

const lastComplaint = async (cluster: Reading, { metadata }: Pod): Promise<string | undefined> => {
  const events = await cluster.list<ClusterEvent>('Event', '', `involvedObject.name=${metadata.name},type=Warning`);
  const time = ({ lastTimestamp, eventTime, metadata }: ClusterEvent) =>
    Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '');
  return events.toSorted((one, other) => time(other) - time(one))[0]?.message;
};
