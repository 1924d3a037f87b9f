import { askCertificate, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { WebServiceUrls } from '../services/web-service-urls.js';
import { WebServices } from '../services/web-services.projection.js';
import { CustomDomains } from './custom-domains.js';

/** The first label of the host name of a web service ends with the last digits of its id. */
const OWN_HOST = /^[a-z0-9-]{0,54}-([0-9a-f]{8})\./;

/**
 * Returns whether a TLS proxy may request a certificate for a name: only for a verified domain, and for the host name of a web
 * service that exists. Nobody else can create such names, so nobody can use up the limits of the certificate authority.
 */
@Handles(askCertificate)
export class AskCertificate {
  constructor(
    private readonly domains: CustomDomains,
    private readonly webServices: WebServices,
    private readonly urls: WebServiceUrls,
  ) {}

  async execute({ domain }: RequestOf<typeof askCertificate>): Promise<ReplyOf<typeof askCertificate>> {
    const name = domain.toLowerCase().replace(/\.$/, '');
    return { verified: (await this.domains.holderOf(name)) !== undefined || (await this.#isHostOfWebService(name)) };
  }

  async #isHostOfWebService(name: string): Promise<boolean> {
    const [, digits] = OWN_HOST.exec(name) ?? [];
    if (digits === undefined) return false;
    const urls = await Promise.all((await this.webServices.withLastDigits(digits)).map(each => this.urls.of(each)));
    return urls.some(url => url !== null && new URL(url).hostname === name);
  }
}
