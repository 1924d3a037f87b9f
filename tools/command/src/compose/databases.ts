import { type ComposeFile, isSection, listOf } from './compose-file.js';
import { type DatabaseImage, databaseOfImage, isUnsupportedDatabase } from './database-images.js';
import type { Report } from './report.js';

/** A service that becomes a database. */
export interface ConvertedDatabase {
  /** Its name in the workspace. Databases of all projects are in it, so the name contains the project. */
  readonly database: string;
  readonly image: DatabaseImage;
}

/** The services of official database images, by their names. */
export const databasesOf = (
  { services }: ComposeFile,
  project: string,
  report: Report,
): ReadonlyMap<string, ConvertedDatabase> => {
  const databases = new Map<string, ConvertedDatabase>();
  for (const [name, service] of Object.entries(services)) {
    if (service['image'] === undefined || service['build'] !== undefined) continue;
    const reference = String(service['image']);
    if (isUnsupportedDatabase(reference))
      report.refuse(
        `services.${name}.image`,
        `Postern has PostgreSQL and key-value stores, and not ${reference}. Use one of them, or a server elsewhere with its URL in environment.`,
      );
    const image = databaseOfImage(reference);
    if (!image) continue;
    const database = `${project}-${name}`;
    databases.set(name, { database, image });
    report.note(
      `${name} becomes the ${image.technology} ${database}, with a user, a password and settings of Postern: ${settingsOf(service)} not used.`,
    );
    if (image.extension !== undefined)
      report.note(
        `Enable the extension of ${name} when it runs: postern databases enable-extension ${database} ${image.extension}`,
      );
    if (service['profiles'] !== undefined)
      report.refuse(`services.${name}.profiles`, 'Every service of the file runs. Remove profiles.');
    if (listOf(service['volumes']).some(mountsFiles))
      report.refuse(
        `services.${name}.volumes`,
        'Files of your machine are not mounted into a database. Remove the mount, and create tables in a release_command.',
      );
  }
  return databases;
};

const settingsOf = (service: object): string => {
  const found = ['environment', 'env_file', 'command', 'ports'].filter(key => Object.hasOwn(service, key));
  return found.length === 0 ? 'those of the image are' : `its ${found.join(', ')} ${found.length === 1 ? 'is' : 'are'}`;
};

const mountsFiles = (volume: unknown): boolean =>
  isSection(volume) ? volume['type'] === 'bind' : /^[./~]/.test(String(volume)) && String(volume).includes(':');
