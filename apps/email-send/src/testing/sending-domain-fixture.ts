import { createHash } from 'node:crypto';
import {
  addSendingDomain,
  createApiKey,
  createEmailService,
  type ReplyOf,
  verifySendingDomain,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { PostgresSenderDirectory } from '../api-keys/postgres-sender-directory.js';
import type { AdministrationFixture } from './administration-fixture.js';

export type Domain = ReplyOf<typeof addSendingDomain>;
export type Owner = { readonly workspace_id: string; readonly service_id: string };

let names = 0;

/** An email service with an API key, and the name of a domain that is not added yet. */
export class DomainOwner {
  private constructor(
    private readonly fixture: AdministrationFixture,
    readonly owner: Owner,
    readonly key: string,
    readonly name: string,
  ) {}

  static async create(fixture: AdministrationFixture): Promise<DomainOwner> {
    const workspace_id = uuidv7();
    const service = { workspace_id, name: 'App' };
    const { id: service_id } = await fixture.client.request(createEmailService, service);
    const owner = { workspace_id, service_id };
    const { key } = await fixture.client.request(createApiKey, { ...owner, name: 'app' });
    names += 1;
    return new DomainOwner(fixture, owner, key, `shop${names}.example`);
  }

  publish(domain: Domain): void {
    for (const record of domain.records) this.fixture.dns.setRecords(record.name, 'TXT', [record.value]);
  }

  verify(domain: Domain): Promise<Domain> {
    return this.fixture.client.request(verifySendingDomain, { ...this.owner, domain_id: domain.id });
  }

  async verifiedDomain(): Promise<Domain> {
    const domain = await this.fixture.client.request(addSendingDomain, { ...this.owner, domain: this.name });
    this.publish(domain);
    return this.verify(domain);
  }

  /** The sender that each replica finds by the key. */
  senders() {
    const hash = createHash('sha256').update(this.key).digest('hex');
    return Promise.all(
      this.fixture.replicas.map(replica => replica.app.get(PostgresSenderDirectory).findByKeyHash(hash)),
    );
  }
}
