/** What the API accepts as a phrase. */
export const MAX_PHRASE = 300;

const ADDRESS = /<?[^\s<>"'(),;:]*@[^\s<>"'(),;]*>?/;
const CODES = /^[45]\d\d(?:[ -]+|$)(?:[45]\.\d+\.\d+(?:[ -]+|$))?/;

/** The longest part of a reply without its codes and addresses, so that it also occurs in replies about other recipients. */
export const suggestedPhrase = (reply: string): string => {
  const parts = reply.split(ADDRESS).map(part =>
    part
      .trim()
      .replace(CODES, '')
      .replace(/^[:,;\s]+|[:,;\s]+$/g, ''),
  );
  const longest = parts.reduce((found, part) => (part.length > found.length ? part : found), '');
  return longest.slice(0, MAX_PHRASE);
};
