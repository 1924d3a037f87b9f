"""email.message with smtplib: the modern policy, the old classes, and the headers of SMTPUTF8."""
import base64, json, smtplib, sys
from email.header import Header
from email.message import EmailMessage
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import formataddr
from pathlib import Path

m = json.loads((Path(__file__).parent / 'message.json').read_text('utf-8'))
long = m['text'] + m['long_line'] * 150


def modern(to):
    mail = EmailMessage()
    mail['From'] = formataddr((m['from_name'], m['from'])) if to == m['to'] else f"{m['from_name']} <{m['from']}>"
    mail['To'] = to
    mail['Subject'] = m['subject']
    mail['Organization'] = 'Société Générale ✓'
    mail.set_content(long)
    mail.add_alternative(m['html'], subtype='html')
    mail.get_payload()[1].add_related(base64.b64decode(m['logo']), 'image', 'png', cid='<logo@corpus.test>')
    mail.add_attachment(base64.b64decode(m['pdf']), maintype='application', subtype='pdf', filename=m['pdf_name'])
    mail.add_attachment(m['csv'], subtype='csv', filename=m['csv_name'])
    return mail


def old():
    mail = MIMEMultipart()
    mail['From'] = formataddr((str(Header(m['from_name'], 'utf-8')), m['from']))
    mail['To'] = m['to']
    mail['Subject'] = Header(m['subject'], 'utf-8')
    mail.attach(MIMEText(long, 'plain', 'utf-8'))
    pdf = MIMEApplication(base64.b64decode(m['pdf']), 'pdf')
    pdf.add_header('Content-Disposition', 'attachment', filename=('utf-8', '', m['pdf_name']))
    mail.attach(pdf)
    return mail


with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as smtp:
    smtp.send_message(modern(m['to']))
    smtp.send_message(old())
    smtp.send_message(modern('grace.höpper@customers.test'))
    latin1 = f"From: {m['from']}\r\nTo: {m['to']}\r\nSubject: Latin-1\r\n\r\nGr\u00fc\u00dfe\r\n".encode('latin-1')
    smtp.sendmail(m['from'], [m['to']], latin1)
