import { encryptionKeys } from '@postern/service-host/config';

/** Settings of stored secrets, spread into the service's configuration. */
export const encryptionSettings = {
  encryptionKeys: encryptionKeys(),
};
