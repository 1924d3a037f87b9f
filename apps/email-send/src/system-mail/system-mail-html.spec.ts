import { describe, expect, it } from '@jest/globals';
import { systemMailHtml } from './system-mail-html.js';

const html = (text: string) => systemMailHtml('Deployment failed: shop', text, 'https://postern.example.com/base');

describe('the HTML of a mail of Postern', () => {
  it('has the words of the text, the subject and the installation', () => {
    const mail = html('A deployment failed.\nTime: now\n\nView its log:\n');
    expect(mail).toContain('<h1 style="font-size:20px;line-height:28px;margin:0 0 16px">Deployment failed: shop</h1>');
    expect(mail).toContain('at postern.example.com');
    expect(mail).toMatch(/A deployment failed\.<br>Time: now<\/p>\n<p[^>]*>View its log:<\/p>/);
  });

  it('links to addresses of the installation alone', () => {
    const own = 'https://postern.example.com/dashboard/web-services/1#x';
    expect(html(own)).toContain(`<a href="${own}"`);
    for (const other of [
      'https://evil.example/',
      'https://postern.example.com.evil.example/',
      'javascript:alert(1)',
      'see https://postern.example.com/ now',
    ])
      expect(html(other)).not.toContain('<a ');
  });

  it('shows text of tenants as text', () => {
    const mail = systemMailHtml('<b>x</b>', '<img src=x onerror=alert(1)> & "quoted"', 'https://postern.example.com');
    expect(mail).not.toMatch(/<img|<b>/);
    expect(mail).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;quoted&quot;');
  });

  it('shows a code so that it can be read', () =>
    expect(html('Your code:\n\n123456')).toMatch(/letter-spacing:4px">123456</));
});
