import { Injectable } from '@nestjs/common';
import type { ExternalAccess } from '@postern/contracts';
import { DatabaseRuntime, type ExternalHost, RuntimeUnavailable } from '@postern/runtime';
import { connectionUrl } from '../web-services/environment/connection-url.js';
import type { DatabaseCredentials, DatabaseRow } from './ports.js';

const EVERYONE = '0.0.0.0/0';

/** Where clients outside of the platform reach databases. */
@Injectable()
export class ExternalAddress {
  constructor(private readonly runtime: DatabaseRuntime) {}

  hostFor({ kind }: DatabaseRow): Promise<ExternalHost> {
    return this.runtime.externalHostFor(kind);
  }

  /** Also while the runtime does not respond, which `unavailable_reason` then says. */
  async reply(row: DatabaseRow): Promise<ExternalAccess> {
    const { enabled, allowedCidrs } = row.externalAccess;
    const found = await this.hostFor(row).catch((error: unknown): ExternalHost => {
      if (error instanceof RuntimeUnavailable) return { refusal: 'the runtime does not respond; try again later' };
      throw error;
    });
    const isOpen = enabled && 'host' in found;
    return {
      enabled,
      allowed_cidrs: [...allowedCidrs],
      open_to_everyone: enabled && allowedCidrs.includes(EVERYONE),
      host: isOpen ? found.host : null,
      port: isOpen ? row.port : null,
      unavailable_reason: found && 'refusal' in found ? found.refusal : null,
    };
  }

  /** The connection URL for clients outside; null unless they can connect. */
  async urlOf(row: DatabaseRow, credentials: DatabaseCredentials): Promise<string | null> {
    const { host, port } = await this.reply(row);
    return host === null || port === null
      ? null
      : `${connectionUrl(row.kind, { ...credentials, host, port })}?sslmode=verify-full`;
  }
}
