/** `worker=2, mailer=1` for the setting `processes`. */
export const formatProcesses = (processes: Readonly<Record<string, number>>): string =>
  Object.entries(processes)
    .map(([type, count]) => `${type}=${count}`)
    .join(', ');

/** The API refuses invalid numbers. */
export const parseProcesses = (text: string): Record<string, number> =>
  Object.fromEntries(
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(each => {
        const [type = '', count = ''] = each.split('=');
        return [type, count === '' ? Number.NaN : Number(count)];
      }),
  );
