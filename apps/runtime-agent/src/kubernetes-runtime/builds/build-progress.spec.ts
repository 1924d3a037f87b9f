import { beforeEach, describe, expect, it } from '@jest/globals';
import { DOCKERFILE_BUILDS } from '../../infrastructure/builders/dockerfile.js';
import { BuildProgress } from './build-progress.js';

const started = '2026-01-01T00:00:00Z';
const step = (digest: string, name: string, error?: string) => ({ vertexes: [{ digest, name, started, error }] });
const output = (vertex: string, text: string | Buffer, stream = 1) => ({
  logs: [{ vertex, stream, data: Buffer.from(text).toString('base64') }],
});
const exit = (code: number) => `process "/bin/sh -c make" did not complete successfully: exit code: ${code}`;

describe('The progress of BuildKit', () => {
  let log = '';
  let progress: BuildProgress;
  beforeEach(() => {
    log = '';
    progress = new BuildProgress({
      write: (_, text) => {
        log += text;
      },
      close: async () => {},
    });
  });
  const push = (...lines: readonly (object | string)[]) => {
    for (const line of lines) progress.push(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    progress.end();
  };

  describe('of a Dockerfile', () => {
    it('shows each step once, when it begins', () => {
      push(DOCKERFILE_BUILDS, step('a', '[1/2] FROM alpine'), step('b', '[2/2] RUN make'), step('b', '[2/2] RUN make'));
      expect(log).toBe(`${DOCKERFILE_BUILDS}\n[1/2] FROM alpine\n[2/2] RUN make\n`);
    });

    it('separates the lines of stages that run concurrently', () => {
      push(DOCKERFILE_BUILDS, output('a', 'one '), output('b', 'two '), output('a', 'first\n'), output('b', 'second'));
      expect(log).toBe(`${DOCKERFILE_BUILDS}\none first\ntwo second\n`);
    });

    it('separates the lines of the two streams of a step, so that a secret in one of them stays whole', () => {
      push(DOCKERFILE_BUILDS, output('a', 'key hunt'), output('a', 'warning\n', 2), output('a', 'er22\n'));
      expect(log).toBe(`${DOCKERFILE_BUILDS}\nwarning\nkey hunter22\n`);
    });

    it('keeps characters whose bytes arrive in two messages', () => {
      const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
      push(DOCKERFILE_BUILDS, output('a', first), output('b', 'two\n'), output('a', second));
      expect(log).toBe(`${DOCKERFILE_BUILDS}\ntwo\né\n`);
    });

    it('shows output without line breaks before its step ends', () => {
      progress.push(`${DOCKERFILE_BUILDS}\n`);
      const part = '.'.repeat(60_000);
      for (const _ of [1, 2, 3]) progress.push(`${JSON.stringify(output('a', part))}\n`);
      expect(log).toBe(`${DOCKERFILE_BUILDS}\n${part}${part}`);
      progress.push(`${JSON.stringify(output('a', ' done\n'))}\n`);
      expect(log).toBe(`${DOCKERFILE_BUILDS}\n${part}${part}${part} done\n`);
    });

    it('reports the failed step, its error and its own last lines', () => {
      push(
        DOCKERFILE_BUILDS,
        step('a', '[site 2/3] RUN npm ci'),
        step('b', '[api 2/3] RUN make'),
        output('b', '1\n2\n3\n4\n5\nmake: *** [all] Error 1\n'),
        output('a', 'added 3 packages\n'),
        step('b', '[api 2/3] RUN make', exit(2)),
        step('a', '[site 2/3] RUN npm ci', 'process "/bin/sh -c npm ci" did not complete: context canceled'),
        `error: failed to solve: ${exit(2)}`,
      );
      expect(progress.failure).toBe(
        'the Dockerfile failed at step `RUN make`: exit code 2: 2\n3\n4\n5\nmake: *** [all] Error 1',
      );
    });

    it('reports the file that a step did not find', () => {
      const error = 'failed to compute cache key: failed to calculate checksum of ref a7e::k2: "/dist": not found';
      push(DOCKERFILE_BUILDS, step('a', '[2/2] COPY dist .', error));
      expect(progress.failure).toBe('the Dockerfile failed at step `COPY dist .`: "/dist": not found');
    });

    it('reports an error that no step caused', () => {
      push(DOCKERFILE_BUILDS, 'error: failed to solve: dockerfile parse error on line 2: unknown instruction: RUNN');
      expect(progress.failure).toBe(
        'the image cannot be built: dockerfile parse error on line 2: unknown instruction: RUNN',
      );
    });

    it('ignores failure messages in the output of a step', () => {
      push(DOCKERFILE_BUILDS, step('a', '[2/2] RUN make'), output('a', 'postern-build-failed: no\n'));
      push(step('a', '[2/2] RUN make', exit(1)));
      expect(progress.failure).toBe('the Dockerfile failed at step `RUN make`: exit code 1: postern-build-failed: no');
    });
  });

  it('of the platform’s own build is its output and its own failure message', () => {
    push(step('a', '[4/4] RUN node'), output('a', 'ok\npostern-build-failed: no start command\n'));
    push(step('a', '[4/4] RUN node', exit(1)));
    expect(log).toBe('ok\n');
    expect(progress.failure).toBe('no start command');
  });
});
