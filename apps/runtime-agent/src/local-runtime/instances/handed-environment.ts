/**
 * Variables that other people have set must not be there while a command still steps down from our own rights: a
 * LD_PRELOAD or PATH among them would run their code as ours. So they are handed over through stdin, not through the
 * environment nor the arguments, to this script, which runs inside the confinement and then becomes "$@".
 */
export const TAKE_ENVIRONMENT = `posternGiven=$(cat)
case $posternGiven in *'#whole') ;; *) exit 125 ;; esac
eval "$posternGiven"
unset posternGiven
exec </dev/null`;

/** What `TAKE_ENVIRONMENT` reads from stdin. */
export const handedEnvironment = (variables: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(variables).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`${name} is no name of a variable`);
    if (value.includes('\0')) throw new Error(`the value of ${name} holds a NUL character`);
    return `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`;
  });
  return `${lines.join('')}#whole`;
};
