import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { dockerfileOptions } from './dockerfile-options.js';

const options = z.object(dockerfileOptions);
const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`A${at}`, '']));

describe('the options of a Dockerfile', () => {
  it.each([
    {},
    { dockerfile_path: null, docker_target: null, build_args: null },
    { dockerfile_path: 'docker/web.Dockerfile', docker_target: 'web-2.prod', build_args: { _a1: '', B: 'one\ntwo' } },
    { build_args: { A: 'x'.repeat(4_096) } },
    { build_args: numbered(50) },
  ])('may be %j', given => expect(options.parse(given)).toEqual(given));

  it('have the shortest path of the Dockerfile', () =>
    expect(options.parse({ dockerfile_path: './docker//Dockerfile' })).toEqual({
      dockerfile_path: 'docker/Dockerfile',
    }));

  it.each([
    [{ dockerfile_path: '' }, 'must not be empty'],
    [{ dockerfile_path: 'docker/../../Dockerfile' }, 'must not contain ..'],
    [{ dockerfile_path: '/etc/Dockerfile' }, 'must be relative to the root of the repository'],
    [{ dockerfile_path: './' }, 'must name a file'],
    [{ dockerfile_path: '.git/Dockerfile' }, 'must not be in .git'],
    [{ dockerfile_path: 'Docker\nfile' }, 'must not contain backslashes or control characters'],
    [{ docker_target: '--privileged' }, 'must be the name of a stage'],
    [{ docker_target: '' }, 'must be the name of a stage'],
    [{ build_args: { 'A-B': '1' } }, 'must be the name of an ARG'],
    [{ build_args: { '1A': '1' } }, 'must be the name of an ARG'],
    [{ build_args: { A: 'x'.repeat(4_097) } }, '4096'],
    [{ build_args: { A: '\0' } }, 'without NUL'],
    [{ build_args: numbered(51) }, 'at most 50'],
  ])('are refused: %j', (given, reason) => {
    const { error } = options.safeParse(given);
    expect(JSON.stringify(error?.issues)).toContain(reason);
  });
});
