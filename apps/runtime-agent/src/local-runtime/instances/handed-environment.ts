/**
 * Reads the user's variables from stdin inside the confinement; an `exec "$@"` follows. In the environment of the
 * processes before it, an LD_PRELOAD or PATH of a user would run code with the permissions of Postern.
 */
export const TAKE_ENVIRONMENT = `posternGiven=$(cat)
case $posternGiven in *'#whole') ;; *) exit 125 ;; esac
eval "$posternGiven"
unset posternGiven
exec </dev/null`;

/** Encodes variables for `TAKE_ENVIRONMENT`, which reads them from stdin. */
export const handedEnvironment = (variables: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(variables).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`${name} is not a valid variable name`);
    if (value.includes('\0')) throw new Error(`the value of ${name} contains a NUL character`);
    return `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`;
  });
  return `${lines.join('')}#whole`;
};
