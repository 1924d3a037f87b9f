import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { type PasswordResetRequested, passwordReset } from './password-reset.js';

const given = specificationOf(passwordReset);
const at = '2026-01-02T03:04:05.678Z';
const requested: PasswordResetRequested = {
  type: 'platform-management.password-reset-requested.v1',
  data: { request_id: 'r', at },
};

describe('a request to reset a password', () => {
  it('is recorded once, and its event contains no address', () => {
    given().when({ kind: 'request', requestId: 'r', at }).yields(requested);
    given(requested).when({ kind: 'request', requestId: 'r', at }).yields();
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/password-reset'), passwordReset);
});
