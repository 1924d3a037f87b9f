/** The URL that a request is sent to: origin, path and query, encoded. */
export const calledUrl = ({ origin, pathname, search }: URL): string => `${origin}${pathname}${search}`;
