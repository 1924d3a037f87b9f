import { Refusal } from '@postern/contracts/refusal';

export const variableInUse = (variable: string): Refusal =>
  new Refusal(
    'variable_in_use',
    `the web service already has a variable ${variable}; delete it, or choose another name for the attachment`,
  );

export const databaseNotRunning = (): Refusal =>
  new Refusal('database_not_running', 'the database is not running; try again when its status is running');
