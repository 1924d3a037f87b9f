import { describe, expect, it } from '@jest/globals';
import { buildPlanFor } from './builders.js';
import { interpreterFor } from './python-version.js';
import { machineWith } from './testing/machine-with.js';
import { projectOf } from './testing/project-of.js';

const many = machineWith('python3=python3.11', 'python3.11', 'python3.12', 'python3.13');

describe('The Python of a project', () => {
  it.each<readonly [string, Record<string, string>, string, string | undefined]>([
    ['is the default if the project requires no version', {}, 'python3', undefined],
    ['is the default if it has the required version', { '.python-version': '3.11.4\n' }, 'python3', undefined],
    [
      'is the required version',
      { '.python-version': '# for all\n3.13\n' },
      'python3.13',
      '.python-version requires Python 3.13: python3.13 is used',
    ],
    [
      'is the nearest one, and the log says so',
      { 'runtime.txt': 'python-3.14.1' },
      'python3.13',
      'runtime.txt requires Python 3.14, which is not on this machine: uv installs it',
    ],
    [
      'is the usual one where that is the nearest',
      { Pipfile: '[requires]\npython_version = "3.10"\n' },
      'python3',
      'Pipfile requires Python 3.10, which is not on this machine: uv installs it',
    ],
    [
      'is the oldest that is new enough',
      { 'pyproject.toml': '[project]\nrequires-python = ">=3.12"\n' },
      'python3.12',
      'pyproject.toml requires Python 3.12 or newer: python3.12 is used',
    ],
    [
      'is the usual one where that is new enough',
      { 'pyproject.toml': '[tool.poetry.dependencies]\npython = "^3.9"\n' },
      'python3',
      undefined,
    ],
  ])('%s', async (_, files, program, rule) => {
    expect(await interpreterFor(projectOf(files), many)).toMatchObject({ program, ...(rule && { rule }) });
  });

  it('is the newest one instead of the default, if the packages of a project without a version require it', async () => {
    expect(await interpreterFor(projectOf({}), many)).toMatchObject({ newer: { program: 'python3.13' } });
    expect(await interpreterFor(projectOf({ '.python-version': '3.11' }), many)).not.toHaveProperty('newer');
    expect(await interpreterFor(projectOf({}), machineWith('python3=python3.11', 'python3.11'))).not.toHaveProperty(
      'newer',
    );
    const { command } = await buildPlanFor(projectOf({ 'requirements.txt': 'django', 'app.py': '' }), many);
    expect(command).toMatch(
      /grep -q Requires-Python .* rm -rf \.venv && python3\.13 -m venv \.venv && .*pip install -r/,
    );
  });

  it('is the default on a machine without others', async () => {
    const { program, create } = await interpreterFor(projectOf({ '.python-version': '3.13' }), machineWith('python3'));
    expect(program).toBe('python3');
    expect(create).toContain('uv venv --managed-python --seed --python 3.13 .venv');
    expect(create).toContain("echo 'Python 3.13 cannot be installed by uv: python3 of this machine is used'");
  });
});
