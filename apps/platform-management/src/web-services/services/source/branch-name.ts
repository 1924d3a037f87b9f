import { Refusal } from '@postern/contracts/refusal';

/** Control characters, spaces, and characters with a meaning in Git revisions. */
const FORBIDDEN = /[\x00-\x20\x7f~^:?*[\\]/;

/**
 * Validates the name of a branch by the rules of git-check-ref-format(1) with `--branch`: no leading hyphen.
 * @throws Refusal `invalid_input` with a message that begins with the field's name.
 */
export function branchName(text: string): string {
  const reason = whyNotABranch(text);
  if (reason) throw new Refusal('invalid_input', `branch: ${reason}`);
  return text;
}

function whyNotABranch(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name.startsWith('-')) return 'must not begin with -';
  if (!name.isWellFormed()) return 'is not well-formed Unicode';
  if (FORBIDDEN.test(name)) return 'must not contain spaces, control characters or any of ~ ^ : ? * [ \\';
  if (name.includes('..')) return 'must not contain ..';
  if (name.includes('@{')) return 'must not contain @{';
  if (name === '@' || name === 'HEAD') return `${name} is not a branch name`;
  if (name.endsWith('.')) return 'must not end with a dot';
  const parts = name.split('/');
  if (parts.includes('')) return 'must not begin or end with / nor hold //';
  if (parts.some(part => part.startsWith('.'))) return 'no part of it may begin with a dot';
  if (parts.some(part => part.endsWith('.lock'))) return 'no part of it may end with .lock';
  return undefined;
}
