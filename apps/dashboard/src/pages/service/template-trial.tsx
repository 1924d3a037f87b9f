import type { EmailRecord, Template, TemplatePreview } from '@postern/contracts';
import { useState } from 'preact/hooks';
import { api } from '../../api-client.js';
import { Field, Form, type Values } from '../../components/form.js';
import { TextArea } from '../../components/form-controls.js';
import { Notice } from '../../components/notice.js';
import { Section } from '../../components/page.js';
import { ScrollableText } from '../../components/scrolling.js';
import { useAction } from '../../loading.js';
import { Link } from '../../router.js';
import { MailFrame } from './mail-frame.js';
import { variablesIn } from './template-variables.js';

interface TemplateTrialProps {
  readonly template: Template;
  readonly path: string;
  readonly page: string;
}

/** Renders the template with variables, and sends it as a test. */
export const TemplateTrial = ({ template, path, page }: TemplateTrialProps) => {
  const [preview, setPreview] = useState<TemplatePreview>();
  const [sent, setSent] = useState<EmailRecord>();
  const show = useAction(async (values: Values) => {
    setPreview(
      await api.post<TemplatePreview>(`${path}/preview`, { variables: variablesIn(values['variables'] ?? '') }),
    );
  });
  const send = useAction(async ({ from, to = '', variables = '' }: Values) => {
    const body = { from, to: [to], variables: variablesIn(variables) };
    setSent(await api.post<EmailRecord>(`${path}/test`, body));
  });
  const example = JSON.stringify(Object.fromEntries(template.variables.map(name => [name, name])), null, 2);
  return (
    <>
      <Section title="Preview">
        <Form action={show} submit="Show preview" keepValues>
          <Variables example={example} />
        </Form>
        {preview && (
          <>
            <p class="long">
              <strong>{preview.subject}</strong>
            </p>
            <MailFrame title="Rendered HTML" html={preview.html} />
            <ScrollableText>{preview.text}</ScrollableText>
          </>
        )}
      </Section>
      <Section title="Send a test" about="Sends one message by the rules of this email service.">
        {sent && (
          <Notice kind={sent.status === 'sent' ? 'good' : 'warning'}>
            {sent.message} <Link to={`${page}/messages/${sent.id}`}>Show message</Link>
          </Notice>
        )}
        <Form action={send} submit="Send test" keepValues>
          <Field label="From" name="from" required placeholder="Shop <orders@example.com>" autocomplete="off" />
          <Field label="To" name="to" required autocomplete="off" />
          <Variables example={example} />
        </Form>
      </Section>
    </>
  );
};

const Variables = ({ example }: { readonly example: string }) => (
  <TextArea
    label="Variables"
    name="variables"
    rows={4}
    defaultValue={example}
    hint="A JSON object with all variables."
  />
);
