import { startDnsServer, type TestDns } from '@postern/testing';

/** The resolver of the local start: knows the records of the demo domain, as an owner's DNS would. */
export class LocalDns {
  private constructor(private readonly server: TestDns) {}

  static async start(): Promise<LocalDns> {
    return new LocalDns(await startDnsServer());
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
