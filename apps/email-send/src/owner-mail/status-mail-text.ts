import type { Problem, WorkspaceStatus } from '@postern/contracts';
import { plainName } from '../system-mail/plain-name.js';
import { plainSentence } from './plain-sentence.js';

/** More problems are on the home page. */
const MAX_PROBLEMS = 20;
const MAX_SENTENCE = 400;

/** The daily mail about a workspace, in plain text. Its only links are those to the dashboard. */
export const statusMailText = (
  { problems, unchecked }: WorkspaceStatus,
  workspaceName: string,
  dashboardUrl: string,
): { readonly subject: string; readonly text: string } => {
  const name = plainName(workspaceName) || 'without a plain name';
  const count = problems.length === 1 ? '1 thing needs you' : `${problems.length} things need you`;
  const more = problems.length - MAX_PROBLEMS;
  const lines = [
    `${count} in the workspace "${name}".`,
    ...problems.slice(0, MAX_PROBLEMS).flatMap(problem => ['', ...linesOf(problem, dashboardUrl)]),
    ...(more > 0 ? ['', `${more} more on the home page:`, dashboardUrl] : []),
    ...(unchecked.length > 0 ? ['', `Not checked: ${unchecked.join(', ')}.`] : []),
    '',
    'You get this email at most once a day, because you are an owner of the workspace and something in it needs somebody.',
    'Turn it off:',
    `${dashboardUrl}/account`,
    '',
  ];
  return { subject: `${count}: ${name}`, text: lines.join('\n') };
};

const linesOf = ({ severity, message, fix, page }: Problem, dashboardUrl: string): string[] => [
  `${severity === 'error' ? 'Problem' : 'Warning'}: ${plainSentence(message, MAX_SENTENCE)}`,
  plainSentence(fix, MAX_SENTENCE),
  `${dashboardUrl}${page}`,
];
