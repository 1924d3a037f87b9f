<?php
// Symfony Mailer, as Laravel uses it.
require '/usr/share/php/Symfony/Component/Mailer/autoload.php';
use Symfony\Component\Mailer\Mailer;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Email;

$m = json_decode(file_get_contents(__DIR__ . '/message.json'), true);
$mailer = new Mailer(Transport::fromDsn("smtp://127.0.0.1:{$argv[1]}?verify_peer=0"));
$email = (new Email())
    ->from(new Address($m['from'], $m['from_name']))
    ->to(new Address($m['to'], $m['to_name']))
    ->subject($m['subject'])
    ->priority(Email::PRIORITY_HIGH)
    ->text($m['text'] . str_repeat($m['long_line'], 150))
    ->html(str_replace('logo@corpus.test', 'logo', $m['html']))
    ->embed(base64_decode($m['logo']), 'logo', 'image/png')
    ->attach(base64_decode($m['pdf']), $m['pdf_name'], 'application/pdf')
    ->attach($m['csv'], $m['csv_name'], 'text/csv');
$email->getHeaders()->addTextHeader('X-Tag', 'Größe');
$mailer->send($email);
