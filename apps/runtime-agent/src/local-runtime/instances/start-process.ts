import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SecretFiles } from '@postern/runtime';
import { type ProcessEntry, processEntry } from '../../infrastructure/process-table.js';
import { foldersOfLayer } from '../sandbox/namespaces/working-copy.js';
import { makeOwned, makePassable } from '../source/owned-folder.js';
import type { ConfinedPlace } from './confinement.js';
import { handedEnvironment } from './handed-environment.js';
import { nameUser } from './image-user.js';
import {
  areaFolder,
  areaImage,
  firstEnvironment,
  homeFolder,
  imageEnvironment,
  layerFolder,
  serviceEnvironment,
  temporaryFolder,
} from './instance-environment.js';
import type { InstanceHost } from './instance-host.js';
import { makePipes, openForInstance } from './instance-pipes.js';
import type { InstanceRecord } from './instance-record.js';
import { behindShim } from './instance-shim.js';
import type { LaunchedImage } from './instance-starter.js';
import { writeSecretFiles } from './secret-files.js';

export interface InstanceOrder {
  /** Without `process`, which has not started yet. */
  readonly record: InstanceRecord;
  readonly argv: readonly string[];
  readonly directory: string;
  readonly folder: string;
  /** Set if `directory` is the root file system of an image. */
  readonly image?: LaunchedImage;
  readonly environment: Readonly<Record<string, string>>;
  readonly files?: SecretFiles | undefined;
  readonly secrets: readonly string[];
  /** The descriptor of a terminal, which replaces stdout and stderr. */
  readonly terminal?: number | undefined;
}

/**
 * Starts the main process of an instance in its place. `read` opens the pipes for reading before the process starts.
 */
export const startProcess = async (
  host: InstanceHost,
  place: ConfinedPlace,
  order: InstanceOrder,
  read: () => Promise<void>,
): Promise<ProcessEntry & { readonly isBoxed: boolean }> => {
  const { record, argv, folder: start, environment, image, terminal } = order;
  const { id, port } = record;
  const folder = host.instanceRecords.folderOf(id);
  const view = await viewOf(host, place, order);
  const pipes = await openForInstance(folder);
  const { stdout: output, stderr: errors, exit: status } = pipes;
  try {
    await read();
    const [command = '', ...args] = view.wrap(behindShim(argv.map(each => view.pathOf(each))), start);
    const child = spawn(command, args, {
      cwd: view.startDirectory,
      env: image ? imageEnvironment(id) : firstEnvironment(id, host.path),
      stdio: ['pipe', terminal ?? output.fd, terminal ?? errors.fd, status.fd],
      detached: true,
    });
    await once(child, 'spawn');
    child.unref();
    // The process may end before it has read all of stdin. Its exit status is more informative than EPIPE.
    child.stdin?.on('error', () => {});
    const own = serviceEnvironment({ id, port, folders: view.folders, platformUrl: host.platformUrl }, environment);
    child.stdin?.end(handedEnvironment({ ...image?.environment, ...own }));
    const entry = processEntry(child.pid!);
    if (!entry) throw new Error('the process exited before it started the command');
    return { ...entry, isBoxed: view.hasNamespaces };
  } finally {
    await Promise.all(Object.values(pipes).map(pipe => pipe.close()));
  }
};

/** Creates the folders, images and pipes of an instance, and returns the view of its processes. */
const viewOf = async (host: InstanceHost, place: ConfinedPlace, order: InstanceOrder) => {
  const { record, directory: app, image, files } = order;
  const folder = host.instanceRecords.folderOf(record.id);
  const [area, temporary, home] = [areaFolder(folder), temporaryFolder(folder), homeFolder(folder)];
  await makePassable(area);
  // Only the kernel limits what is written to a layer.
  const layer = host.images && layerFolder(folder);
  const layers = layer === undefined ? [] : Object.values(foldersOfLayer(layer));
  for (const own of [temporary, home, ...layers]) await makeOwned(own, place);
  if (layer !== undefined && image) await nameUser(foldersOfLayer(layer).changes, app, image.user, place);
  await makePipes(folder, place.owner);
  const path = areaImage(folder);
  await host.images?.make({ path, content: area, bytes: host.limits.diskBytes, isKept: false });
  const disk = record.disk && (await host.disks.prepare(record.webServiceId, place, record.disk.sizeMib));
  const images = [...(host.images ? [{ path, folder: area }] : []), ...(disk?.image ? [disk.image] : [])];
  const folders = {
    app,
    appWritable: false,
    isImage: image !== undefined,
    home,
    temporary,
    images,
    ...(layer && { layer }),
  };
  const secrets = files && (await writeSecretFiles(folder, files, place));
  const view = await place.view({ ...folders, ...(disk && { disk: disk.folder }), ...(secrets && { secrets }) });
  if (secrets && !view.hasNamespaces)
    throw new Error('this machine does not isolate files, which secret files need: delete them, or use variables');
  return view;
};
