import base64, json, sys
from email.mime.image import MIMEImage
from pathlib import Path

import django
from django.conf import settings

settings.configure(EMAIL_HOST='127.0.0.1', EMAIL_PORT=int(sys.argv[1]), USE_I18N=False)
django.setup()
from django.core.mail import EmailMultiAlternatives, send_mail  # noqa: E402

m = json.loads((Path(__file__).parent / 'message.json').read_text('utf-8'))
sender = f"{m['from_name']} <{m['from']}>"
send_mail(m['subject'], m['text'], sender, [m['to']], html_message=m['html'])
mail = EmailMultiAlternatives(m['subject'], m['text'] + m['long_line'] * 150, sender, [f"{m['to_name']} <{m['to']}>"])
mail.attach_alternative(m['html'], 'text/html')
logo = MIMEImage(base64.b64decode(m['logo']))
logo.add_header('Content-ID', '<logo@corpus.test>')
mail.attach(logo)
mail.attach(m['pdf_name'], base64.b64decode(m['pdf']), 'application/pdf')
mail.attach(m['csv_name'], m['csv'], 'text/csv')
inner = EmailMultiAlternatives('Größe', 'Grüße', sender, [m['to']])
mail.attach('forwarded.eml', inner.message(), 'message/rfc822')
mail.send()
