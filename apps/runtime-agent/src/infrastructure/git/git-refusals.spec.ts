import { describe, expect, it } from '@jest/globals';
import { longTexts } from '../builders/testing/long-texts.js';
import { describeGitError } from './git-refusals.js';

const URL = 'https://git.example/team/shop.git';
const RESPONSES = { disclosesAllErrors: false };
const EVERYTHING = { disclosesAllErrors: true };

describe('An error of git', () => {
  it.each([
    [`fatal: repository '${URL}/' not found`, `there is no repository at ${URL}`],
    [
      "fatal: unable to access '/srv/shop/config': Permission denied",
      `permission to read the repository ${URL} was denied`,
    ],
    ["fatal: transport 'ftp' not allowed", `${URL}: this kind of address is not allowed here`],
    ['fatal: Authentication failed', /if it is private, store an access token$/],
  ])('%s is translated', (error, message) => {
    expect(describeGitError(`${'remote: hello\n'.repeat(100_000)}${error}\n`, URL, RESPONSES)).toMatch(message);
  });

  it('that is unknown is shown without credentials', () => {
    const error = 'fatal: odd: (https://user:secret@git.example/shop?token=x) +ssh://me@git.example/shop';
    expect(describeGitError(error, URL, EVERYTHING)).toBe(
      `the repository ${URL} could not be read: fatal: odd: (https://git.example/shop +ssh://git.example/shop`,
    );
  });

  // Git keeps 8 MiB of a server's text; patterns that are not linear take minutes to hours for these texts.
  it('with a long run of the same characters does not delay the agent', () => {
    const tokens = [
      "repository '",
      "' not found",
      'unable to open ',
      'unable to open denie',
      "transport '",
      'fatal: ',
      '\nfatal: ',
      'a://',
      '+',
      '#',
      '?\n',
    ];
    for (const text of longTexts(tokens, tokens, 2 ** 20))
      expect(describeGitError(`${text}\nfatal: ${text}`, URL, EVERYTHING).length).toBeLessThan(500);
  });
});
