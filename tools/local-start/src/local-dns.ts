import { dkimRecord } from '@postern/mail';
import { startDnsServer, type TestDns } from '@postern/testing';

/** The DNS server of the local start, with the records of Postern's own domains and of the demo domain. */
export class LocalDns {
  private constructor(private readonly server: TestDns) {}

  /** @param sandboxDkimKey a PEM key in base64 */
  static async start(sandboxDkimKey: string): Promise<LocalDns> {
    const server = await startDnsServer();
    server.setRecords('spf.postern.test', 'TXT', ['v=spf1 ip4:127.0.0.1 -all']);
    for (const domain of ['bounces.postern.test', 'sandbox.postern.test'])
      server.setRecords(domain, 'TXT', ['v=spf1 include:spf.postern.test -all']);
    const sandboxDkim = dkimRecord(Buffer.from(sandboxDkimKey, 'base64').toString());
    server.setRecords('postern._domainkey.sandbox.postern.test', 'TXT', [sandboxDkim]);
    server.setRecords('_dmarc.sandbox.postern.test', 'TXT', ['v=DMARC1; p=none']);
    server.setRecords('bounces.postern.test', 'MX', [{ priority: 10, exchange: 'mx.postern.test' }]);
    server.setRecords('customer._report._dmarc.bounces.postern.test', 'TXT', ['v=DMARC1']);
    server.setRecords('mx.postern.test', 'A', ['127.0.0.1']);
    return new LocalDns(server);
  }

  /** `host:port`, for POSTERN_DNS_SERVERS. */
  get address(): string {
    return this.server.address;
  }

  setText(name: string, value: string): void {
    this.server.setRecords(name, 'TXT', [value]);
  }

  removeText(name: string): void {
    this.server.setRecords(name, 'TXT', []);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
