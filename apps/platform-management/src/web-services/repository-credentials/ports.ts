import type { SourceCredentials } from '@postern/runtime';

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

export interface StoredGitToken {
  readonly username: string;
  /** The host that the token is sent to; empty for a repository with a file URL. */
  readonly host: string;
  readonly createdAt: Date;
}

/** The stored credentials of a web service, without secrets. */
export interface StoredCredentials {
  readonly deployKey: StoredDeployKey | undefined;
  readonly gitToken: StoredGitToken | undefined;
}

/** Credentials of a deployment for the repository server. */
export interface DeploymentCredentials {
  readonly source: SourceCredentials;
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

export type CredentialKind = 'deploy_key' | 'git_token';

/** Git credentials of web services: at most one deploy key and one token each, with encrypted secrets. */
export abstract class RepositoryCredentials {
  /** Replaces the key with its host keys. Refuses with `web_service_not_found` for a deleted web service. */
  abstract putDeployKey(webServiceId: string, pair: DeployKeyPair): Promise<void>;
  /** Replaces the token. Refuses with `web_service_not_found` for a deleted web service. */
  abstract putGitToken(webServiceId: string, token: Omit<StoredGitToken, 'createdAt'>, secret: string): Promise<void>;
  /** @returns the id of the removed credential; undefined if there was none. */
  abstract remove(webServiceId: string, kind: CredentialKind): Promise<string | undefined>;
  abstract of(webServiceId: string): Promise<StoredCredentials>;
  /** Returns a token only for the host that it was stored for. */
  abstract forDeployment(webServiceId: string, repositoryUrl: string): Promise<DeploymentCredentials>;
  /** Adds `known_hosts` lines to the deploy key, unless the key was deleted or contains them. */
  abstract addHostKeys(webServiceId: string, hostKeys: string): Promise<readonly HostKey[]>;
}
