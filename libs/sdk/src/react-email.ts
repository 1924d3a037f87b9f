import { PosternError } from './errors.js';

/** Renders an element of React Email to HTML, if the application has `@react-email/render`. */
export const renderReact = async (element: unknown): Promise<string> => {
  const { render } = await import('@react-email/render').catch((cause: unknown) => {
    throw new PosternError('Install @react-email/render to send React components: npm install @react-email/render', {
      cause,
    });
  });
  return render(element);
};
