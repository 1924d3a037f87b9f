import { Injectable } from '@nestjs/common';
import { inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import type { SourceCredentials } from '@postern/runtime';
import { Database, KeyRing } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { PrismaClient } from '../../generated/prisma/client.js';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { webServiceNotFound } from '../services/aggregate/refusals.js';
import { webServiceStream } from '../services/aggregate/web-service.js';
import { fingerprintsOf } from './host-key-fingerprints.js';
import {
  ADD_HOST_KEYS,
  DELETE_CREDENTIAL,
  INSERT_CREDENTIAL,
  OPEN_CREDENTIALS,
  SEAL_CREDENTIAL,
} from './repository-credentials.sql.js';
import { forRepository } from './source-credentials.js';

/** The key of an SSH server. */
export interface HostKey {
  /** Includes the port, unless it is 22. */
  readonly host: string;
  /** In the format of ssh-keygen. */
  readonly fingerprint: string;
}

export interface StoredDeployKey {
  /** A line of `authorized_keys`. */
  readonly publicKey: string;
  /** Host keys of servers, stored at the first connection. */
  readonly hostKeys: readonly HostKey[];
  readonly createdAt: Date;
}

/** The user name of a token or password, and the host that it is sent to. */
export interface StoredToken {
  readonly username: string;
  /** Empty for a repository with a file URL. */
  readonly host: string;
  readonly createdAt: Date;
}

/** The stored credentials of a web service, without secrets. */
export interface StoredCredentials {
  readonly deployKey: StoredDeployKey | undefined;
  readonly gitToken: StoredToken | undefined;
  readonly registry: StoredToken | undefined;
}

/** Credentials of a deployment for the repository server. */
export interface DeploymentCredentials {
  readonly source: SourceCredentials;
  /** The token for the API of the Git host. */
  readonly api: SourceCredentials['https'];
  /** Secrets to mask in logs and errors. */
  readonly secrets: readonly string[];
  /** The reason for not sending a token, for the build log. */
  readonly withheld: string | undefined;
}

export interface DeployKeyPair {
  /** A line of `authorized_keys`. */
  readonly publicKey: string;
  /** In the OpenSSH format. */
  readonly privateKey: string;
}

export type CredentialKind = 'deploy_key' | 'git_token' | 'registry';

interface OpenedRow {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly hostKeys: string | null;
  readonly username: string | null;
  readonly host: string | null;
  readonly sealed: string;
}

interface NewCredential {
  readonly kind: CredentialKind;
  readonly secret: string;
  readonly publicKey?: string;
  readonly username?: string;
  readonly host?: string;
}

/** Stores secrets among the sealed values, so that they are re-encrypted together. */
@Injectable()
export class RepositoryCredentials {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
  ) {}

  /** Replaces the key with its host keys. Refuses with `web_service_not_found` for a deleted web service. */
  async putDeployKey(webServiceId: string, { publicKey, privateKey }: DeployKeyPair): Promise<void> {
    await this.#put(webServiceId, { kind: 'deploy_key', publicKey, secret: privateKey });
  }

  /** Replaces the token or the password. Refuses with `web_service_not_found` for a deleted web service. */
  async putToken(
    webServiceId: string,
    kind: 'git_token' | 'registry',
    { username, host }: Omit<StoredToken, 'createdAt'>,
    secret: string,
  ): Promise<void> {
    await this.#put(webServiceId, { kind, username, host, secret });
  }

  /** @returns the id of the removed credential; undefined if there was none. */
  async remove(webServiceId: string, kind: CredentialKind): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<{ id: string }>(DELETE_CREDENTIAL, [webServiceId, kind]);
    return rows[0]?.id;
  }

  async of(webServiceId: string): Promise<StoredCredentials> {
    const rows = await this.prisma.repositoryCredential.findMany({ where: { webServiceId } });
    const key = rows.find(({ kind }) => kind === 'deploy_key');
    const tokenOf = (wanted: CredentialKind): StoredToken | undefined => {
      const found = rows.find(({ kind }) => kind === wanted);
      return found && { username: found.username ?? '', host: found.host ?? '', createdAt: found.createdAt };
    };
    return {
      deployKey: key && {
        publicKey: key.publicKey ?? '',
        hostKeys: fingerprintsOf(key.hostKeys ?? ''),
        createdAt: key.createdAt,
      },
      gitToken: tokenOf('git_token'),
      registry: tokenOf('registry'),
    };
  }

  /** Returns a token or password only for the host that it was stored for. */
  async forDeployment(webServiceId: string, repositoryUrl: string): Promise<DeploymentCredentials> {
    const { rows } = await this.database.pool.query<OpenedRow>(OPEN_CREDENTIALS, [webServiceId]);
    const secretOf = ({ id, sealed }: OpenedRow) => this.keys.open(sealed, `sealed_values/${id}`);
    const key = rows.find(({ kind }) => kind === 'deploy_key');
    const token = rows.find(({ kind }) => kind === 'git_token');
    const registry = rows.find(({ kind }) => kind === 'registry');
    const opened = {
      ssh: key && { privateKey: secretOf(key), knownHosts: key.hostKeys ?? undefined },
      https: token && { username: token.username ?? '', token: secretOf(token) },
      tokenHost: token?.host ?? undefined,
      registry: registry && {
        username: registry.username ?? '',
        token: secretOf(registry),
        host: registry.host ?? '',
      },
    };
    return forRepository(opened, repositoryUrl);
  }

  /** Adds `known_hosts` lines to the deploy key, unless the key was deleted or contains them. */
  async addHostKeys(webServiceId: string, hostKeys: string): Promise<readonly HostKey[]> {
    await this.database.pool.query(ADD_HOST_KEYS, [webServiceId, hostKeys]);
    return fingerprintsOf(hostKeys);
  }

  async #put(webServiceId: string, { kind, secret, publicKey, username, host }: NewCredential): Promise<void> {
    const id = uuidv7();
    await inTransaction(this.database.pool, async client => {
      await lockStreams(client, [webServiceStream(webServiceId)]);
      if (await isDeleted(client, webServiceStream(webServiceId))) throw webServiceNotFound();
      await client.query(DELETE_CREDENTIAL, [webServiceId, kind]);
      await client.query(SEAL_CREDENTIAL, [id, this.keys.seal(secret, `sealed_values/${id}`), webServiceId]);
      await client.query(INSERT_CREDENTIAL, [
        id,
        webServiceId,
        kind,
        publicKey ?? null,
        username ?? null,
        host ?? null,
      ]);
    });
  }
}
