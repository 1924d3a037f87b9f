import { isSection, listOf, type Section } from './compose-file.js';
import { isInFolder, pathInRepository } from './paths.js';
import type { Report } from './report.js';

/** Where every disk is. */
export const DISK_PATH = '/data';

interface Volume {
  readonly source: string | undefined;
  readonly target: string;
  readonly type: string;
}

/**
 * The named volume that becomes the disk of a service. `context` is the folder that its image is built from, and `folder` that of the
 * Compose file.
 */
export const diskOf = (
  name: string,
  service: Section,
  { context, folder }: { readonly context: string | undefined; readonly folder: string },
  report: Report,
): string | undefined => {
  const path = `services.${name}.volumes`;
  const disks: Volume[] = [];
  for (const volume of listOf(service['volumes']).map(volumeOf)) {
    const { source, target, type } = volume;
    if (type === 'bind') {
      const from = pathInRepository(folder, source ?? '');
      if (context !== undefined && from !== undefined && isInFolder(from, context))
        report.note(`The mount of ${source} in ${name} is ignored: the image contains the files of the repository.`);
      else
        report.refuse(
          path,
          `${source} is a file or folder of your machine. Copy it in the Dockerfile, or use postern files for a secret file.`,
        );
    } else if (type === 'volume' && source === undefined)
      report.note(`The volume ${target} of ${name} is ignored: what an instance writes is gone when it stops.`);
    else if (type === 'volume') disks.push(volume);
    else if (type !== 'tmpfs' || target !== '/tmp')
      report.refuse(path, `A volume of the type ${type} is not supported. Instances can write to /tmp. Remove it.`);
  }
  const [disk, ...others] = disks;
  if (others.length > 0)
    report.refuse(path, 'A web service has one disk. Keep the files of all volumes in folders of one.');
  else if (disk && disk.target.replace(/\/+$/, '') !== DISK_PATH)
    report.refuse(
      path,
      `The disk of a web service is at ${DISK_PATH}, not at ${disk.target}. Mount ${disk.source} at ${DISK_PATH}, and have the application use DISK_PATH.`,
    );
  return disk?.source;
};

const volumeOf = (entry: unknown): Volume => {
  if (isSection(entry)) {
    const { type = 'volume', source, target } = entry;
    return { type: String(type), source: source ? String(source) : undefined, target: String(target) };
  }
  const [first = '', second] = String(entry).split(':');
  if (second === undefined) return { type: 'volume', source: undefined, target: first };
  return { type: /^[./~]/.test(first) ? 'bind' : 'volume', source: first, target: second };
};
