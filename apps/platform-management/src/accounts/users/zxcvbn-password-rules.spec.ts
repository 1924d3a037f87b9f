import { describe, expect, it } from '@jest/globals';
import { PasswordRules } from './password-rules.js';

const rules = new PasswordRules();
const problemOf = (password: string) =>
  rules.problemOf(password, ['ada.lovelace@engine.example', 'Analytical Engines']);

describe('a password', () => {
  it.each([
    'password1234',
    'Password123!',
    'P@ssw0rd1234',
    '123456789012',
    'qwertyuiop12',
    'iloveyou1234',
    'passwordpassword',
    'aaaaaaaaaaaa',
    'abcdefghijkl',
    'november2026',
    `123456${'1'.repeat(1_000)}`,
  ])('%s is refused as a common password', password =>
    expect(problemOf(password)).toMatch(/^is a common password or a simple pattern/),
  );

  it.each(['ada.lovelace@engine.example', 'AdaLovelace!', 'lovelace12345', 'analyticalengines', 'engine123456'])(
    '%s is refused because it contains the address or name',
    password => expect(problemOf(password)).toMatch(/email address or name/),
  );

  it.each([
    'a brand new password',
    'correct horse battery staple',
    'dGhpcyBpcyBub3Q',
    'f3a91c0b77de',
    'пароль из слов',
  ])('%s is accepted', password => expect(problemOf(password)).toBeUndefined());

  it('of 1,024 characters is checked in bounded time', () => {
    const begin = process.cpuUsage();
    problemOf('aB3$'.repeat(256));
    expect(process.cpuUsage(begin).user).toBeLessThan(2_000_000);
  });
});
