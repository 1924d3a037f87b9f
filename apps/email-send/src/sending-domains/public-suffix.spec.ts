import { describe, expect, it } from '@jest/globals';
import { requireRegistrable } from './public-suffix.js';

describe('a sending domain', () => {
  it.each(['co.uk', 'com.br', 'foo.ck', 'xn--55qx5d.cn'])('is refused for the public suffix %s', domain =>
    expect(() => requireRegistrable(domain, [])).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(`such as example.${domain}`) }),
    ),
  );

  it.each(['example.co.uk', 'www.ck', 'github.io', 'mail.example.com', 'customer.test', 'a.b.invalid'])(
    'can be %s',
    domain => expect(() => requireRegistrable(domain, ['test', 'b.invalid'])).not.toThrow(),
  );

  it.each(['postgres.default.svc.cluster.local', 'vault.service.consul', 'wiki.internal', '10.in-addr.arpa', 'a.test'])(
    'is refused outside the public DNS: %s',
    domain =>
      expect(() => requireRegistrable(domain, [])).toThrow(
        expect.objectContaining({
          code: 'invalid_input',
          message: expect.stringContaining('POSTERN_PRIVATE_DOMAIN_SUFFIXES'),
        }),
      ),
  );
});
