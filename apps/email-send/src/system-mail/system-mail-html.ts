import { escapeHtml } from '@postern/mail';

/**
 * The HTML of a mail of Postern, from its text: the same words, with the subject as heading and the name of the installation.
 * Only lines that consist of an address of this installation become links, because names of tenants are in the text.
 */
export const systemMailHtml = (subject: string, text: string, baseUrl: string): string => {
  const base = new URL(baseUrl);
  const blocks = text
    .trim()
    .split(/\n\s*\n/)
    .map(
      block =>
        `<p style="${PARAGRAPH}">${block
          .split('\n')
          .map(line => lineOf(line, base.origin))
          .join('<br>')}</p>`,
    );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;background:#f4f5f7"><div style="${CARD}">
<p style="${BRAND}">Postern <span style="font-weight:400;color:#5f6573">at ${escapeHtml(base.host)}</span></p>
<h1 style="font-size:20px;line-height:28px;margin:0 0 16px">${escapeHtml(subject)}</h1>
${blocks.join('\n')}
</div></body></html>
`;
};

const FONT = "font:16px/24px -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#1c1f26";
const CARD = `${FONT};max-width:560px;margin:0 auto;padding:32px 24px;background:#ffffff`;
const BRAND = 'font-weight:700;margin:0 0 24px';
const PARAGRAPH = 'margin:0 0 16px;overflow-wrap:anywhere';
const CODE = 'font:700 28px/36px ui-monospace,Menlo,Consolas,monospace;letter-spacing:4px';

const lineOf = (line: string, origin: string): string => {
  const text = line.trim();
  if (/^\d{6}$/.test(text)) return `<span style="${CODE}">${text}</span>`;
  const isOwn = URL.canParse(text) && new URL(text).origin === origin && !/\s/.test(text);
  return isOwn ? `<a href="${escapeHtml(text)}" style="color:#0b63ce">${escapeHtml(text)}</a>` : escapeHtml(line);
};
