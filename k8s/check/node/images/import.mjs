/** Gives the node its images, as a registry would. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const importImages = async ({ programs, folder }) => {
  const args = ['--address', '/run/containerd/containerd.sock', '--namespace', 'k8s.io', 'images', 'import', '--local'];
  await promisify(execFile)(programs.ctr, [...args, join(folder, 'images.tar')], { maxBuffer: 2 ** 26 });
};
