import { Refusal } from '@postern/contracts/refusal';

export const projectNotFound = (): Refusal => new Refusal('project_not_found', 'there is no such project');

export const projectNotEmpty = (webServices: number): Refusal =>
  new Refusal(
    'project_not_empty',
    webServices === 1
      ? 'the project has a web service; delete it first'
      : `the project has ${webServices} web services; delete them first`,
  );
