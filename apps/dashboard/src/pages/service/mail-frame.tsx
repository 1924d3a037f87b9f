import { ToggleGroup } from '../../components/toggle-group.js';
import { useQuery } from '../../router.js';
import { framedHtml } from './framed-html.js';

const THEMES = [
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
const WIDTHS = [
  ['wide', 'Desktop'],
  ['narrow', 'Phone'],
] as const;

interface MailFrameProps {
  readonly title: string;
  readonly html: string;
  readonly remote?: string | undefined;
}

/**
 * The HTML of a message as a mail program shows it, light or dark, wide or narrow; the choice is in the URL. The colour scheme of the
 * frame is what `prefers-color-scheme` of the message sees, and a message that declares no dark colours stays light. With
 * `remote`, the frame loads the message from there, with a policy that allows remote images.
 */
export const MailFrame = ({ title, html, remote }: MailFrameProps) => {
  const [{ theme, width }, setQuery] = useQuery(['theme', 'width']);
  const scheme = theme === 'dark' ? 'dark' : 'light';
  const isNarrow = width === 'narrow';
  return (
    <>
      <div class="filters">
        <ToggleGroup
          label="Colour scheme of the mail program"
          options={THEMES}
          value={scheme}
          onChoice={choice => setQuery({ theme: choice === 'dark' ? choice : '' })}
        />
        <ToggleGroup
          label="Width of the mail program"
          options={WIDTHS}
          value={isNarrow ? 'narrow' : 'wide'}
          onChoice={choice => setQuery({ width: choice === 'narrow' ? choice : '' })}
        />
      </div>
      <iframe
        class={isNarrow ? 'mail narrow' : 'mail'}
        style={{ colorScheme: scheme }}
        title={title}
        sandbox=""
        key={remote}
        {...(remote === undefined ? { srcdoc: framedHtml(html) } : { src: remote })}
      />
    </>
  );
};
