/** Kills processes in containers with SIGKILL, as the kernel's OOM killer does. */
import { readdirSync, readFileSync } from 'node:fs';
import { isReady } from '../kubernetes.mjs';
import { eventually } from './platform.mjs';

const read = (pid, file) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
};

/**
 * Kills the only process of a service. Its pod is replaced afterwards, because the kubelet's restart backoff grows with each
 * exit of a container, and the stages cause many.
 */
export const killNine = async (context, service) => {
  const { metadata } = await context.cluster.podOf(service);
  const pids = readdirSync('/proc').filter(
    pid => /^\d+$/.test(pid) && read(pid, 'cgroup').includes(metadata.uid) && read(pid, 'cmdline').includes('main.js'),
  );
  if (pids.length === 0) throw new Error(`${service} has no process`);
  for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
  const path = `/api/v1/namespaces/postern/pods/${metadata.name}`;
  await context.cluster.api('DELETE', `${path}?gracePeriodSeconds=0`);
};

export const untilServing = (context, service) =>
  eventually(`another process of ${service}`, async () => {
    const pod = await context.cluster.podOf(service);
    return pod && isReady(pod) ? pod : undefined;
  });
