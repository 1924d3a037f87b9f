import { Configuration, DeploymentsApi, EmailsApi, ProjectsApi, ResponseError } from './postern/index.js';

const basePath = process.env['BASE_URL']!;
const emails = new EmailsApi(new Configuration({ basePath, apiKey: process.env['EMAIL_KEY']! }));
const platform = new Configuration({ basePath, accessToken: process.env['PLATFORM_KEY']! });

const email = { from: 'shop@example.com', to: ['delivered@simulator.test'], subject: 'From TypeScript' };
const html = { message: '<p>Hello</p>' };
const text = { text: 'Hello' };
for (const body of [html, { ...html, ...text }]) await emails.sendEmail({ sendEmailRequest: { ...email, ...body } });
const sent = await emails.sendEmail({ sendEmailRequest: { ...email, ...text } });
const got = await emails.getEmail({ id: sent.id });
if (got.id !== sent.id || got.status !== 'sent') throw new Error(JSON.stringify(got));

const project = await new ProjectsApi(platform).createProject({ createProjectRequest: { name: 'From TypeScript' } });
const projects = await new ProjectsApi(platform).listProjects();
if (!projects.some(({ id }) => id === project.id)) throw new Error('The project is missing.');

const missing = await new DeploymentsApi(platform)
  .getDeployment({ webServiceId: project.id, deploymentId: project.id })
  .catch((error: unknown) => error);
if (!(missing instanceof ResponseError) || missing.response.status !== 404) throw new Error(String(missing));
