<?php
// PHPMailer, as WordPress uses it; its defaults, and other encodings.
require '/usr/share/php/libphp-phpmailer/autoload.php';
use PHPMailer\PHPMailer\PHPMailer;

$m = json_decode(file_get_contents(__DIR__ . '/message.json'), true);
foreach ([['utf-8', '8bit'], ['utf-8', 'base64'], ['utf-8', 'quoted-printable'], ['iso-8859-1', '8bit']] as [$charset, $encoding]) {
    $mail = new PHPMailer(true);
    $mail->isSMTP();
    $mail->Host = '127.0.0.1';
    $mail->Port = (int) $argv[1];
    $mail->SMTPAutoTLS = false;
    $mail->CharSet = $charset;
    $mail->Encoding = $encoding;
    $isUtf8 = $charset === 'utf-8';
    $in = fn ($text) => $isUtf8 ? $text : mb_convert_encoding($text, 'ISO-8859-1', 'UTF-8');
    $mail->setFrom($m['from'], $in($m['from_name']));
    $mail->addAddress($m['to'], $in($m['to_name']));
    $mail->Subject = $isUtf8 ? $m['subject'] : $in('Größe der Bestellung');
    $mail->isHTML(true);
    $mail->Body = $isUtf8 ? $m['html'] : $in('<p>Grüße</p>');
    $mail->AltBody = $isUtf8 ? $m['text'] . str_repeat($m['long_line'], 150) : $in("Grüße\n");
    if ($isUtf8) {
        $mail->addStringEmbeddedImage(base64_decode($m['logo']), 'logo@corpus.test', 'logo.png');
        $mail->addStringAttachment($m['csv'], $m['csv_name'], '8bit', 'text/csv');
    }
    $mail->addStringAttachment(base64_decode($m['pdf']), $in('Rechnung März.pdf'));
    $mail->send();
}
