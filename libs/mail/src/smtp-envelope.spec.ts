import { describe, expect, it } from '@jest/globals';
import { reportAddress } from './report-address.js';
import { rcptCommand } from './smtp-envelope.js';

const dsn = { notify: ['FAILURE'], ret: 'HDRS', envid: 'x' } as const;

describe('the original recipient of RCPT', () => {
  it.each([
    ['ada@example.org', 'rfc822;ada@example.org'],
    ['a+b=c@example.org', 'rfc822;a+2Bb+3Dc@example.org'],
    ['用户@example.org', 'utf-8;\\x{7528}\\x{6237}@example.org'],
    ['jörg+a=b@example.org', 'utf-8;j\\x{F6}rg\\x{2B}a\\x{3D}b@example.org'],
    ['😀@example.org', 'utf-8;\\x{1F600}@example.org'],
  ])('of %s is %s (RFC 3461 §4.2, RFC 6533 §3)', (address, original) => {
    const command = rcptCommand({ address, orcpt: address }, dsn, true);
    expect(command).toBe(`RCPT TO:<${address}> NOTIFY=FAILURE ORCPT=${original}\r\n`);
    expect(reportAddress(original)?.spellings).toContain(address);
  });
});
