import { describe, expect, it } from '@jest/globals';
import { withPlatformVariables } from './platform-variables.js';
import { repeatedConfiguration } from './repeated-configuration.js';

const FIRST = { POSTERN_GIT_COMMIT: 'first', POSTERN_GIT_BRANCH: undefined, POSTERN_PUBLIC_URL: null };
const own = { environment: { COLOUR: 'red' }, secrets: ['red'], sources: {} };

describe('The variables of the platform', () => {
  it('are added to those of the user, without the unknown ones', () => {
    expect(withPlatformVariables(own, FIRST)).toEqual({
      environment: { COLOUR: 'red', POSTERN_GIT_COMMIT: 'first' },
      secrets: ['red'],
      sources: { POSTERN_GIT_COMMIT: 'platform' },
    });
  });

  it('do not replace a variable that the user set before the name was reserved', () => {
    const earlier = { ...own, environment: { POSTERN_GIT_COMMIT: 'mine' } };
    expect(withPlatformVariables(earlier, FIRST).environment).toEqual({ POSTERN_GIT_COMMIT: 'mine' });
  });

  it('belong to one release: a rollback gets its own ones', () => {
    const repeated = repeatedConfiguration(withPlatformVariables(own, FIRST), []);
    expect(withPlatformVariables(repeated, { POSTERN_GIT_COMMIT: 'second' }).environment).toEqual({
      COLOUR: 'red',
      POSTERN_GIT_COMMIT: 'second',
    });
  });
});
