import {
  type DatabaseBackups,
  type DatabaseExtension,
  type DatabaseExtensions,
  DatabaseRuntime,
  type DatabaseStorage,
  type DatabaseUsage,
  type ExternalHost,
  type StorageState,
  type StoredBackup,
} from '@postern/runtime';

const REFUSAL =
  'databases are not available on Kubernetes: run one with an operator such as CloudNativePG, and set its connection URL as a secret variable of the web service';

/**
 * Refuses databases with an error message. As processes in the pod of the agent, databases would be unreachable for
 * the web services, and lost with the pod.
 */
export class RefusedDatabases extends DatabaseRuntime implements DatabaseStorage, DatabaseBackups, DatabaseExtensions {
  async missingFor(): Promise<string> {
    return REFUSAL;
  }

  async externalHostFor(): Promise<ExternalHost> {
    return { refusal: REFUSAL };
  }

  async isRunning(): Promise<boolean> {
    return false;
  }

  async isBusy(): Promise<boolean> {
    return false;
  }

  async usageOf(): Promise<DatabaseUsage | undefined> {
    return undefined;
  }

  async recoveryOf(): Promise<undefined> {
    return undefined;
  }

  async enforceStorage(): Promise<StorageState | undefined> {
    return undefined;
  }

  async extensionsOf(): Promise<readonly DatabaseExtension[] | undefined> {
    return undefined;
  }

  async enableExtension(): Promise<string> {
    return REFUSAL;
  }

  reserve(): Promise<never> {
    return refuse();
  }

  ensure(): Promise<void> {
    return refuse();
  }

  backUp(): Promise<StoredBackup> {
    return refuse();
  }

  restore(): Promise<void> {
    return refuse();
  }

  /** There is nothing to remove. */
  async remove(): Promise<void> {}
  async retain(): Promise<void> {}
  async retainBackups(): Promise<void> {}
}

const refuse = (): Promise<never> => Promise.reject(new Error(REFUSAL));
