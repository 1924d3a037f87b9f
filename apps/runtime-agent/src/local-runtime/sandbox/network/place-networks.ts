import type { NameFiles } from './name-files.js';
import type { SandboxNetwork, TenantNetworks } from './tenant-network.js';

/** The networks of the places of a sandbox. */
export interface PlaceNetworks {
  readonly of: TenantNetworks;
  /** The files with which processes resolve names. */
  readonly files: NameFiles;
  /** The files for the processes of a web service, which also name the other web services of its project. */
  readonly filesOf?: (webServiceId: string) => Promise<NameFiles>;
  /** Lets the processes in the network connect to what is attached to the web service. */
  readonly permit: (webServiceId: string, network: SandboxNetwork) => Promise<void>;
}
