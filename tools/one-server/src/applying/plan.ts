import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, readConfiguration, type ServiceSettings } from '../configuration/read-configuration.js';
import { machineFacts } from '../machine/facts.js';
import { readIfExists, readJson } from '../machine/files.js';
import { SecretStore } from '../machine/secret-store.js';
import { derivedSettings } from '../rendering/environment.js';
import type { Machine, Model, RenderedFile, Service } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { renderFiles } from '../rendering/render.js';
import { ONE_SERVER, type Site } from '../rendering/site.js';
import { type Change, changesOf, recordedFiles } from './changes.js';

/** The folder of the release that this program is a part of. */
export const RELEASE = join(import.meta.dirname, '../../../..');

export interface Plan {
  readonly model: Model;
  readonly files: readonly RenderedFile[];
  readonly changes: readonly Change[];
}

/** The settings of the services of this release, which the bundle contains. */
const serviceSettings = (): ServiceSettings => readJson<ServiceSettings>(join(RELEASE, 'settings.json')) ?? {};

/** The major version of PostgreSQL that wrote the data. */
export const dataVersion = (): string | undefined => readIfExists(join(PLACES.postgres, 'PG_VERSION'))?.trim();

const configurationText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError([
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}); write it as docs/install.md shows`,
    ]);
  }
};

/** Reads and validates the configuration. @throws ConfigurationError with all problems, before anything is written. */
export const readModel = (machine: Machine, path: string = PLACES.configuration, site: Site = ONE_SERVER): Model => {
  const text = configurationText(path);
  const settings = serviceSettings();
  const configuration = readConfiguration(text, settings);
  // What is derived depends on the rest of the file, which is valid now.
  readConfiguration(text, settings, service => derivedSettings(service as Service, { configuration, machine }, site));
  const problems = new SecretStore().problems(configuration);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return { configuration, machine };
};

/** What `postern config apply` would do. */
export const planOf = async (path?: string): Promise<Plan> => {
  const model = readModel(await machineFacts(dataVersion()), path);
  const files = renderFiles(model);
  return { model, files, changes: changesOf(files, recordedFiles()) };
};
