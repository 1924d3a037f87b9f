/** The URL of a request: origin, path and query, encoded. */
export const calledUrl = ({ origin, pathname, search }: URL): string => `${origin}${pathname}${search}`;
