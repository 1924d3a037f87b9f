#!/bin/sh
# Programs of servers: msmtp with a message of cron, PHP mail() through msmtp, swaks, mutt.
set -e
port=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'account default\nhost 127.0.0.1\nport %s\nfrom orders@corpus.test\ntls off\nauth off\n' "$port" > "$work/msmtprc"
chmod 600 "$work/msmtprc"
printf '%%PDF-1.4 \342\343\n' > "$work/Rechnung März.pdf"

printf 'From: Cron Daemon <orders@corpus.test>\nTo: root@localhost\nSubject: Cron <www@shop> /usr/bin/größe\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\nX-Cron-Env: <SHELL=/bin/sh>\n\nGrüße ✓\n' |
  msmtp -C "$work/msmtprc" grace@customers.test

php -d sendmail_path="msmtp -C $work/msmtprc -t" -r 'mail("grace@customers.test", "=?UTF-8?Q?Gr=C3=B6=C3=9Fe?=", "Grüße ✓\n.\nEnde", "From: orders@corpus.test\r\nContent-Type: text/plain; charset=utf-8");'
php -d sendmail_path="msmtp -C $work/msmtprc -t" -r 'mail("grace@customers.test", "Latin-1", "Gr\xfc\xdfe", "From: orders@corpus.test");'

swaks --silent 2 --server 127.0.0.1 --port "$port" --from orders@corpus.test --to grace@customers.test \
  --header 'Subject: swaks' --body 'Hello ✓' --attach-type application/pdf --attach-name 'Rechnung März.pdf' --attach "@$work/Rechnung März.pdf"

echo 'Grüße ✓ 測試' | LANG=C.UTF-8 mutt -n -F /dev/null -e "set smtp_url=smtp://127.0.0.1:$port" -e 'set ssl_starttls=no' -e 'set ssl_force_tls=no' \
  -e 'set from=orders@corpus.test' -e 'set use_from=yes' -e 'set copy=no' -e 'set send_charset="us-ascii:iso-8859-1:utf-8"' \
  -s 'Größe ✓' -a "$work/Rechnung März.pdf" -- grace@customers.test
echo 'Grüße' | LANG=C.UTF-8 mutt -n -F /dev/null -e "set smtp_url=smtp://127.0.0.1:$port" -e 'set ssl_starttls=no' -e 'set ssl_force_tls=no' \
  -e 'set from=orders@corpus.test' -e 'set use_from=yes' -e 'set copy=no' -e 'set allow_8bit=yes' -e 'set send_charset="us-ascii:iso-8859-1:utf-8"' \
  -s 'Größe' -- grace@customers.test
