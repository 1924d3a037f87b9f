import { v7 as uuidv7 } from 'uuid';
import { type Account, AccountDirectory, type AccountPage } from '../accounts/users/ports.js';
import { type ProjectOwner, ProjectOwners } from '../projects/ports.js';
import { type Configuration, ConfigurationNotFound, ReleaseConfigurations } from '../web-services/environment/ports.js';
import { repeatedConfiguration } from '../web-services/environment/repeated-configuration.js';

export const OWNER = uuidv7();
export const OPERATOR = uuidv7();
export const PROJECT = uuidv7();
export const WORKSPACE = uuidv7();

/** `OWNER` in `WORKSPACE`, as the gateway sends them. */
export const CALLER = { user_id: OWNER, workspace_id: WORKSPACE };
export const ofService = (web_service_id: string) => ({ ...CALLER, web_service_id });

/** Contains one project, `PROJECT` of `OWNER`. */
export class FakeProjects extends ProjectOwners {
  override async ownerOf(projectId: string): Promise<ProjectOwner | undefined> {
    return projectId === PROJECT ? { workspaceId: WORKSPACE } : undefined;
  }
}

/** Finds every account; `OPERATOR` is an operator. */
export class FakeAccounts extends AccountDirectory {
  override async find(id: string): Promise<Account | undefined> {
    return { id, email: 'ada@example.com', operator: id === OPERATOR, createdAt: new Date(), workspaces: [] };
  }
  override async addressOf(): Promise<string> {
    return 'ada@example.com';
  }
  override async mailsOf() {
    return { serviceMails: true, statusMails: true };
  }
  override async hasSecondFactor(): Promise<boolean> {
    return false;
  }
  override async list(): Promise<AccountPage> {
    return { total: 0, accounts: [] };
  }
}

/**
 * Configurations in memory, shared by all replicas. Tests set the current configuration as `today`, and the variables of attached
 * databases as `attached`.
 */
export class FakeConfigurations extends ReleaseConfigurations {
  today: Configuration = { environment: {}, secrets: [], sources: {} };
  attached: Configuration['environment'] = {};
  readonly sealed = new Map<string, Configuration>();
  /** Why stored configurations cannot be read. */
  failure: Error | undefined;

  override async current(): Promise<Configuration> {
    return this.today;
  }
  override async repeated(_: string, id: string): Promise<Configuration> {
    const attached = Object.entries(this.attached);
    return repeatedConfiguration(
      await this.open(id),
      attached.map(([variable, url]) => ({ variable, url, password: url })),
    );
  }
  override async seal(_: string, id: string, configuration: Configuration): Promise<void> {
    this.sealed.set(id, configuration);
  }
  override async open(id: string): Promise<Configuration> {
    if (this.failure) throw this.failure;
    const configuration = this.sealed.get(id);
    if (!configuration) throw new ConfigurationNotFound(id);
    return configuration;
  }
  override async delete(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.sealed.delete(id);
  }
}
