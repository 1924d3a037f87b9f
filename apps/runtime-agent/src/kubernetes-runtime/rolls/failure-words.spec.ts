import { describe, expect, it } from '@jest/globals';
import { endWords } from './failure-words.js';

describe('How a container ended', () => {
  it('is said in the words of runc where its program could not be started', () => {
    const message =
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/srv/start.sh": permission denied: unknown';
    const end = { exitCode: 128, reason: 'StartError', message };
    expect(endWords(end)).toBe('cannot be started: exec: "/srv/start.sh": permission denied: unknown');
  });

  it('is an exit code, a signal, or too much memory otherwise', () => {
    expect(endWords({ exitCode: 2, reason: 'Error', message: 'left by the program' })).toBe('exited with code 2');
    expect(endWords({ exitCode: 137, reason: 'Error' })).toMatch(/^was killed \(signal 9\), for example/);
    expect(endWords({ exitCode: 137, reason: 'OOMKilled' })).toBe('exceeded its memory limit');
  });
});
