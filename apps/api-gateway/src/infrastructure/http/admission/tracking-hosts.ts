import { isIP } from 'node:net';
import { findTrackingHost, type ReplyOf } from '@postern/contracts';
import { ServiceUnavailable } from '@postern/messaging';
import type { FastifyRequest } from 'fastify';
import { ServiceClient } from '../../service-client/ports.js';
import { requestContextOf } from '../server/request-context.js';
import { ReplyCache } from './reply-cache.js';

/** Finds out whether a host is the verified tracking host of a sending domain. */
export class TrackingHosts {
  readonly #replies: ReplyCache<ReplyOf<typeof findTrackingHost>>;

  /** @param keptMs for how long an answer counts. */
  constructor(
    private readonly services: ServiceClient,
    keptMs: number,
  ) {
    this.#replies = new ReplyCache({ subject: findTrackingHost.subject, keptMs, maxEntries: 10_000, maxPending: 100 });
  }

  async has(host: string, request: FastifyRequest): Promise<boolean> {
    const { verified } = await this.#replies.get(host, () =>
      this.services.request(findTrackingHost, { host }, requestContextOf(request)),
    );
    return verified;
  }
}

const KEPT_MS = 10_000;

/** Which hosts serve the whole API: all but the tracking hosts of sending domains, which belong to users. */
export class ServedHosts {
  readonly #trackingHosts: TrackingHosts;
  readonly #own: string | undefined;

  constructor(services: ServiceClient, publicUrl: string) {
    this.#trackingHosts = new TrackingHosts(services, KEPT_MS);
    this.#own = URL.parse(publicUrl)?.hostname;
  }

  /**
   * Whether the host of a request serves only the links in messages; undefined, without a question to a service, for the
   * host of the installation and for what cannot be a tracking host.
   */
  isTrackingHost(request: FastifyRequest): Promise<boolean> | undefined {
    const host = request.hostname?.toLowerCase().replace(/\.$/, '') ?? '';
    if (host === this.#own || !host.includes('.') || isIP(host) !== 0 || host.length > 253) return undefined;
    return this.#trackingHosts.has(host, request).catch(error => {
      // Requests to the installation under another name must not depend on email-send.
      if (error instanceof ServiceUnavailable) return false;
      throw error;
    });
  }
}
