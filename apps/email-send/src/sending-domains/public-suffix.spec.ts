import { describe, expect, it } from '@jest/globals';
import { refusePublicSuffix } from './public-suffix.js';

describe('a sending domain', () => {
  it.each(['co.uk', 'com.br', 'foo.ck', 'xn--55qx5d.cn'])('is refused for the public suffix %s', domain =>
    expect(() => refusePublicSuffix(domain)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(`such as example.${domain}`) }),
    ),
  );

  it.each(['example.co.uk', 'www.ck', 'github.io', 'mail.example.com', 'customer.test', 'a.b.invalid'])(
    'can be %s',
    domain => expect(() => refusePublicSuffix(domain)).not.toThrow(),
  );
});
