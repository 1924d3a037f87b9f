import type { ManagementKey, Me, Member, PlatformKey } from '@postern/contracts';
import { api } from '../api-client.js';
import { useLoading } from '../loading.js';

type Option = readonly [id: string, label: string];

const TYPES: readonly Option[] = [
  ['deploy_hook', 'Any deploy hook'],
  ['operator', 'The operator of this installation'],
  ['system', 'Postern itself'],
  ['unknown', 'Unknown callers'],
];

interface Known {
  readonly members: readonly Pick<Member, 'id' | 'email' | 'status'>[] | undefined;
  readonly platformKeys: readonly Pick<PlatformKey, 'id' | 'name'>[] | undefined;
  readonly managementKeys: readonly Pick<ManagementKey, 'id' | 'name'>[] | undefined;
}

/** Whom the entries can be filtered by. One who is not known any more stays chosen by id. */
export const actorOptions = ({ members, platformKeys, managementKeys }: Known, chosen: string): readonly Option[] => {
  const options: Option[] = [
    ['', 'Anybody'],
    ...(members ?? []).filter(({ status }) => status === 'active').map(({ id, email }): Option => [id, email]),
    ...(platformKeys ?? []).map(({ id, name }): Option => [id, `Platform key ${name}`]),
    ...(managementKeys ?? []).map(({ id, name }): Option => [id, `Management key ${name}`]),
    ...TYPES,
  ];
  return options.some(([id]) => id === chosen) ? options : [...options, [chosen, chosen]];
};

/** Keys are listed for owners only. */
export const useActorOptions = ({ active_workspace: { id, role } }: Me, chosen: string): readonly Option[] => {
  const members = useLoading<Member[]>(signal => api.get(`/workspaces/${id}/members`, {}, signal), [id]);
  const ofOwner = <Key>(path: string) =>
    useLoading<Key[]>(async signal => ((role ?? 'owner') === 'owner' ? api.get(path, {}, signal) : []), [path, id])
      .value;
  const platformKeys = ofOwner<PlatformKey>('/platform-keys');
  const managementKeys = ofOwner<ManagementKey>('/management-keys');
  return actorOptions({ members: members.value, platformKeys, managementKeys }, chosen);
};
