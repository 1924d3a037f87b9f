import type { SourceCredentials } from '@postern/runtime';

/** The key of an SSH server. */
export interface HostKey {
  /** With the port, if that is not 22. */
  readonly host: string;
  /** As ssh-keygen shows it. */
  readonly fingerprint: string;
}

export interface StoredDeployKey {
  /** A line of `authorized_keys`. */
  readonly publicKey: string;
  /** Of servers, stored at the first connection. */
  readonly hostKeys: readonly HostKey[];
  readonly createdAt: Date;
}

export interface StoredGitToken {
  readonly username: string;
  /** The host that the token is sent to; empty for a repository that is a file. */
  readonly host: string;
  readonly createdAt: Date;
}

/** What is stored for a web service, without secrets. */
export interface StoredCredentials {
  readonly deployKey: StoredDeployKey | undefined;
  readonly gitToken: StoredGitToken | undefined;
}

/** What a deployment shows to the server of a repository. */
export interface DeploymentCredentials {
  readonly source: SourceCredentials;
  /** What is masked in logs and errors. */
  readonly secrets: readonly string[];
  /** Why a token is not sent, for the build log. */
  readonly withheld: string | undefined;
}

export interface DeployKeyPair {
  /** A line of `authorized_keys`. */
  readonly publicKey: string;
  /** In the OpenSSH format. */
  readonly privateKey: string;
}

export type CredentialKind = 'deploy_key' | 'git_token';

/** What Git authenticates with for web services: at most one deploy key and one token each, with encrypted secrets. */
export abstract class RepositoryCredentials {
  /** Replaces the key with its host keys. Refuses with `web_service_not_found` for a deleted web service. */
  abstract putDeployKey(webServiceId: string, pair: DeployKeyPair): Promise<void>;
  /** Replaces the token. Refuses with `web_service_not_found` for a deleted web service. */
  abstract putGitToken(webServiceId: string, token: Omit<StoredGitToken, 'createdAt'>, secret: string): Promise<void>;
  /** @returns the id of what was removed; undefined if there was nothing. */
  abstract remove(webServiceId: string, kind: CredentialKind): Promise<string | undefined>;
  abstract of(webServiceId: string): Promise<StoredCredentials>;
  /** A token is only for the host that it was stored for. */
  abstract forDeployment(webServiceId: string, repositoryUrl: string): Promise<DeploymentCredentials>;
  /** Adds lines of `known_hosts` to the deploy key, unless it was deleted or they are there. */
  abstract addHostKeys(webServiceId: string, hostKeys: string): Promise<readonly HostKey[]>;
}
