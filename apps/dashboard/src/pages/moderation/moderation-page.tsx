import { Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { SearchField } from '../../components/search-field.js';
import { ToggleGroup } from '../../components/toggle-group.js';
import { useListState } from '../../list-state.js';
import { useSignedIn } from '../../session.js';
import { FoundEmailServices } from './found-email-services.js';
import { FoundWebServices } from './found-web-services.js';
import { FoundWorkspaces } from './found-workspaces.js';

const LISTS = {
  'web-services': {
    title: 'Web services',
    label: 'Name, URL, custom domain, workspace or ID',
    List: FoundWebServices,
  },
  'email-services': {
    title: 'Email services',
    label: 'Name, sending domain, or ID of the service or workspace',
    List: FoundEmailServices,
  },
  workspaces: { title: 'Workspaces', label: 'Name, member’s email address, or ID', List: FoundWorkspaces },
} as const;
type ListName = keyof typeof LISTS;

const isListName = (name: string): name is ListName => Object.hasOwn(LISTS, name);

/** Administrators can find, block and limit what every user has. */
export const ModerationPage = () => {
  const { me } = useSignedIn();
  return (
    <Page title="Moderation">
      {me.operator ? (
        <Moderation />
      ) : (
        <Notice kind="warning">
          Only administrators can find and block what other users have. Ask your administrator.
        </Notice>
      )}
    </Page>
  );
};

const Moderation = () => {
  const list = useListState(['list', 'search']);
  const { search = '', list: chosen = '' } = list.filter;
  const name = isListName(chosen) ? chosen : 'web-services';
  const { label, List } = LISTS[name];
  return (
    <>
      <div class="filters">
        <ToggleGroup
          label="List"
          value={name}
          options={Object.entries(LISTS).map(([option, { title }]) => [option as ListName, title] as const)}
          onChoice={next => list.setFilter({ list: next, search: '' })}
        />
        <SearchField label={label} value={search} onSearch={text => list.setFilter({ search: text })} />
      </div>
      <List key={name} list={list} />
    </>
  );
};
