import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../objects/kinds.js';
import { endReason, whyNotReady } from './pod-failures.js';

describe('How a container ended', () => {
  it('is the message of runc if its program could not be started', () => {
    const message =
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/srv/start.sh": permission denied: unknown';
    const end = { exitCode: 128, reason: 'StartError', message };
    expect(endReason(end)).toBe('cannot be started: exec: "/srv/start.sh": permission denied: unknown');
  });

  it('is otherwise an exit code, a signal, or the memory limit', () => {
    expect(endReason({ exitCode: 2, reason: 'Error', message: 'left by the program' })).toBe('exited with code 2');
    expect(endReason({ exitCode: 137, reason: 'Error' })).toMatch(/^was killed \(signal 9\), for example/);
    expect(endReason({ exitCode: 137, reason: 'OOMKilled' })).toBe('exceeded its memory limit');
  });
});

describe('Why an instance that ended is not ready', () => {
  const MISSING = 'failed to try resolving symlinks in path "/var/log/pods/a/web/3.log": no such file or directory';
  const pod = {
    metadata: { name: 'web-1' },
    status: {
      containerStatuses: [{ name: 'web', lastState: { terminated: { exitCode: 3, reason: 'Error' } } }],
    },
  } as unknown as Pod;
  const answering = (...logs: string[]) => ({ log: async () => logs.shift() ?? '', list: async () => [] });

  it('contains the last lines of its log, even if the kubelet did not find the log at first', async () => {
    const log = '2026-01-01T00:00:00.000000001Z begins\n2026-01-01T00:00:01Z cannot connect\n';
    const message = await whyNotReady(answering(MISSING, log), undefined, [pod]);
    expect(message).toBe('an instance exited with code 3: begins\ncannot connect');
  });

  it('contains no message of the kubelet about a missing log', async () => {
    const message = await whyNotReady(answering(...Array(9).fill(MISSING)), undefined, [pod]);
    expect(message).toBe('an instance exited with code 3');
  });
});
