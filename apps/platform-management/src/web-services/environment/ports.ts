import type { SecretScope } from '@postern/contracts';
import type { NewValue, Scope } from './named-values.js';

export interface ValueToSet extends NewValue {
  readonly value: string;
}

export interface SetValue {
  readonly id: string;
  readonly key: string;
  readonly scope: Scope | undefined;
  readonly isSecret: boolean;
  readonly created: boolean;
}

/** One variable or secret; `value` is undefined for a secret. */
export interface NamedValueView {
  readonly id: string;
  readonly key: string;
  readonly scope: Scope | undefined;
  readonly isSecret: boolean;
  readonly value: string | undefined;
}

/** Where a value comes from, unless it is a variable of the web service. */
export type ValueSource = 'attachment' | 'project-secret' | 'platform';

/** Environment variables of one release, and the values that must not appear in logs. */
export interface Configuration {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** By key. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** Contents of secret files in base64, by path; absent without any. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The configuration was deleted, or never existed. */
export class ConfigurationNotFound extends Error {
  override readonly name = 'ConfigurationNotFound';

  constructor(configurationId: string) {
    super(`there is no configuration ${configurationId}`);
  }
}

/** The current configuration of a web service, and the encrypted configurations of its releases. */
export abstract class ReleaseConfigurations {
  abstract current(webServiceId: string, projectId: string, scope: SecretScope): Promise<Configuration>;
  /** Returns an earlier configuration with the current credentials of the databases that are attached now. */
  abstract repeated(webServiceId: string, configurationId: string): Promise<Configuration>;
  /** Encrypts and stores a configuration of the web service under the id; replaces an existing one. */
  abstract seal(webServiceId: string, configurationId: string, configuration: Configuration): Promise<void>;
  /** @throws ConfigurationNotFound; any other error does not mean that the configuration is gone. */
  abstract open(configurationId: string): Promise<Configuration>;
  /** Deletes configurations permanently; unknown ids have no effect. */
  abstract delete(configurationIds: readonly string[]): Promise<void>;
}

export interface ReencryptedBatch {
  /** The last id of this batch, after which to continue; undefined if no value was left. */
  readonly lastId: string | undefined;
  /** Ids of unchanged values that cannot be decrypted: their key is not configured, or they were altered. */
  readonly undecryptable: readonly string[];
}
