import { defineSettings } from '@postern/service-host/config';
import { networkSettings } from '../sandbox/network/network-settings.js';
import { type MachineNetworks, machineNetworks } from '../sandbox/network/open-networks.js';

/** The networks of a test's home, with the default settings. @param gatewayPort the port of the test server that replaces the API gateway. */
export const testNetworks = (home: string, gatewayPort = 8080): Promise<MachineNetworks> =>
  machineNetworks(
    home,
    defineSettings(networkSettings).read({ POSTERN_PLATFORM_GATEWAY_ADDRESSES: `127.0.0.1:${gatewayPort}` }),
  );
