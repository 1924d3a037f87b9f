import { describe, expect, it } from '@jest/globals';
import { relaysFrom } from './relay-urls.js';

describe('POSTERN_RELAYS', () => {
  it('requires STARTTLS for smtp:// and uses implicit TLS for smtps://, in the given order', () =>
    expect(relaysFrom('smtp://u%40x:p%3Aw@a.test:2525, smtps://b.test', 'mail.test')).toMatchObject([
      { relay: 'a.test:2525', security: 'starttls', auth: { user: 'u@x', pass: 'p:w' }, name: 'mail.test' },
      { relay: 'b.test:465', host: 'b.test', port: 465, security: 'tls' },
    ]));

  it('uses plain text only with tls=none', () =>
    expect(relaysFrom('smtp://127.0.0.1:2500?tls=none&connections=5&name=out.test', 'mail.test')).toMatchObject([
      { security: 'none', maxConnections: 5, name: 'out.test', port: 2500 },
    ]));

  it.each(['', 'http://a.test', 'smtp://a.test?tls=maybe', 'smtp://a.test?tsl=none', 'smtp://a.test?connections=0'])(
    'is refused as %j, without repeating it',
    urls => expect(() => relaysFrom(urls, 'mail.test')).toThrow(/POSTERN_RELAYS/),
  );
});
