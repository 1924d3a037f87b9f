import type { Template } from '@postern/contracts';
import { Field, type Values } from '../../components/form.js';
import { TextArea } from '../../components/form-controls.js';

const HINT =
  '{{name}} is replaced by a variable, {{#items}}…{{/items}} is repeated for each entry of a list. Values are escaped.';

/** The name and the content of a template as form fields. */
export const TemplateFields = ({ template }: { readonly template?: Template }) => (
  <>
    <Field
      label="Name"
      name="name"
      required
      maxLength={100}
      autocomplete="off"
      placeholder="order-receipt"
      {...(template ? { defaultValue: template.name } : {})}
    />
    <Field
      label="Subject"
      name="subject"
      required
      maxLength={998}
      autocomplete="off"
      placeholder="Receipt {{order}}"
      {...(template ? { defaultValue: template.subject } : {})}
    />
    <TextArea
      label="HTML"
      name="html"
      rows={10}
      required
      placeholder="<p>Thank you, {{name}}.</p>"
      hint={HINT}
      {...(template ? { defaultValue: template.html } : {})}
    />
    <TextArea
      label="Text"
      name="text"
      rows={5}
      hint="Optional. Derived from the HTML if empty."
      {...(template?.text ? { defaultValue: template.text } : {})}
    />
  </>
);

/** The fields as the API takes them. */
export const templateValues = ({ name, subject, html, text }: Values) => ({ name, subject, html, text: text || null });
