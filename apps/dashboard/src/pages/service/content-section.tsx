import type { EmailContent, EmailFile } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { DataTable } from '../../components/data-table.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Section } from '../../components/page.js';
import { ScrollableText } from '../../components/scrolling.js';
import { ToggleGroup } from '../../components/toggle-group.js';
import { formatBytes } from '../../formatting.js';
import { useLoading } from '../../loading.js';
import { useQuery } from '../../router.js';
import { hasRemoteImages } from './framed-html.js';
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
              {part === 'html' ? (
                <Html key={path} html={value.html} path={path} />
              ) : (
                <ContentPart of={value} part={part} />
              )}
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

/** Asks before it loads remote images, which tell their server that somebody looks at the message. */
const Html = ({ html, path }: { readonly html: string | null; readonly path: string }) => {
  const [showsImages, setShowsImages] = useState(false);
  if (html === null) return <EmptyState>The message has no HTML body.</EmptyState>;
  return (
    <>
      <p class="hint">
        As you sent it, without tracking. Scripts are not loaded, and links are disabled.{' '}
        {showsImages ? 'Images of other servers are loaded over HTTPS.' : 'Images of other servers are not loaded.'}
      </p>
      {hasRemoteImages(html) && !showsImages && (
        <div class="actions">
          <button type="button" onClick={() => setShowsImages(true)}>
            Load remote images
          </button>
        </div>
      )}
      <MailFrame
        title="HTML body of the message"
        html={html}
        remote={showsImages ? `/dashboard/api${path}/preview` : undefined}
      />
    </>
  );
};

const ContentPart = ({ of: content, part }: { readonly of: EmailContent; readonly part: Exclude<Part, 'html'> }) => {
  switch (part) {
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
