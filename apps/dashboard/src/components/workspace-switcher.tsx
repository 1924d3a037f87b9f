import type { Workspace } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../api-client.js';
import { useAction } from '../loading.js';
import { navigate } from '../router.js';
import { useSignedIn } from '../session.js';
import { Choice } from './form.js';
import { NewWorkspace } from './new-workspace.js';
import { ErrorNotice } from './notice.js';

const NEW = 'new';

/** Selects the active workspace and creates new ones. */
export const WorkspaceSwitcher = () => {
  const { me, reload } = useSignedIn();
  const [creating, setCreating] = useState(false);
  const switchTo = useAction(async (workspaceId: string) => {
    await api.post<Workspace>('/session/workspace', { workspace_id: workspaceId });
    setCreating(false);
    navigate('/');
    reload();
  });
  const options = me.workspaces.map(({ id, name }) => [id, name] as const);
  return (
    <div class="workspaces">
      <Choice
        label="Workspace"
        hideLabel
        value={creating ? NEW : me.active_workspace.id}
        options={[...options, [NEW, 'New workspace…']]}
        onChoice={choice => (choice === NEW ? setCreating(true) : switchTo.run(choice))}
      />
      <ErrorNotice error={switchTo.error} />
      {creating && (
        <NewWorkspace onCreated={workspace => switchTo.run(workspace.id)} onCancelled={() => setCreating(false)} />
      )}
    </div>
  );
};
