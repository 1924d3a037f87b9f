import { expect, it } from '@jest/globals';
import { RelaySet } from '@postern/mail';
import { HostResolver, OutboundGuard } from '@postern/outbound';
import { startDnsServer, startSmtpSink } from '@postern/testing';
import { relaysFrom } from './relay-urls.js';

it('The name of a relay is resolved without a thread, and a silent name server ends within the limit of connecting', async () => {
  const [dns, smtp] = await Promise.all([startDnsServer(), startSmtpSink()]);
  const resolver = new HostResolver({ servers: [dns.address], limitMs: 2_000 });
  const { lookup } = new OutboundGuard({ allowPrivate: true, resolve: name => resolver.resolve(name) });
  const relayAt = (host: string) =>
    RelaySet.fromConfigs(
      relaysFrom(`smtp://${host}:${smtp.port}?tls=none`, 'postern.test').map(relay => ({ ...relay, lookup })),
    );
  const mail = {
    from: 'a@x.test',
    recipients: [{ address: 'b@x.test' }],
    bytes: Buffer.from('Subject: a\r\n\r\nb\r\n'),
  };
  dns.setRecords('relay.test', 'A', ['127.0.0.1']);
  dns.failWith('silent.test', 'TIMEOUT');
  const relays = [relayAt('relay.test'), relayAt('localhost'), relayAt('silent.test')];
  const [found, local, silent] = await Promise.all(relays.map(relay => relay.handOver(mail)));
  expect(found).toMatchObject({ kind: 'accepted' });
  expect(local).toMatchObject({ kind: 'accepted' });
  expect(silent).toMatchObject({
    kind: 'unreachable',
    reason: expect.stringContaining('no name server answered in time'),
  });
  await Promise.all(relays.map(relay => relay.close()));
  await Promise.all([dns.stop(), smtp.stop()]);
});
