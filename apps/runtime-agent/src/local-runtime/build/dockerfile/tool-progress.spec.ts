import { describe, expect, it } from '@jest/globals';
import { ToolProgress } from './tool-progress.js';

/** The logged output, and why the build failed. */
const resultOf = (...lines: readonly string[]) => {
  const log: string[] = [];
  const progress = new ToolProgress(line => log.push(line), []);
  for (const line of lines) progress.take(line);
  return { log, failure: progress.failure };
};

describe('The output of a container tool', () => {
  it('is logged unchanged, without the lines that the tool adds about its processes', () => {
    const { log, failure } = resultOf('STEP 1/1: RUN make', 'made', 'subprocess exited with status 2', 'exit status 2');
    expect({ log, failure }).toEqual({ log: ['STEP 1/1: RUN make', 'made'], failure: undefined });
  });

  it.each([
    ['Buildah 1.28', 'exit status 2'],
    ['newer releases', 'while running runtime: exit status 2'],
    ['older releases', 'error while running runtime: exit status 2'],
  ])('of %s names the failed step, its exit code and its last lines', (_, why) => {
    const { failure } = resultOf(
      '[2/2] STEP 1/2: RUN npm ci',
      'added 3 packages',
      '[2/2] STEP 2/2: RUN echo ": "; make',
      ...['1', '2', '3', '4', '5', 'make: *** [all] Error 1'],
      `Error: building at STEP "RUN echo ": "; make": ${why}`,
    );
    expect(failure).toBe(
      'the Dockerfile failed at step `RUN echo ": "; make`: exit code 2: 2\n3\n4\n5\nmake: *** [all] Error 1',
    );
  });

  it('names the file that a step did not find', () => {
    const error = 'checking on sources under "/app": copier: stat: "/dist": no such file or directory';
    expect(resultOf('STEP 1/1: COPY dist .', `Error: building at STEP "COPY dist .": ${error}`).failure).toBe(
      'the Dockerfile failed at step `COPY dist .`: "/dist": not found',
    );
  });

  it('tells that the Dockerfile lacks the stage', () => {
    const lacksStage = (line: string) => {
      const progress = new ToolProgress(() => {}, []);
      progress.take(line);
      return progress.lacksStage;
    };
    expect(lacksStage('Error: The target "web" was not found in the provided Dockerfile')).toBe(true);
    expect(lacksStage('Error: creating build container: no route')).toBe(false);
  });

  it('names the registry that cannot be reached', () => {
    const error =
      'creating build container: pinging container registry ghcr.io: dial tcp: lookup ghcr.io: no such host';
    expect(resultOf(`Error: ${error}`).failure).toBe(
      `the image cannot be built: ghcr.io cannot be reached from this machine: allow outbound connections to it, or add what the build downloads from there to the repository: ${error}`,
    );
  });

  it('contains no secret whose parts are separated by output of the other stream', () => {
    const log: string[] = [];
    const { output } = new ToolProgress(line => log.push(line), ['hunter22']);
    output.push(Buffer.from('hunt'), 'stdout');
    output.push(Buffer.from('warning\n'), 'stderr');
    output.push(Buffer.from('er22\n'), 'stdout');
    expect(log).toEqual(['warning', '********']);
  });

  it('gives the reason if no step failed', () => {
    expect(resultOf('Error: creating build container: pinging container registry: no route').failure).toBe(
      'the image cannot be built: creating build container: pinging container registry: no route',
    );
  });
});
