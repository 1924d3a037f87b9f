import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { changePassword } from '@postern/contracts';
import { AccountsFixture, hashOf, OPERATOR } from '../../testing/accounts-fixture.js';

const lines: string[] = [];
const write = (fields: object, message: string): void => {
  lines.push(`${message} ${inspect(fields, { depth: 12, maxStringLength: null })}`);
};

let fixture: AccountsFixture;
beforeAll(async () => {
  fixture = await AccountsFixture.start();
  // Captures the lines of every level before redaction, so that the test does not depend on redaction.
  await fixture.addReplica(OPERATOR, {
    log: { debug: write, info: write, warn: write, error: write, plain: write },
    writeLine: line => lines.push(line),
    flush: () => undefined,
  });
}, 60_000);
afterAll(() => fixture?.stop());

const log = () => lines.join('\n');
const SECRETS = /argon2|long enough password|guessed word|another long password|brand new password/;

it('no password, no hash and no token is in the log', async () => {
  const { id, email, password } = await fixture.newUser();
  const { token } = await fixture.logIn(email, password);
  await expect(fixture.logIn(email, 'a guessed word')).rejects.toThrow();
  await fixture.client.request(changePassword, {
    user_id: id,
    current_password: password,
    new_password: 'a brand new password',
  });
  expect(log()).toContain('Nest application successfully started');
  expect(log().match(SECRETS)).toBeNull();
  expect([token, hashOf(token)].filter(secret => log().includes(secret))).toEqual([]);
});
