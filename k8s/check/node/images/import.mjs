/** Imports images into the node's containerd, in place of a registry. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const importImages = async ({ programs, folder }) => {
  const args = ['--address', '/run/containerd/containerd.sock', '--namespace', 'k8s.io', 'images', 'import', '--local'];
  await promisify(execFile)(programs.ctr, [...args, join(folder, 'images.tar')], { maxBuffer: 2 ** 26 });
};
