import type { ServicePlan } from '@postern/runtime';
import type { Manifest } from './kinds.js';
import { diskName, LABEL } from './names.js';
import { fingerprinted, named, type ServiceObjectSettings } from './service-objects.js';

/** The disk of a web service, which exists as long as the web service; undefined if the plan has none. */
export const diskClaim = (
  { webServiceId, disk }: ServicePlan,
  { storageClass }: ServiceObjectSettings,
): Manifest | undefined =>
  disk &&
  fingerprinted({
    ...named('PersistentVolumeClaim', diskName(webServiceId), { [LABEL.webService]: webServiceId }),
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: `${disk.sizeMib}Mi` } },
      ...(storageClass && { storageClassName: storageClass }),
    },
  });
