import { type Change, type Line, type Lines, troubles } from './lines.js';

const ICONS = { good: '✓', warning: '!', bad: '✗' } as const;
const MAX_SUBJECT = 120;

export interface Notice {
  readonly subject: string;
  readonly text: string;
}

const lineText = (check: string, { verdict, found, advice }: Line): string[] => [
  `${ICONS[verdict]} ${check}: ${found}`,
  ...(verdict === 'good' || advice === undefined ? [] : [`    ${advice}`]),
];

const changeText = ({ check, before, after }: Change): string[] => {
  if (!after) return [`✓ ${check}: is not checked any more`];
  const [first = '', ...rest] = lineText(check, after);
  const was = before && before.verdict !== after.verdict ? ` (was ${ICONS[before.verdict]})` : '';
  return [`${first}${was}`, ...rest];
};

const verdictOf = ({ after }: Change) => after?.verdict ?? 'good';

const summaryOf = (changes: readonly Change[]): string => {
  const named = (verdicts: readonly string[]) =>
    changes.filter(change => verdicts.includes(verdictOf(change))).map(({ check }) => check);
  const [wrong, well] = [named(['bad', 'warning']), named(['good'])];
  return [
    ...(wrong.length > 0 ? [`check ${wrong.join(', ')}`] : []),
    ...(well.length > 0 ? [`${well.join(', ')} ${well.length === 1 ? 'is' : 'are'} good again`] : []),
  ].join('; ');
};

/** The message to the operator about lines that changed, with everything else that is not good. */
export const noticeOf = (host: string, changes: readonly Change[], lines: Lines): Notice => {
  const subject = `${host}: ${summaryOf(changes)}`;
  const changed = new Set(changes.map(({ check }) => check));
  const others = troubles(lines).filter(({ check }) => !changed.has(check));
  return {
    subject: subject.length > MAX_SUBJECT ? `${subject.slice(0, MAX_SUBJECT - 1)}…` : subject,
    text: [
      `The hourly check of ${host} found ${changes.length === 1 ? 'a change' : `${changes.length} changes`}:`,
      '',
      ...changes.flatMap(changeText),
      ...(others.length > 0
        ? ['', 'As before:', '', ...others.flatMap(({ check, ...line }) => lineText(check, line))]
        : []),
      '',
      `Everything that is checked: https://${host}/system, or "postern check" on the server.`,
      'You get a message when a line changes.',
      '',
    ].join('\n'),
  };
};
