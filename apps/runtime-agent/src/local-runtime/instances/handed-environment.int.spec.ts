import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { handedEnvironment, TAKE_ENVIRONMENT } from './handed-environment.js';

const script = `${TAKE_ENVIRONMENT}\nexec "$@"`;
const show = [process.execPath, '-e', 'console.log(JSON.stringify(process.env))'];
const options = { env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' } as const;

const taken = (variables: Record<string, string>): Record<string, string> =>
  JSON.parse(
    execFileSync('/bin/sh', ['-c', script, 'name', ...show], { ...options, input: handedEnvironment(variables) }),
  );

describe('an environment passed over stdin', () => {
  it('keeps all values unchanged', () => {
    const variables = {
      QUOTES: `it's "quoted" \`twice\` \\ $HOME $(id)`,
      LINES: 'one\ntwo\n\n',
      EMPTY: '',
      MARK: '#whole',
      UNICODE: 'ключ 🔑',
      LONG: 'x'.repeat(64 * 1024),
      PATH: '/elsewhere',
    };
    expect(taken(variables)).toMatchObject(variables);
  });

  it('does not start the command when it is truncated', () => {
    const whole = handedEnvironment({ ONE: 'first', TWO: 'second' });
    for (const length of [0, 10, whole.length - 30, whole.length - 1]) {
      const { status, stdout } = spawnSync('/bin/sh', ['-c', script, 'name', ...show], {
        ...options,
        input: whole.slice(0, length),
      });
      expect({ status, stdout }).toEqual({ status: 125, stdout: '' });
    }
  });

  it('rejects names that are not valid shell variable names', () => {
    for (const name of ['A B', 'A;id', '', '1A', 'A=B']) expect(() => handedEnvironment({ [name]: 'x' })).toThrow();
  });
});
