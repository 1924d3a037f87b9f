import { describe, expect, it } from '@jest/globals';
import { OutboundGuard } from '@postern/outbound';
import { GitHostClient } from './git-host-client.js';

const client = new GitHostClient(
  new OutboundGuard({ allowPrivate: false, resolve: async () => [{ address: '10.0.0.1', family: 4 }] }),
);
const send = (url: string) => client.send({ method: 'POST', url, headers: {}, body: {} });

describe('a request to a Git host', () => {
  it.each([
    ['https://127.0.0.1/api/v3', '127.0.0.1 is not a host with a public address'],
    ['https://[::ffff:10.0.0.1]/api/v3', 'is not a host with a public address'],
    ['https://169.254.169.254/api/v3', '169.254.169.254 is not a host with a public address'],
    ['https://git.internal.example/api/v3', 'git.internal.example is not a host with a public address'],
    ['http://git.example.com/api/v3', 'a token is sent only over https'],
  ])('%s is not sent: %s', (url, message) => expect(send(url)).rejects.toThrow(message));
});
