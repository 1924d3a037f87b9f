import { describe, expect, it } from '@jest/globals';
import { branchName } from './branch-name.js';

describe('the name of a branch', () => {
  it.each([
    'main',
    'feature/login',
    'release-1.2',
    'ünïcode',
    'a@b',
    'dependabot/npm_and_yarn/x-1.0.0',
    'refs/x',
    'a.b',
  ])('can be %s', name => expect(branchName(name)).toBe(name));

  it.each([
    ['-main', 'must not begin with -'],
    ['--upload-pack=x', 'must not begin with -'],
    ['', 'must not be empty'],
    ['a b', 'must not contain spaces'],
    ['a\tb', 'must not contain spaces'],
    ['a\u0000', 'must not contain spaces'],
    ['a\u007f', 'must not contain spaces'],
    ['a~1', 'must not contain'],
    ['a^', 'must not contain'],
    ['a:b', 'must not contain'],
    ['a?', 'must not contain'],
    ['a*', 'must not contain'],
    ['a[b', 'must not contain'],
    ['a\\b', 'must not contain'],
    ['a..b', 'must not contain ..'],
    ['a@{1}', 'must not contain @{'],
    ['@', 'is not a branch name'],
    ['HEAD', 'is not a branch name'],
    ['a.', 'must not end with a dot'],
    ['/a', 'must not begin or end with /'],
    ['a/', 'must not begin or end with /'],
    ['a//b', 'nor hold //'],
    ['.a', 'begin with a dot'],
    ['a/.b', 'begin with a dot'],
    ['a.lock', 'end with .lock'],
    ['a.lock/b', 'end with .lock'],
    ['a\ud800', 'is not well-formed'],
  ])('is not %j', (name, reason) => {
    let refusal: unknown;
    try {
      branchName(name);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/^branch: /),
    });
    expect(String(refusal)).toContain(reason);
  });
});
