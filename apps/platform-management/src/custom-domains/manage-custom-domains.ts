import { Inject, Injectable } from '@nestjs/common';
import {
  addCustomDomain,
  askCertificate,
  type CustomDomain,
  listCustomDomains,
  Refusal,
  type ReplyOf,
  type RequestOf,
  removeCustomDomain,
  verifyCustomDomain,
} from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import { ProjectOwners } from '../projects/ports.js';
import { WorkspaceUsage } from '../quotas/ports.js';
import { WebServices } from '../web-services/web-services.projection.js';
import { domainName } from './domain-name.js';
import { type Proof, proofOf, txtRecordOf } from './domain-proof.js';
import { DomainRoutes } from './domain-routes.js';
import { DomainTarget } from './domain-target.js';
import { CustomDomains, DnsUnavailable, DomainDns, type DomainRow } from './ports.js';

/** Adds, verifies and deletes domains of web services. */
@Injectable()
export class ManageCustomDomains {
  constructor(
    private readonly webServices: WebServices,
    private readonly projects: ProjectOwners,
    private readonly usage: WorkspaceUsage,
    private readonly domains: CustomDomains,
    private readonly dns: DomainDns,
    private readonly targets: DomainTarget,
    private readonly routes: DomainRoutes,
    @Inject(CONFIG) private readonly config: { readonly privateDomainSuffixes: readonly string[] },
  ) {}

  @Handles(addCustomDomain)
  async add(request: RequestOf<typeof addCustomDomain>): Promise<ReplyOf<typeof addCustomDomain>> {
    const service = await this.webServices.require(request.web_service_id, request);
    if (!(await this.targets.isSupported()))
      throw new Refusal('invalid_input', 'domain: this installation does not support custom domains');
    const target = await this.targets.of(service);
    const domain = domainName(request.domain, target, this.config.privateDomainSuffixes);
    const { workspaceId } = await this.projects.requireOwner(request, service.project_id);
    const row = await this.domains.add(this.usage.limitOf(workspaceId, { custom_domains: 1 }), service.id, domain);
    return replyOf(row, target);
  }

  @Handles(listCustomDomains)
  async list(request: RequestOf<typeof listCustomDomains>): Promise<ReplyOf<typeof listCustomDomains>> {
    const service = await this.webServices.require(request.web_service_id, request);
    const rows = await this.domains.of(service.id);
    if (rows.length === 0) return [];
    const target = await this.targets.of(service);
    return rows.map(row => replyOf(row, target));
  }

  /** A check that finds nothing leaves a verified domain as it is. */
  @Handles(verifyCustomDomain)
  async verify(request: RequestOf<typeof verifyCustomDomain>): Promise<ReplyOf<typeof verifyCustomDomain>> {
    const service = await this.webServices.require(request.web_service_id, request);
    const row = await this.domains.find(service.id, request.domain_id);
    if (!row) throw domainNotFound();
    const target = await this.targets.of(service);
    const { proven, message } = await this.#proofOf(row, target);
    if (!proven) await this.domains.note(row.id, message);
    else {
      if (!(await this.domains.verify(row.id, message, await this.#formerHolderOf(row)))) throw domainTaken(row);
      if (!row.verifiedAt) await this.routes.send();
    }
    return replyOf((await this.domains.find(service.id, row.id)) ?? row, target);
  }

  @Handles(removeCustomDomain)
  async remove(request: RequestOf<typeof removeCustomDomain>): Promise<ReplyOf<typeof removeCustomDomain>> {
    const service = await this.webServices.require(request.web_service_id, request);
    if (!(await this.domains.remove(service.id, request.domain_id))) throw domainNotFound();
    await this.routes.send();
    return { id: request.domain_id, deleted: true };
  }

  @Handles(askCertificate)
  async ask({ domain }: RequestOf<typeof askCertificate>): Promise<ReplyOf<typeof askCertificate>> {
    return { verified: (await this.domains.holderOf(domain.toLowerCase().replace(/\.$/, ''))) !== undefined };
  }

  /** Another web service that has the domain and can no longer prove it. @throws the refusal `domain_taken`. */
  async #formerHolderOf(row: DomainRow): Promise<string | undefined> {
    const holder = await this.domains.holderOf(row.domain);
    if (!holder || holder.id === row.id) return undefined;
    const service = await this.webServices.require(holder.webServiceId);
    const { proven } = await this.#proofOf(holder, await this.targets.of(service));
    if (proven) throw domainTaken(row);
    return holder.id;
  }

  async #proofOf(row: DomainRow, target: string): Promise<Proof> {
    try {
      return await proofOf(row, target, this.dns);
    } catch (error) {
      if (error instanceof DnsUnavailable) throw new Refusal('dns_unavailable', `${row.domain}: ${error.message}`);
      throw error;
    }
  }
}

const replyOf = (row: DomainRow, target: string): CustomDomain => ({
  id: row.id,
  domain: row.domain,
  status: row.verifiedAt ? 'verified' : 'pending',
  target,
  txt: txtRecordOf(row),
  message: row.message,
  created_at: row.createdAt.toISOString(),
  verified_at: row.verifiedAt?.toISOString() ?? null,
});

const domainNotFound = (): Refusal => new Refusal('domain_not_found', 'there is no such domain');

const domainTaken = ({ domain }: DomainRow): Refusal =>
  new Refusal('domain_taken', `${domain} serves another web service; delete it there, or remove its records first`);
