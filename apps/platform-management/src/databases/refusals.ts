import { Refusal } from '@postern/contracts/refusal';

export const variableInUse = (variable: string): Refusal =>
  new Refusal(
    'variable_in_use',
    `the web service has the variable ${variable} already; delete it, or choose another name for the attachment`,
  );

export const databaseNotRunning = (): Refusal =>
  new Refusal('database_not_running', 'the database does not run; try again when its status is running');
