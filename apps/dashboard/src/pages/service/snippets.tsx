import { LANGUAGES, type Language } from '@postern/contracts/request-samples';
import { useState } from 'preact/hooks';
import { CopyButton } from '../../components/copy-button.js';
import { ScrollableText } from '../../components/scrolling.js';
import { ToggleGroup } from '../../components/toggle-group.js';
import { type Example, sendSnippet } from './send-snippets.js';
import { type ReceiverLanguage, VERIFICATION_SNIPPETS } from './verification-snippets.js';

const STORED = 'postern-language';

/** The last language that the user selected, on any page. */
const useLanguage = (): [Language, (language: Language) => void] => {
  const [language, setLanguage] = useState<Language>(
    () => LANGUAGES.find(([known]) => known === localStorage.getItem(STORED))?.[0] ?? 'curl',
  );
  return [
    language,
    chosen => {
      localStorage.setItem(STORED, chosen);
      setLanguage(chosen);
    },
  ];
};

/** How to send a message, in the chosen language. */
export const SendSnippet = ({ example }: { readonly example: Example }) => {
  const [language, choose] = useLanguage();
  return (
    <div class="snippet">
      <ToggleGroup label="Language" options={LANGUAGES} value={language} onChoice={choose} />
      <Code>{sendSnippet(language, example)}</Code>
    </div>
  );
};

const RECEIVER_LANGUAGES = LANGUAGES.filter(
  (entry): entry is Exclude<(typeof LANGUAGES)[number], readonly ['curl', string]> => entry[0] !== 'curl',
);

/** How a receiver verifies the signature of a webhook request, in the chosen language. */
export const VerificationSnippet = () => {
  const [language, choose] = useLanguage();
  const shown: ReceiverLanguage = language === 'curl' ? 'node' : language;
  return (
    <div class="snippet">
      <ToggleGroup label="Language" options={RECEIVER_LANGUAGES} value={shown} onChoice={choose} />
      <Code>{VERIFICATION_SNIPPETS[shown]}</Code>
    </div>
  );
};

const Code = ({ children }: { readonly children: string }) => (
  <div class="copy-line top">
    <ScrollableText>{children}</ScrollableText>
    <CopyButton text={children} what="the example" />
  </div>
);
