import { Injectable } from '@nestjs/common';
import { Database, KeyRing } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import { attachmentAccess } from '../../infrastructure/encryption/attachment-access.js';
import { connectionUrl } from './connection-url.js';
import { ATTACHED_DATABASES, CURRENT_CONFIGURATION } from './environment.sql.js';
import { type Scope, valueStreamsOf } from './named-values.js';
import { type Configuration, ConfigurationNotFound, ReleaseConfigurations, type ValueSource } from './ports.js';
import { type AttachedUrl, repeatedConfiguration } from './repeated-configuration.js';
import { sealedValueRow } from './sealed-values.js';
import { SecretFiles } from './secret-files.js';

interface ValueRow {
  readonly id: string;
  readonly key: string;
  readonly is_secret: boolean;
  readonly sealed: string;
  readonly is_own: boolean;
}

interface AttachedRow {
  readonly variable: string;
  readonly attachment_id: string;
  readonly id: string;
  readonly kind: 'relational' | 'key_value';
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly sealed_password: string;
}

interface Value {
  readonly value: string;
  readonly isSecret: boolean;
  readonly source?: ValueSource;
}

/** Stores each configuration of a release as one encrypted value under the id of the configuration. */
@Injectable()
export class PostgresReleaseConfigurations extends ReleaseConfigurations {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
    private readonly secretFiles: SecretFiles,
  ) {
    super();
  }

  /** For the same key, a variable of the web service overrides an attached database, which overrides a project secret. */
  override async current(webServiceId: string, projectId: string, scope: Scope): Promise<Configuration> {
    const streams = [...valueStreamsOf(webServiceId), ...valueStreamsOf(projectId)];
    const { rows } = await this.database.pool.query<ValueRow>(CURRENT_CONFIGURATION, [
      streams,
      webServiceId,
      projectId,
      scope,
    ]);
    const entryOf = ({ id, key, is_secret, sealed, is_own }: ValueRow): [string, Value] => {
      const value = this.keys.open(sealed, sealedValueRow(id));
      return [key, { value, isSecret: is_secret, ...(!is_own && { source: 'project-secret' }) }];
    };
    const attached = await this.#attachedTo(webServiceId);
    const values = new Map<string, Value>([
      ...rows.filter(({ is_own }) => !is_own).map(entryOf),
      ...attached.map(({ variable, url }): [string, Value] => [
        variable,
        { value: url, isSecret: true, source: 'attachment' },
      ]),
      ...rows.filter(({ is_own }) => is_own).map(entryOf),
    ]);
    const sources = [...values].flatMap(([key, { source }]): [string, ValueSource][] =>
      source ? [[key, source]] : [],
    );
    const secrets = [...values.values()].filter(({ isSecret }) => isSecret).map(({ value }) => value);
    const files = await this.secretFiles.contentsOf(webServiceId);
    return {
      environment: Object.fromEntries([...values].map(([key, { value }]) => [key, value])),
      secrets: [...secrets, ...attached.map(({ password }) => password), ...[...files.values()].map(textOf)],
      sources: Object.fromEntries(sources),
      ...(files.size > 0 && { files: Object.fromEntries(files) }),
    };
  }

  override async repeated(webServiceId: string, configurationId: string): Promise<Configuration> {
    return repeatedConfiguration(await this.open(configurationId), await this.#attachedTo(webServiceId));
  }

  async #attachedTo(webServiceId: string): Promise<AttachedUrl[]> {
    const { rows } = await this.database.pool.query<AttachedRow>(ATTACHED_DATABASES, [webServiceId]);
    return rows.map(({ variable, attachment_id, id, kind, host, port, username: database, sealed_password }) => {
      const access = attachmentAccess(attachment_id, this.keys.open(sealed_password, `database_credentials/${id}`));
      return { variable, password: access.password, url: connectionUrl(kind, { ...access, host, port, database }) };
    });
  }

  override async seal(webServiceId: string, id: string, configuration: Configuration): Promise<void> {
    const sealed = this.keys.seal(JSON.stringify(configuration), sealedValueRow(id));
    await this.prisma.sealedValue.upsert({ where: { id }, create: { id, sealed, webServiceId }, update: { sealed } });
  }

  override async open(id: string): Promise<Configuration> {
    const row = await this.prisma.sealedValue.findUnique({ where: { id } });
    if (!row) throw new ConfigurationNotFound(id);
    return JSON.parse(this.keys.open(row.sealed, sealedValueRow(id))) as Configuration;
  }

  override async delete(configurationIds: readonly string[]): Promise<void> {
    await this.prisma.sealedValue.deleteMany({ where: { id: { in: [...configurationIds] } } });
  }
}

/** What a log line could contain of a file. */
const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8').trim();
