import type { EmailContent, EmailFile } from '@postern/contracts';
import { api } from '../../api-client.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { ScrollableText } from '../../components/scrolling.js';
import { ToggleGroup } from '../../components/toggle-group.js';
import { formatBytes } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { useQuery } from '../../router.js';
import { MailFrame } from './mail-frame.js';

const PARTS = [
  ['html', 'HTML'],
  ['text', 'Text'],
  ['headers', 'Headers'],
  ['raw', 'Source'],
] as const;
type Part = (typeof PARTS)[number][0];

/** HTML, text, headers and source of a message while they are kept; the part that is shown is in the URL. */
export const ContentSection = ({ path }: { readonly path: string }) => {
  const content = useLoading<EmailContent>(signal => api.get(`${path}/content`, {}, signal), [path]);
  const [query, setQuery] = useQuery(['part']);
  const part: Part =
    PARTS.find(([name]) => name === query.part)?.[0] ?? (content.value?.html === null ? 'text' : 'html');
  return (
    <Section title="Content">
      {content.error?.status === 410 ? (
        <EmptyState>The content of this message is no longer stored.</EmptyState>
      ) : (
        <Loaded of={content}>
          {value => (
            <>
              <ToggleGroup
                label="Part of the message"
                options={PARTS}
                value={part}
                onChoice={name => setQuery({ part: name })}
              />
              <ContentPart of={value} part={part} />
              <Attachments of={value.attachments ?? []} />
            </>
          )}
        </Loaded>
      )}
    </Section>
  );
};

const Attachments = ({ of: files }: { readonly of: readonly EmailFile[] }) =>
  files.length === 0 ? null : (
    <>
      <h3>Attachments</h3>
      <DataTable
        caption="Files of the message"
        rows={files}
        keyOf={file => String(files.indexOf(file))}
        columns={[
          {
            title: 'Name',
            cell: file => (
              <span class="long">
                <strong>{file.filename ?? 'No name'}</strong>{' '}
                {file.is_inline && <small class="hint">shown inline</small>}
              </span>
            ),
          },
          { title: 'Type', cell: file => <code>{file.content_type}</code> },
          { title: 'Size', cell: file => formatBytes(file.size_bytes), numeric: true },
        ]}
      />
    </>
  );

const ContentPart = ({ of: content, part }: { readonly of: EmailContent; readonly part: Part }) => {
  switch (part) {
    case 'html':
      return content.html === null ? (
        <EmptyState>The message has no HTML body.</EmptyState>
      ) : (
        <>
          <p class="hint">
            As you sent it, without tracking. Remote images and scripts are not loaded, and links are disabled.
          </p>
          <MailFrame title="HTML body of the message" html={content.html} />
        </>
      );
    case 'text':
      return content.text === null ? (
        <EmptyState>The message has no text body.</EmptyState>
      ) : (
        <ScrollableText class="tall">{content.text}</ScrollableText>
      );
    case 'headers':
      return (
        <dl class="record">
          {Object.entries(content.headers).flatMap(([name, value]) => [
            <dt key={name}>{name}</dt>,
            <dd key={`${name} value`} class="long">
              {value}
            </dd>,
          ])}
        </dl>
      );
    case 'raw':
      return (
        <>
          <p class="hint">Without signatures, tracking links and tracking pixel, which differ for each recipient.</p>
          <ScrollableText class="tall">{content.raw}</ScrollableText>
        </>
      );
  }
};
