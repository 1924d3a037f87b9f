import { Injectable } from '@nestjs/common';
import { deploymentOf, type WebService } from '../services/aggregate/state.js';
import { WebServiceUrls } from '../services/web-service-urls.js';
import type { Configuration } from './ports.js';

/** What a process runs; `branch` is that of the deployment if absent. */
export interface RunningVersion {
  readonly deploymentId: string;
  readonly commit: string;
  readonly branch?: string | null;
}

/** Adds the variables that tell a process its commit, branch, web service, deployment and public URL. */
@Injectable()
export class PlatformVariables {
  constructor(private readonly urls: WebServiceUrls) {}

  async addTo(configuration: Configuration, state: WebService, version: RunningVersion): Promise<Configuration> {
    const { id, settings } = state;
    const deployment = deploymentOf(state, version.deploymentId);
    const { deploymentId, branch = deployment?.branch } = version;
    const commit = deployment?.upload || deployment?.image ? undefined : version.commit;
    return withPlatformVariables(configuration, {
      POSTERN_SERVICE_ID: id,
      POSTERN_SERVICE_NAME: settings!.name,
      POSTERN_DEPLOYMENT_ID: deploymentId,
      POSTERN_GIT_COMMIT: commit,
      POSTERN_GIT_BRANCH: branch,
      POSTERN_PUBLIC_URL: await this.urls.of({ id: id!, name: settings!.name }),
    });
  }
}

/** A variable that the user set before its name was reserved keeps its value. An unknown value adds no variable. */
export function withPlatformVariables(
  configuration: Configuration,
  variables: Readonly<Record<string, string | null | undefined>>,
): Configuration {
  const { environment, sources } = configuration;
  const added = Object.entries(variables).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !Object.hasOwn(environment, entry[0]),
  );
  return {
    ...configuration,
    environment: { ...environment, ...Object.fromEntries(added) },
    sources: { ...sources, ...Object.fromEntries(added.map(([name]) => [name, 'platform' as const])) },
  };
}
