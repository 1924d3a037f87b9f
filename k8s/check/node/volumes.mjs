/** Local folders of the node as volumes, because the cluster has no volume provisioner. */
import { mkdirSync } from 'node:fs';
import { NODE_NAME } from './settings.mjs';

const NODE = { key: 'kubernetes.io/hostname', operator: 'In', values: [NODE_NAME] };

/** Creates an empty volume that any PersistentVolumeClaim of that size can bind. */
export const addVolume = async ({ cluster, folder }, name, storage) => {
  const path = `${folder}/volumes/${name}`;
  mkdirSync(path, { recursive: true });
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [NODE] }] } },
    },
  });
};
