/** The commands of a Procfile by their process types. */
export const processTypes = (text: string): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Za-z0-9_-]+):[ \t]*(\S.*)$/gm)].map(([, type = '', command = '']) => [
      type,
      command.trim(),
    ]),
  );

/** The lines of the build log about a Procfile; empty without one. */
export const procfileRules = (text: string): readonly string[] => {
  const { web, release, ...others } = processTypes(text);
  const names = Object.keys(others);
  return [
    ...(web === undefined ? [] : [`Procfile found: web is started by ${web}`]),
    ...(names.length === 0
      ? []
      : [`Procfile: ${names.join(', ')} found; the setting "processes" determines how many of them run`]),
    ...(release === undefined ? [] : ['Procfile: release found; it runs if it is set as release_command']),
  ];
};
