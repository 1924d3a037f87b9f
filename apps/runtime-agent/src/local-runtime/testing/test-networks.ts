import { defineSettings } from '@postern/service-host/config';
import { networkSettings } from '../sandbox/network/network-settings.js';
import { type MachineNetworks, machineNetworks } from '../sandbox/network/open-networks.js';

/** The networks of a test's home, with the default settings. */
export const testNetworks = (home: string): Promise<MachineNetworks> =>
  machineNetworks(home, defineSettings(networkSettings).read({}));
