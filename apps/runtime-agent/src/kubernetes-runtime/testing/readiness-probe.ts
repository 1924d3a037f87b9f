import { createConnection } from 'node:net';
import { fetch } from 'undici';
import type { ContainerSpec } from './any-object.js';

/** Why the container on this port is not ready, as a message of a kubelet; undefined if it is ready. */
export const probeFailure = async (
  { readinessProbe }: ContainerSpec,
  port: number,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const path = readinessProbe?.httpGet?.path;
  if (path !== undefined) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
    return fetch(`http://127.0.0.1:${port}${path}`, { signal: limit }).then(
      ({ status }) => (status < 400 ? undefined : `HTTP probe failed with statuscode: ${status}`),
      () => 'connection refused',
    );
  }
  return new Promise(resolve => {
    const socket = createConnection(port, '127.0.0.1')
      .once('connect', () => resolve(undefined))
      .once('connect', () => socket.destroy())
      .once('error', () => resolve('dial tcp: connection refused'));
  });
};
